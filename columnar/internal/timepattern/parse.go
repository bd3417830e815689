package timepattern

import (
	"errors"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// Reasons why a text is refused.
var (
	ErrText  = errors.New("the text does not fit the pattern")
	ErrRange = errors.New("the time is beyond what a TIMESTAMP holds")
	ErrZone  = errors.New("the name of the zone is not known here, though Java may know it")
)

// reading is what was read of a text so far.
type reading struct {
	values [fields]int64
	known  uint32 // a bit for each field
	zone   sqltext.Zone
	zoned  bool
	alien  bool // there was a short name of a zone that is not known
}

// set notes a value; false if the text said otherwise before.
func (r *reading) set(f field, v int64) bool {
	if r.has(f) && r.values[f] != v {
		return false
	}
	r.values[f], r.known = v, r.known|1<<f
	return true
}

func (r *reading) has(f field) bool { return r.known&(1<<f) != 0 }

// or is the value of a field, or what it is by default.
func (r *reading) or(f field, otherwise int64) int64 {
	if r.has(f) {
		return r.values[f]
	}
	return otherwise
}

// Parse reads a text as a whole. What the pattern leaves out is 1970-01-01 00:00:00,
// in UTC unless the text names a zone. The errors are ErrText, ErrRange
// and ErrZone.
// With local, the zone counts for nothing.
func (p *Pattern) Parse(s []byte, local bool) (us int64, err error) {
	var r reading
	at, ok := r.parts(p.parts, s, 0)
	switch {
	case ok && at == len(s):
	case r.alien:
		return 0, ErrZone
	default:
		return 0, ErrText
	}
	return r.resolve(local)
}

// parts has the usual parts, two digits and one character, in its loop.
func (r *reading) parts(parts []part, s []byte, at int) (int, bool) {
	for i := range parts {
		p, ok := &parts[i], false
		switch {
		case p.kind == pair && at+2 <= len(s) && s[at]-'0' <= 9 && s[at+1]-'0' <= 9:
			if !r.set(p.field, int64(s[at]-'0')*10+int64(s[at+1]-'0')) {
				return at, false
			}
			at += 2
			continue
		case p.kind == literal && at < len(s) && p.text == string(s[at:at+1]):
			at++
			continue
		}
		if at, ok = r.part(p, s, at); !ok {
			return at, false
		}
	}
	return at, true
}

func (r *reading) part(p *part, s []byte, at int) (int, bool) {
	switch p.kind {
	case literal:
		return foldPrefix(s, at, p.text)
	case number, pair, twoDigits:
		return r.number(p, s, at)
	case fraction:
		return r.fraction(p, s, at)
	case names:
		for i, name := range p.names {
			if end, ok := foldPrefix(s, at, name); ok {
				return end, r.set(p.field, int64(i)+base(p.field))
			}
		}
		return at, false
	case group:
		before := *r
		if end, ok := r.parts(p.parts, s, at); ok {
			return end, true
		}
		before.alien = r.alien
		*r = before
		return at, true
	}
	return r.zonePart(p, s, at)
}

// foldPrefix matches text without regard to case.
func foldPrefix(s []byte, at int, text string) (end int, ok bool) {
	for _, want := range text {
		if at >= len(s) {
			return at, false
		}
		got, size := rune(s[at]), 1
		if got >= utf8.RuneSelf {
			got, size = utf8.DecodeRune(s[at:])
		}
		if got != want && unicode.ToLower(unicode.ToUpper(got)) != unicode.ToLower(unicode.ToUpper(want)) {
			return at, false
		}
		at += size
	}
	return at, true
}

// number reads as many digits as there are, up to the most, but leaves those that the
// numbers behind it need.
func (r *reading) number(p *part, s []byte, at int) (int, bool) {
	begin := at
	signed := byte(0)
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		if p.signs == neverSigned || p.signs == ifNegative && s[at] == '+' {
			return at, false
		}
		signed, at = s[at], at+1
	}
	end := digitsEnd(s, at, p.max+p.following)
	if p.following > 0 {
		end = min(end, at+max(p.min, end-at-p.following))
	}
	if end-at < p.min {
		return begin, false
	}
	v, ok := decimal(s[at:end])
	if !ok || signed == '-' && v == 0 {
		return begin, false
	}
	if p.signs == ifNegativeOrWide && signed != '-' && (signed == '+') != (end-at > p.min) {
		return begin, false
	}
	if signed == '-' {
		v = -v
	}
	if p.kind == twoDigits {
		v += 2000
	}
	return end, r.set(p.field, v)
}

func digitsEnd(s []byte, at, most int) int {
	end := at
	for end < len(s) && end-at < most && s[end]-'0' <= 9 {
		end++
	}
	return end
}

