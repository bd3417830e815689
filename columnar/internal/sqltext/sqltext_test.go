package sqltext

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCalendar compares every 13th day of 40,000 years with the standard library.
func TestCalendar(t *testing.T) {
	for days := int64(-7_300_000); days < 7_300_000; days += 13 {
		year, month, day := Civil(days)
		want := time.Unix(days*86400, 0).UTC()
		require.True(t, int(year) == want.Year() && month == int(want.Month()) && day == want.Day(), days)
		require.Equal(t, days, Days(year, month, day))
	}
}

func TestDecimalText(t *testing.T) {
	for _, c := range []struct {
		in               string
		precision, scale int
		want             string
	}{
		{"1.5", 3, 2, "1.50"}, {".5", 3, 2, "0.50"}, {"5.", 3, 2, "5.00"}, {"-0.005", 3, 2, "-0.01"}, {"0.0049", 3, 2, "0.00"},
		{"1e2", 5, 2, "100.00"}, {"12e-1", 5, 2, "1.20"}, {"9.995", 3, 2, "range"}, {"0e999999", 3, 2, "0.00"}, {"1e-999999", 3, 2, "0.00"}, {"1e999999", 38, 0, "range"},
		{"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999"},
		{"", 3, 2, "syntax"}, {".", 3, 2, "syntax"}, {"1.2.3", 3, 2, "syntax"}, {"1e", 3, 2, "syntax"}, {"- 1", 3, 2, "syntax"},
	} {
		v, err := ParseDecimal([]byte(c.in), c.precision, c.scale)
		switch c.want {
		case "range":
			require.ErrorIs(t, err, ErrRange, c.in)
		case "syntax":
			require.ErrorIs(t, err, ErrSyntax, c.in)
		default:
			require.NoError(t, err, c.in)
			require.Equal(t, c.want, string(AppendDecimal(nil, v, c.scale)), c.in)
		}
	}
}

// FuzzParse: no text panics, and what is printed reads back the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"2024-02-29T12:34:56.789123Z", "2024-1-2 3:4:5 +5:30", "-290308-12-21 19:59:05.224192", "1969", "+99999-12-31", "1.50e3", "NaN", "-Infinity", " 12 ", "true", "2024-01-01 00:00:00 America/New_York"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if us, ok := ParseTimestamp(s); ok && us > math.MinInt64/2 && us < math.MaxInt64/2 {
			again, ok := ParseTimestamp(AppendTimestamp(nil, us))
			year, _, _ := Civil(us / Day)
			require.True(t, ok && again == us || year > 999_999 || year < -999_999, "%q", s)
		}
		if days, ok := ParseDate(s); ok {
			again, ok := ParseDate(AppendDate(nil, int64(days)))
			require.True(t, ok && again == days, "%q", s)
		}
		if v, err := ParseDecimal(s, 38, 10); err == nil {
			again, err := ParseDecimal(AppendDecimal(nil, v, 10), 38, 10)
			require.True(t, err == nil && again == v, "%q", s)
		}
		if x, ok := ParseFloat(s, 64); ok {
			again, ok := ParseFloat(AppendFloat(nil, x, 64), 64)
			require.True(t, ok && (again == x || x != x && again != again), "%q", s)
		}
		ParseInt(s)
		ParseBool(s)
	})
}
