package javaregex

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// TestAgainstJava compares all matches and groups of random patterns with those of Java,
// as integration/spark/gen_regex.py recorded them.
func TestAgainstJava(t *testing.T) {
	raw, err := os.ReadFile("testdata/java.jsonl")
	require.NoError(t, err)
	refused, total := 0, 0
	for line := range bytes.Lines(raw) {
		var c struct {
			Pattern, Text string
			Invalid       bool
			Matches       [][][]int
		}
		require.NoError(t, json.Unmarshal(line, &c))
		total++
		re, err := Compile(c.Pattern)
		var unsupported *UnsupportedError
		if errors.As(err, &unsupported) {
			refused++
			continue
		}
		if c.Invalid {
			require.Error(t, err, c.Pattern)
			continue
		}
		require.NoError(t, err, c.Pattern)
		got := [][][]int{}
		m := re.Matcher()
		for found := m.Find([]byte(c.Text)); found && len(got) < 30; found = m.Next() {
			got = append(got, groups(m, c.Text))
		}
		if !equal(got, c.Matches) {
			t.Errorf("%s in %q: %v, not %v", c.Pattern, c.Text, got, c.Matches)
		}
	}
	t.Logf("%d of %d patterns refused", refused, total)
	require.Less(t, refused, total/15)
}

func equal(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// groups lists the groups of a match in UTF-16 units; nil for one that captured nothing.
func groups(m *Matcher, text string) (out [][]int) {
	for k := range m.Regexp().Groups() + 1 {
		s, ok := m.GroupSpan(k)
		if !ok {
			out = append(out, nil)
			continue
		}
		out = append(out, []int{units(text, s.From), units(text, s.To)})
	}
	return out
}

func units(text string, p Place) int {
	n := len(utf16.Encode([]rune(text[:p.At])))
	if p.Half {
		n++
	}
	return n
}