// decimal reads digits; false beyond what any field holds.
func decimal(s []byte) (v int64, ok bool) {
	for _, c := range s {
		if v > 1e15 {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}

func (r *reading) fraction(p *part, s []byte, at int) (int, bool) {
	end := digitsEnd(s, at, p.max)
	if end-at < p.min {
		return at, false
	}
	v, _ := decimal(s[at:end])
	return end, r.set(nano, v*tens[9-(end-at)])
}

// resolve makes a timestamp of the fields, as Java's strict resolver and Spark's
// defaults do: fields that say the same twice must agree.
func (r *reading) resolve(local bool) (us int64, err error) {
	days, ok := r.date()
	if !ok {
		return 0, ErrText
	}
	clock, ok := r.clock()
	if !ok {
		return 0, ErrText
	}
	us, ok = sqltext.JoinDays(days, clock)
	if !ok {
		return 0, ErrRange
	}
	if local {
		return us, nil
	}
	zone := r.zone
	if !r.zoned && r.has(offset) {
		if zone, ok = sqltext.FixedZone(r.values[offset]); !ok {
			return 0, ErrText
		}
	}
	offset := zone.OffsetLocal(us)
	if shifted := us - offset; (us^offset)&(us^shifted) >= 0 {
		return shifted, nil
	}
	return 0, ErrRange
}

// limits are the bounds of the fields, by Java's rules.
var limits = [fields][2]int64{
	era: {0, 1}, yearOfEra: {1, 1e9}, year: {-999_999_999, 999_999_999}, quarter: {1, 4}, month: {1, 12}, dayOfYear: {1, 366}, dayOfMonth: {1, 31},
	halfDay: {0, 1}, hour: {0, 23}, clockHour: {1, 24}, hourOfHalf: {0, 11}, clockHourHalf: {1, 12}, minute: {0, 59}, second: {0, 59}, nano: {0, 999_999_999},
}

// Sets of fields, a bit for each.
const (
	dateFields = 1<<era | 1<<yearOfEra | 1<<year | 1<<month | 1<<dayOfYear | 1<<dayOfMonth
	timeFields = 1<<halfDay | 1<<hour | 1<<clockHour | 1<<clockHourHalf | 1<<minute | 1<<second | 1<<nano
)

// valid compares those of a set of fields that are known with their limits.
func (r *reading) valid(set uint32) bool {
	for set &= r.known; set != 0; set &= set - 1 {
		f := bits.TrailingZeros32(set)
		if r.values[f] < limits[f][0] || r.values[f] > limits[f][1] {
			return false
		}
	}
	return true
}

func (r *reading) date() (days int64, ok bool) {
	if !r.valid(dateFields) {
		return 0, false
	}
	if r.has(yearOfEra) && r.has(era) {
		y := r.values[yearOfEra]
		if r.values[era] == 0 {
			y = 1 - y
		}
		if !r.set(year, y) {
			return 0, false
		}
	}
	y := r.or(year, 1970)
	if r.has(dayOfYear) && !(r.has(year) && r.has(month) && r.has(dayOfMonth)) {
		return r.ordinalDate(y)
	}
	m, d := int(r.or(month, 1)), int(r.or(dayOfMonth, 1))
	if d > sqltext.MonthLength(y, m) {
		return 0, false
	}
	days = sqltext.Days(y, m, d)
	return days, !r.has(dayOfYear) || r.values[dayOfYear] == days-sqltext.Days(y, 1, 1)+1
}

// ordinalDate is a date by the day of the year; a month or day beside it must agree.
func (r *reading) ordinalDate(y int64) (days int64, ok bool) {
	days = sqltext.Days(y, 1, 1) + r.values[dayOfYear] - 1
	found, m, d := sqltext.Civil(days)
	return days, found == y && r.or(month, int64(m)) == int64(m) && r.or(dayOfMonth, int64(d)) == int64(d)
}

// whole reports whether Java makes a time of the hour and what follows, and compares the
// rest with it: seconds without minutes, or a fraction without seconds, keep it from that.
func (r *reading) whole() bool {
	return r.has(hour) && (r.has(minute) || !r.has(second) && !r.has(nano)) && (!r.has(minute) || r.has(second) || !r.has(nano))
}

// clock is the time of the day in microseconds.
func (r *reading) clock() (us int64, ok bool) {
	if !r.valid(timeFields) {
		return 0, false
	}
	if r.has(clockHour) && !r.set(hour, r.values[clockHour]%24) {
		return 0, false
	}
	if r.has(clockHourHalf) && !r.set(hourOfHalf, r.values[clockHourHalf]%12) {
		return 0, false
	}
	if (r.has(halfDay) || !r.has(hour) || r.whole()) && !r.valid(1<<hourOfHalf) {
		return 0, false
	}
	if r.has(halfDay) && r.has(hourOfHalf) && !r.set(hour, r.values[halfDay]*12+r.values[hourOfHalf]) {
		return 0, false
	}
	h := r.or(hour, r.or(hourOfHalf, 12*r.or(halfDay, 0)))
	if r.whole() && (r.or(halfDay, h/12) != h/12 || r.or(hourOfHalf, h%12) != h%12) {
		return 0, false
	}
	return h*sqltext.Hour + r.or(minute, 0)*sqltext.Minute + r.or(second, 0)*sqltext.Second + r.or(nano, 0)/1000, true
}
