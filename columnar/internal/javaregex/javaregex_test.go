package javaregex

import (
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func all(t *testing.T, pattern, text string) []string {
	re, err := Compile(pattern)
	require.NoError(t, err, pattern)
	m := re.Matcher()
	defer m.Release()
	out := []string{}
	for found := m.Find([]byte(text)); found; found = m.Next() {
		b, _ := m.Group(0)
		out = append(out, string(b))
	}
	require.NoError(t, m.Err())
	return out
}

// TestMatches covers what the recorded answers of Spark leave out.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string
	}{
		{`a|b`, "xbya", []string{"b", "a"}},
		{`a{2,3}?`, "aaaaa", []string{"aa", "aa"}},
		{`[^,]*+,`, "ab,c,", []string{"ab,", "c,"}},
		{`\Gab`, "ababxab", []string{"ab", "ab"}},
		{`[a-c&&[^b]]+`, "abcab", []string{"a", "ca"}},
		{`[\d&&[^5]]`, "456", []string{"4", "6"}},
		{`(?x) a \ b # no`, "a b", []string{"a b"}},
		{`(?i:a)B`, "AB aB ab", []string{"AB", "aB"}},
		{`.`, "🎉a", []string{"🎉", "a"}},
		{`(a?)*b`, "aab", []string{"aab"}},
		{`\Q[x]\E+`, "[x]]", []string{"[x]]"}},
		{`\x{1F389}\uD83C\uDF89`, "🎉🎉", []string{"🎉🎉"}},
		{`(?m)^.$`, "a\r\nb", []string{"a", "b"}},
		{`é+`, "éééa", []string{"ééé"}},
		{`\d+(?=€)`, "12 34€", []string{"34"}},
		{`\b(?!foo)\w+`, "foo bar", []string{"bar"}},
		{`(?<=\$)\d+`, "1 $23 4", []string{"23"}},
		{`(?<!\$|\d)\d+`, "1 $23 4", []string{"1", "4"}},
		{`(?>a|ab)c`, "abcac", []string{"ac"}},
		{`(ab)*+a`, "ababa", []string{"ababa"}},
		{`(?:a|ab)++c`, "abc", []string{}},
		{`(?<=(?<!x)a)b`, "xab ab", []string{"b"}},
		{`(?=(a+))a*b\b`, "aab", []string{"aab"}},
		{`\d(?=(?:\d{3})+$)`, "1234567", []string{"1", "4"}},
		{`x*`, "🎉", []string{"", "", ""}},
	} {
		require.Equal(t, c.want, all(t, c.pattern, c.text), c.pattern)
	}
}

// TestRefusals: what is wrong and what is only not supported are told apart.
func TestRefusals(t *testing.T) {
	for _, pattern := range []string{`(`, `)`, `[`, `a**`, `\y`, `(?<1>a)`, `a{2,1}`, `\p{X}`, `(?q)`, `[b-a]`, `\x{110000}`, `(?<a>x)(?<a>y)`} {
		var wrong *SyntaxError
		_, err := Compile(pattern)
		require.ErrorAs(t, err, &wrong, pattern)
	}
	for _, pattern := range []string{`(a)\1`, `\X`, `(?U)a`, `(?<=a*b*)b`, `((a*)*)*`, `(?:a{1000}){1000}`, strings.Repeat("(", 300) + strings.Repeat(")", 300)} {
		var refused *UnsupportedError
		_, err := Compile(pattern)
		require.ErrorAs(t, err, &refused, pattern)
	}
}

