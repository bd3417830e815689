package sqltext

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Reasons why text is no interval.
var (
	ErrIntervalField = errors.New("a part of the interval is above its limit")
	ErrIntervalRange = errors.New("the interval does not fit its type")
)

var (
	dayTimeNames   = [...]string{"DAY", "HOUR", "MINUTE", "SECOND"}
	yearMonthNames = [...]string{"YEAR", "MONTH"}
	dayTimeMicros  = [...]int64{Day, Hour, Minute, Second}
)

// UnitMicros is the length of a unit of a day-time interval, DAY 0 to SECOND 3.
func UnitMicros(unit uint8) int64 { return dayTimeMicros[unit] }

// AppendDayTime prints microseconds as INTERVAL '...' from unit first to last, DAY 0 to
// SECOND 3: INTERVAL '1 02:03:04.5' DAY TO SECOND. What is below the last unit is cut off.
func AppendDayTime(dst []byte, us int64, first, last uint8) []byte {
	dst = append(dst, "INTERVAL '"...)
	rest := uint64(us)
	if us < 0 {
		dst, rest = append(dst, '-'), -rest
	}
	for unit := first; unit <= last; unit++ {
		size := uint64(dayTimeMicros[unit])
		if unit > first {
			dst = append(dst, " :::"[unit-1])
		}
		n := rest / size
		rest -= n * size
		if n < 10 && unit > 0 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendUint(dst, n, 10)
		if unit == 3 {
			dst = appendFraction(dst, int64(rest))
		}
	}
	return appendUnits(dst, dayTimeNames[:], first, last)
}

// AppendYearMonth prints months as INTERVAL '...' from unit first to last, YEAR 0 and MONTH 1.
func AppendYearMonth(dst []byte, months int32, first, last uint8) []byte {
	dst = append(dst, "INTERVAL '"...)
	n := int64(months)
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	if first == 0 {
		dst = strconv.AppendInt(dst, n/12, 10)
		n %= 12
	}
	if first < last {
		dst = append(dst, '-')
	}
	if last == 1 {
		dst = strconv.AppendInt(dst, n, 10)
	}
	return appendUnits(dst, yearMonthNames[:], first, last)
}

func appendUnits(dst []byte, names []string, first, last uint8) []byte {
	dst = append(append(dst, "' "...), names[first]...)
	if first < last {
		dst = append(append(dst, " TO "...), names[last]...)
	}
	return dst
}

// appendFraction prints microseconds below a second as .ffffff without trailing zeros, or nothing.
func appendFraction(dst []byte, us int64) []byte {
	if us == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(Second / 10); us > 0; unit /= 10 {
		dst = append(dst, byte('0'+us/unit))
		us %= unit
	}
	return dst
}

// ParseDayTime reads what stands between the quotes of an interval from unit first to
// last: [+-]d hh:mm:ss.fffffffff or a part of it. Digits below microseconds are cut off.
func ParseDayTime(s []byte, first, last uint8) (us int64, err error) {
	negative, s := sign(Trim(s))
	for unit := first; unit <= last; unit++ {
		if unit > first {
			if len(s) == 0 || s[0] != " :::"[unit-1] {
				return 0, ErrSyntax
			}
			s = s[1:]
		}
		most := 2
		if unit == first {
			most = [...]int{9, 10, 12, 13}[unit]
		}
		n, rest, ok := natural(s, most)
		if !ok {
			return 0, ErrSyntax
		}
		if unit > first && (unit == 1 && n > 23 || n > 59) {
			return 0, ErrIntervalField
		}
		if us, ok = subtractUnits(us, n, dayTimeMicros[unit]); !ok {
			return 0, ErrIntervalRange
		}
		s = rest
	}
	if last == 3 && len(s) > 1 && len(s) <= 10 {
		fraction, rest := parseFraction(s)
		if us < math.MinInt64+fraction {
			return 0, ErrIntervalRange
		}
		us, s = us-fraction, rest
	}
	switch {
	case len(s) > 0:
		return 0, ErrSyntax
	case negative:
		return us, nil
	case us == math.MinInt64:
		return 0, ErrIntervalRange
	}
	return -us, nil
}

// subtractUnits is us - n*size; sums are negative, since the range is wider there.
func subtractUnits(us, n, size int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	room := uint64(us) + 1<<63
	return us - int64(lo), hi == 0 && lo <= room
}

// ParseYearMonth is ParseDayTime for [+-]y-m, y or m.
func ParseYearMonth(s []byte, first, last uint8) (months int32, err error) {
	negative, s := sign(Trim(s))
	n, s, ok := natural(s, 16)
	if !ok {
		return 0, ErrSyntax
	}
	if first == 0 {
		n *= 12
	}
	if first < last {
		if len(s) == 0 || s[0] != '-' {
			return 0, ErrSyntax
		}
		month, rest, ok := natural(s[1:], 10)
		if !ok {
			return 0, ErrSyntax
		}
		if month > 11 {
			return 0, ErrIntervalField
		}
		n, s = n+month, rest
	}
	if len(s) > 0 {
		return 0, ErrSyntax
	}
	if negative {
		n = -n
	}
	if n != int64(int32(n)) {
		return 0, ErrIntervalRange
	}
	return int32(n), nil
}

func sign(s []byte) (negative bool, rest []byte) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		return s[0] == '-', s[1:]
	}
	return false, s
}

// natural reads at most so many digits.
func natural(s []byte, most int) (n int64, rest []byte, ok bool) {
	i := 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if i == most {
			return 0, nil, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, s[i:], i > 0
}

// IntervalBody takes INTERVAL [+-]'body' UNIT [TO UNIT] apart, as a cast reads it: the
// text between the quotes with the outer sign applied. Other text is its own body. ok is
// false if the units are not those of first and last.
func IntervalBody(s []byte, months bool, first, last uint8) (body []byte, ok bool) {
	s = Trim(s)
	const keyword = "INTERVAL"
	if len(s) < len(keyword) || !strings.EqualFold(string(s[:len(keyword)]), keyword) {
		return s, true
	}
	rest := strings.TrimLeft(string(s[len(keyword):]), " \t\n\r")
	if len(rest) == len(s)-len(keyword) {
		return nil, false
	}
	outer, quoted := sign([]byte(rest))
	value, units, found := strings.Cut(strings.TrimPrefix(string(quoted), "'"), "'")
	if !found || len(quoted) == 0 || quoted[0] != '\'' {
		return nil, false
	}
	names := dayTimeNames[:]
	if months {
		names = yearMonthNames[:]
	}
	want := names[first]
	if first < last {
		want += " TO " + names[last]
	}
	if !strings.EqualFold(strings.Join(strings.Fields(units), " "), want) || units == "" || units[0] > ' ' {
		return nil, false
	}
	if !outer {
		return []byte(value), true
	}
	if inner, rest := sign([]byte(value)); inner {
		return rest, true
	} else {
		return append([]byte{'-'}, rest...), true
	}
}
