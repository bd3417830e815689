package columnar

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseTimestamp(t *testing.T) {
	for text, want := range map[string]string{
		"1970-01-01T00:00:10Z":            "1970-01-01 00:00:10",
		"2024-02-29":                      "2024-02-29 00:00:00",
		"2024":                            "2024-01-01 00:00:00",
		"2024-2":                          "2024-02-01 00:00:00",
		"2024-02-29 12:30:00.123456789":   "2024-02-29 12:30:00.123456",
		"2024-02-29T12:30:00.5":           "2024-02-29 12:30:00.5",
		"2024-02-29T12:30":                "2024-02-29 12:30:00",
		"2024-02-29T12:30:00+02:00":       "2024-02-29 10:30:00",
		"2024-02-29T12:30:00 UTC-01:30":   "2024-02-29 14:00:00",
		"0001-01-01T00:00:00Z":            "0001-01-01 00:00:00",
		"9999-12-31T23:59:59.999999Z":     "9999-12-31 23:59:59.999999",
		"2023-02-29":                      "",
		"2024-13-01":                      "",
		"2024-02-29T24:00:00Z":            "",
		"2024-02-29T12:30:00 ":            "2024-02-29 12:30:00",
		"12:30":                           "",
		"":                                "",
		"2024-02-29T12:30:00Zx":           "",
		"2024-02-29T12:30:00Europe/Paris": "",
	} {
		micros, ok := ParseTimestamp([]byte(text))
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, string(AppendTimestampText(nil, micros)), text)
		}
	}
}

// Days agree with the standard library over the whole calendar.
func TestCivilDays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(-719162, 2932896).Draw(t, "days")
		day := time.Unix(days*86400, 0).UTC()
		require.Equal(t, days, civilDays(int64(day.Year()), int64(day.Month()), int64(day.Day())))
		got, ok := ParseDate(AppendDateText(nil, days))
		require.True(t, ok)
		require.EqualValues(t, days, got)
	})
}

func FuzzParseTimestamp(f *testing.F) {
	f.Add([]byte("2024-02-29T12:30:00.123456+02:00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		micros, ok := ParseTimestamp(b)
		if ok && micros >= -62135596800_000000 && micros < 253402300800_000000 {
			again, ok := ParseTimestamp(AppendTimestampText(nil, micros))
			require.True(t, ok)
			require.Equal(t, micros, again)
		}
	})
}
