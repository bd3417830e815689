package timepattern

import (
	"strconv"

	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// moment is a timestamp taken apart.
type moment struct {
	days, clock, year int64
	month, day        int
}

// AppendFormat prints microseconds since 1970-01-01.
func (p *Pattern) AppendFormat(dst []byte, us int64) []byte {
	var m moment
	m.days, m.clock = sqltext.FloorDays(us)
	m.year, m.month, m.day = sqltext.Civil(m.days)
	return m.append(dst, p.parts)
}

func (m *moment) append(dst []byte, parts []part) []byte {
	for i := range parts {
		p := &parts[i]
		switch p.kind {
		case literal:
			dst = append(dst, p.text...)
		case number, pair:
			dst = appendNumber(dst, m.value(p.field), p)
		case twoDigits:
			y := m.value(p.field) % 100
			dst = appendDigits(dst, max(y, -y), 2)
		case fraction:
			dst = appendDigits(dst, m.value(nano)/tens[9-p.min], p.min)
		case names:
			dst = append(dst, p.names[m.value(p.field)-base(p.field)]...)
		case group:
			dst = m.append(dst, p.parts)
		default:
			dst = append(dst, utc(p)...)
		}
	}
	return dst
}

// utc is how the zone of the session prints.
func utc(p *part) string {
	switch p.kind {
	case offsetID:
		return p.text
	case offsetWords:
		return "GMT"
	case zoneFullName:
		return "Coordinated Universal Time"
	}
	return "UTC"
}

func (m *moment) value(f field) int64 {
	switch f {
	case era:
		if m.year <= 0 {
			return 0
		}
		return 1
	case yearOfEra:
		if m.year <= 0 {
			return 1 - m.year
		}
		return m.year
	case year:
		return m.year
	case quarter:
		return int64(m.month+2) / 3
	case month:
		return int64(m.month)
	case dayOfMonth:
		return int64(m.day)
	case dayOfYear:
		return m.days - sqltext.Days(m.year, 1, 1) + 1
	case dayOfWeekInMonth: // of weeks that begin with the month
		return int64(m.day-1)%7 + 1
	case dayOfWeek:
		return ((m.days+3)%7+7)%7 + 1
	case julianDay:
		return m.days + 40587
	}
	return m.time(f)
}

func (m *moment) time(f field) int64 {
	h := m.clock / sqltext.Hour
	switch f {
	case halfDay:
		return h / 12
	case hour:
		return h
	case clockHour:
		return (h+23)%24 + 1
	case hourOfHalf:
		return h % 12
	case clockHourHalf:
		return (h+11)%12 + 1
	case minute:
		return m.clock / sqltext.Minute % 60
	case second:
		return m.clock / sqltext.Second % 60
	}
	return m.clock % sqltext.Second * 1000 // nano
}

var tens = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

func appendNumber(dst []byte, v int64, p *part) []byte {
	switch {
	case v < 0:
		dst, v = append(dst, '-'), -v
	case p.signs == ifNegativeOrWide && p.min < len(tens) && v >= tens[p.min]:
		dst = append(dst, '+')
	}
	return appendDigits(dst, v, p.min)
}

// appendDigits prints a number that is not negative with at least so many digits.
func appendDigits(dst []byte, v int64, digits int) []byte {
	switch {
	case digits == 2 && v < 100:
		return append(dst, byte('0'+v/10), byte('0'+v%10))
	case digits == 4 && v < 10_000:
		high, low := v/100, v%100
		return append(dst, byte('0'+high/10), byte('0'+high%10), byte('0'+low/10), byte('0'+low%10))
	}
	for n := digits - 1; n > 0 && (n >= len(tens) || v < tens[n]); n-- {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, v, 10)
}
