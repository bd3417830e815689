package timepattern

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// recorded is what Spark made of a random pattern; integration/spark/gen_patterns.py writes them.
type recorded struct {
	Pattern, Fault, Refusal string
	Printed, Texts          []string
	Read                    []*string
}

var recordedTimes = []string{"2024-02-29 12:34:56.789123", "1969-12-31 23:59:59.999999", "+12345-10-11 10:11:12", "-0043-03-04 05:06:07"}

// TestRecordedPatterns compares printing and reading with Spark's answers.
func TestRecordedPatterns(t *testing.T) {
	f, err := os.Open("testdata/patterns.json")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	count := 0
	for ; lines.Scan(); count++ {
		var r recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		p, err := Compile(r.Pattern, false)
		require.True(t, sameFault(err, r.Fault), "%q: %v, not %s", r.Pattern, err, r.Fault)
		for i, want := range r.Printed {
			us, ok := sqltext.ParseTimestamp([]byte(recordedTimes[i]))
			require.True(t, ok)
			require.Equal(t, want, string(p.AppendFormat(nil, us)), r.Pattern)
		}
		if r.Refusal == "ArithmeticException" {
			continue // a text, not the pattern
		}
		p, err = Compile(r.Pattern, true)
		require.True(t, sameFault(err, r.Refusal), "%q: %v, not %s", r.Pattern, err, r.Refusal)
		for i, want := range r.Read {
			us, err := p.Parse([]byte(r.Texts[i]), false)
			if errors.Is(err, ErrZone) {
				continue // Java may know the zone
			}
			require.Equal(t, want == nil, err != nil, "%q of %q", r.Pattern, r.Texts[i])
			if err == nil {
				require.Equal(t, *want, string(sqltext.AppendTimestamp(nil, us)), "%q of %q", r.Pattern, r.Texts[i])
			}
		}
	}
	require.NoError(t, lines.Err())
	require.Greater(t, count, 250)
}

// sameFault compares with Spark's condition; some of Java's errors have none.
func sameFault(err error, condition string) bool {
	var fault *Error
	if !errors.As(err, &fault) {
		return condition == ""
	}
	return fault.Condition == condition || condition == "IllegalArgumentException"
}

// TestBounds: long and deep patterns are refused, long texts are read in bounds.
func TestBounds(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("y", MaxLength+1), strings.Repeat("[", 100), "'open", "yyyy]", "SSSSSSSSSS"} {
		_, err := Compile(pattern, true)
		require.Error(t, err, pattern)
	}
	p, err := Compile("y", true)
	require.NoError(t, err)
	_, err = p.Parse([]byte(strings.Repeat("9", 1<<20)), false)
	require.ErrorIs(t, err, ErrText)
	_, err = p.Parse([]byte("300000"), false)
	require.ErrorIs(t, err, ErrRange)
	zone, err := Compile("yyyy z", true)
	require.NoError(t, err)
	_, err = zone.Parse([]byte("2024 XYZ"), false)
	require.ErrorIs(t, err, ErrZone)
}

// TestNoAllocation: neither printing nor reading allocates.
func TestNoAllocation(t *testing.T) {
	out := make([]byte, 0, 64)
	for _, pattern := range []string{"yyyy-MM-dd HH:mm:ss[.SSSSSS]", "d MMMM yyyy h:mm a", "yyyyMMddHHmmss", "yyyy-MM-dd'T'HH:mm:ssXXX"} {
		printing, err := Compile(pattern, false)
		require.NoError(t, err)
		reading, err := Compile(pattern, true)
		require.NoError(t, err)
		text := printing.AppendFormat(nil, 1_709_210_096_789_123)
		require.Zero(t, testing.AllocsPerRun(100, func() { out = printing.AppendFormat(out[:0], 1_709_210_096_789_123) }), pattern)
		require.Zero(t, testing.AllocsPerRun(100, func() { _, err = reading.Parse(text, false) }), pattern)
		require.NoError(t, err, "%s of %s", pattern, text)
	}
}

// FuzzPattern: no pattern and no text panics, and a date that is printed in full reads back.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"yyyy-MM-dd", "yyyyMMddHHmmssSSS", "[yyyy][MM", "d MMM uuuu 'o''clock'", "VV zzzz OOOO XXXXX", "yy G a K k D F"} {
		f.Add(seed, "2024-02-29T12:34:56.789 Europe/Paris", int64(1_709_210_096_789_123))
	}
	full := [2]*Pattern{}
	for i := range full {
		p, err := Compile("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", i == 1)
		if err != nil {
			f.Fatal(err)
		}
		full[i] = p
	}
	f.Fuzz(func(t *testing.T, pattern, text string, us int64) {
		if p, err := Compile(pattern, true); err == nil {
			_, _ = p.Parse([]byte(text), us&1 == 0)
		}
		if p, err := Compile(pattern, false); err == nil {
			p.AppendFormat(nil, us)
		}
		if year := time.UnixMicro(us).UTC().Year(); year < -9999 || year > 9999 {
			return
		}
		again, err := full[1].Parse(full[0].AppendFormat(nil, us), false)
		require.NoError(t, err)
		require.Equal(t, us, again)
	})
}

func BenchmarkParse(b *testing.B) {
	for _, c := range [][2]string{{"yyyy-MM-dd HH:mm:ss", "2026-11-30 10:20:30"}, {"dd/MMM/yyyy:HH:mm:ss Z", "30/Nov/2026:10:20:30 +0100"}} {
		b.Run(c[0], func(b *testing.B) {
			p, err := Compile(c[0], true)
			require.NoError(b, err)
			text := []byte(c[1])
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Parse(text, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFormat(b *testing.B) {
	p, err := Compile("yyyy-MM-dd HH:mm:ss.SSS", false)
	require.NoError(b, err)
	out := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		out = p.AppendFormat(out[:0], 1_709_210_096_789_123)
	}
}
