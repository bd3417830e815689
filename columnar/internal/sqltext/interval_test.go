package sqltext

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIntervalText(t *testing.T) {
	for _, c := range []struct {
		us          int64
		first, last uint8
		want        string
	}{
		{93_784_500_000, 0, 3, "INTERVAL '1 02:03:04.5' DAY TO SECOND"}, {-1, 0, 3, "INTERVAL '-0 00:00:00.000001' DAY TO SECOND"}, {Day, 0, 0, "INTERVAL '1' DAY"}, {-3 * Hour, 1, 1, "INTERVAL '-03' HOUR"},
		{100 * Hour, 1, 2, "INTERVAL '100:00' HOUR TO MINUTE"}, {90 * Minute, 2, 3, "INTERVAL '90:00' MINUTE TO SECOND"}, {Second / 2, 3, 3, "INTERVAL '00.5' SECOND"},
		{math.MinInt64, 0, 3, "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"}, {math.MinInt64, 3, 3, "INTERVAL '-9223372036854.775808' SECOND"},
	} {
		require.Equal(t, c.want, string(AppendDayTime(nil, c.us, c.first, c.last)))
	}
	for want, months := range map[string]int32{"INTERVAL '1-2' YEAR TO MONTH": 14, "INTERVAL '-0-11' YEAR TO MONTH": -11, "INTERVAL '-178956970-8' YEAR TO MONTH": math.MinInt32} {
		require.Equal(t, want, string(AppendYearMonth(nil, months, 0, 1)))
	}
	require.Equal(t, "INTERVAL '1' YEAR", string(AppendYearMonth(nil, 14, 0, 0)))
	require.Equal(t, "INTERVAL '14' MONTH", string(AppendYearMonth(nil, 14, 1, 1)))
}

func TestIntervalBody(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{"1 02:03:04", "1 02:03:04", true}, {" INTERVAL '1 02:03:04' DAY TO SECOND ", "1 02:03:04", true}, {"interval -'1 02:03:04' day  to second", "-1 02:03:04", true}, {"INTERVAL -'-1 02:03:04' DAY TO SECOND", "1 02:03:04", true},
		{"INTERVAL '1 02:03:04' DAY", "", false}, {"INTERVAL '1 02:03:04'DAY TO SECOND", "", false}, {"INTERVAL'1 02:03:04' DAY TO SECOND", "", false}, {"INTERVAL 1 DAY TO SECOND", "", false}, {"INTERVAL", "", false}, {"INTERVAL '", "", false},
	} {
		got, ok := IntervalBody([]byte(c.in), false, 0, 3)
		require.Equal(t, c.ok, ok, c.in)
		if ok {
			require.Equal(t, c.want, string(got), c.in)
		}
	}
}

// FuzzInterval: no text panics, and what is printed reads back the same.
func FuzzInterval(f *testing.F) {
	for _, seed := range []string{"1 02:03:04.5", "-106751991 04:00:54.775808", "1-2", "INTERVAL -'1' DAY", "1 day -2 hours", "1.5 seconds", "interval 1 week", "- 1 day"} {
		f.Add([]byte(seed), uint8(0), uint8(3))
	}
	f.Fuzz(func(t *testing.T, s []byte, first, last uint8) {
		first, last = first%4, last%4
		if first > last {
			first, last = last, first
		}
		if body, ok := IntervalBody(s, false, first, last); ok {
			if us, err := ParseDayTime(body, first, last); err == nil {
				again, ok := IntervalBody(AppendDayTime(nil, us, first, last), false, first, last)
				require.True(t, ok)
				back, err := ParseDayTime(again, first, last)
				require.NoError(t, err, "%q", again)
				require.Equal(t, us, back, "%q", again)
			}
		}
		first, last = first%2, last%2
		if first > last {
			first, last = last, first
		}
		if months, err := ParseYearMonth(s, first, last); err == nil {
			text := strings.Split(string(AppendYearMonth(nil, months, first, last)), "'")[1]
			back, err := ParseYearMonth([]byte(text), first, last)
			require.NoError(t, err, text)
			require.Equal(t, months, back, text)
		}
		if w, err := ParseWords(string(s)); err == nil {
			w.Duration()
		}
		ParseClock(s, 0)
		ParseTimestampNTZ(s)
		ParseZone(s)
		PlainDigits(s)
	})
}