// TestTime: patterns for which other backtrackers would take longer than a life end.
func TestTime(t *testing.T) {
	text := []byte(strings.Repeat("a", 2_000))
	for _, pattern := range []string{`(a+)+b`, `(a|a)*b`, `(a?){50}b`, `(?=.*x)y`, `(?>a*)b`, `(?:(?=a)a)*b`, `.*.*.*b`, `(.*)(.*)(.*)x`} {
		re, err := Compile(pattern)
		require.NoError(t, err)
		require.False(t, re.Matcher().Find(text), pattern)
	}
	for _, pattern := range []string{`(a|b|c|d)*e`, `(a)*e`, `(?=(a)*).`} {
		re, err := Compile(pattern)
		require.NoError(t, err)
		m := re.Matcher()
		require.False(t, m.Find([]byte(strings.Repeat("a", 20<<20))))
		require.ErrorIs(t, m.Err(), ErrTooLarge)
	}
}

// TestAgainstRE2 compares first matches and groups with Go's regexp where both dialects agree.
func TestAgainstRE2(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 4000 {
		pattern := somePattern(random, 3)
		want, err := regexp.Compile(pattern)
		require.NoError(t, err)
		re, err := Compile(pattern)
		var refused *UnsupportedError
		if errors.As(err, &refused) || re.loops || re.leaks {
			continue // what an empty iteration captures is a matter of the dialect
		}
		require.NoError(t, err, pattern)
		m := re.Matcher()
		for range 4 {
			text := someText(random)
			got := "none"
			if m.Find([]byte(text)) {
				got = ""
				for k := range re.Groups() + 1 {
					s, ok := m.GroupSpan(k)
					got += fmt.Sprint(s.From.At, s.To.At, ok, " ")
				}
			}
			expected := "none"
			if at := want.FindStringSubmatchIndex(text); at != nil {
				expected = ""
				for k := 0; k < len(at); k += 2 {
					expected += fmt.Sprint(at[k], at[k+1], at[k] >= 0, " ")
				}
			}
			require.Equal(t, expected, got, "%s in %q", pattern, text)
		}
	}
}

// somePattern makes patterns that mean the same in both dialects, but for empty iterations.
func somePattern(random *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "ab", "[ab]", "[^a]", "é", "(?:a|ab)", "a+?", "(b)", "[a-c]{1,2}"}
	out := ""
	for range 1 + random.Intn(3) {
		if depth == 0 || random.Intn(2) == 0 {
			out += atoms[random.Intn(len(atoms))]
			continue
		}
		inner := somePattern(random, depth-1)
		switch random.Intn(5) {
		case 0:
			out += "(" + inner + "|" + somePattern(random, depth-1) + ")"
		case 1:
			out += "(" + inner + ")*"
		case 2:
			out += "(?:" + inner + ")+"
		case 3:
			out += "(" + inner + ")??"
		case 4:
			out += "(?:" + inner + "){1,3}"
		}
	}
	return out
}

func someText(random *rand.Rand) string {
	out := ""
	for range random.Intn(12) {
		out += []string{"a", "b", "c", "é"}[random.Intn(4)]
	}
	return out
}

// FuzzFind: no pattern and text make it panic or leave the text.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{`(a|b)*c`, `[\w&&[^\d]]+`, `(?i)x{2,3}?y*+`, `\p{L}\b.$`, `(?mx) ^ a # c`, `\Qa\E\x41\0101`, `(?<n>a)|[^]a]`} {
		f.Add(seed, "aé🎉\r\nb\xff")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil {
			var wrong *SyntaxError
			var refused *UnsupportedError
			require.True(t, errors.As(err, &wrong) || errors.As(err, &refused))
			return
		}
		began := time.Now()
		defer func() { require.Less(t, time.Since(began), time.Minute, "%q %q", pattern, text) }()
		m := re.Matcher()
		last := Place{}
		for found := m.Find([]byte(text)); found; found = m.Next() {
			s := m.Span()
			require.LessOrEqual(t, last.At, s.From.At)
			require.LessOrEqual(t, s.From.At, s.To.At)
			require.LessOrEqual(t, s.To.At, len(text))
			for k := range re.Groups() + 1 {
				m.Group(k)
			}
			last = s.To
		}
	})
}
