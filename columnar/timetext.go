package columnar

import "time"

// ParseTimestamp reads a timestamp as Spark's CAST(... AS TIMESTAMP) does, in microseconds since 1970 UTC:
// "2024-02-29", "2024-02-29 12:30:00.123456", "2024-02-29T12:30:00Z", with offsets such as +02:00. Year, month and day may
// be left out from the right; without a zone it is UTC.
func ParseTimestamp(b []byte) (micros int64, ok bool) {
	p := textCursor{b: b}
	days, more, ok := p.date()
	if !ok {
		return 0, false
	}
	if !more {
		return days * 86400_000000, p.end()
	}
	clock, ok := p.clock()
	if !ok {
		return 0, false
	}
	zone, ok := p.zone()
	return days*86400_000000 + clock - zone*1_000_000, ok && p.end()
}

// ParseDate reads a date as Spark's CAST(... AS DATE) does, in days since 1970: what stands behind a "T" or a space is ignored.
func ParseDate(b []byte) (days int32, ok bool) {
	p := textCursor{b: b}
	d, _, ok := p.date()
	return int32(d), ok
}

// textCursor reads a timestamp from the left.
type textCursor struct {
	b []byte
}

func (p *textCursor) end() bool { return len(p.b) == 0 }

// next takes the byte c if it is next.
func (p *textCursor) next(c byte) bool {
	if len(p.b) > 0 && p.b[0] == c {
		p.b = p.b[1:]
		return true
	}
	return false
}

// digits reads least to most decimal digits.
func (p *textCursor) digits(least, most int) (int64, bool) {
	n := 0
	v := int64(0)
	for n < len(p.b) && n < most && p.b[n]-'0' < 10 {
		v = v*10 + int64(p.b[n]-'0')
		n++
	}
	p.b = p.b[n:]
	return v, n >= least
}

// date reads yyyy[-[m]m[-[d]d]] and reports whether a time follows.
func (p *textCursor) date() (days int64, more, ok bool) {
	negative := p.next('-')
	if !negative {
		p.next('+')
	}
	year, ok := p.digits(4, 6)
	month, day := int64(1), int64(1)
	if ok && p.next('-') {
		month, ok = p.digits(1, 2)
		if ok && p.next('-') {
			day, ok = p.digits(1, 2)
		}
	}
	if negative {
		year = -year
	}
	if !ok || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false, false
	}
	if p.end() {
		return civilDays(year, month, day), false, true
	}
	return civilDays(year, month, day), true, p.next('T') || p.next(' ')
}

func daysIn(year, month int64) int64 {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month>>3)&1
}

// civilDays is the number of days from 1970-01-01 in the proleptic Gregorian calendar.
func civilDays(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := (153*(month-3)+2)/5 + day - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// clock reads [h]h[:[m]m[:[s]s[.f...]]] in microseconds. Digits beyond the sixth are cut off.
func (p *textCursor) clock() (int64, bool) {
	h, ok := p.digits(1, 2)
	m, s, f := int64(0), int64(0), int64(0)
	if ok && p.next(':') {
		m, ok = p.digits(1, 2)
		if ok && p.next(':') {
			s, ok = p.digits(1, 2)
			if ok && p.next('.') {
				f = p.fraction()
			}
		}
	}
	return ((h*60+m)*60+s)*1_000_000 + f, ok && h < 24 && m < 60 && s < 60
}

func (p *textCursor) fraction() int64 {
	v, n := int64(0), 0
	for ; len(p.b) > 0 && p.b[0]-'0' < 10; p.b = p.b[1:] {
		if n < 6 {
			v, n = v*10+int64(p.b[0]-'0'), n+1
		}
	}
	for ; n < 6; n++ {
		v *= 10
	}
	return v
}

// zone reads the rest as a zone: nothing, Z, UTC, GMT, an offset, or a region; in seconds east of UTC.
func (p *textCursor) zone() (int64, bool) {
	for p.next(' ') {
	}
	text := string(p.b)
	switch text {
	case "", "Z", "UTC", "GMT":
		p.b = nil
		return 0, true
	}
	if len(text) > 3 && (text[:3] == "UTC" || text[:3] == "GMT") {
		p.b = p.b[3:]
	}
	if len(p.b) == 0 || p.b[0] != '+' && p.b[0] != '-' {
		return 0, false
	}
	return p.offset()
}

func (p *textCursor) offset() (int64, bool) {
	sign := int64(1)
	if p.b[0] == '-' {
		sign = -1
	}
	p.b = p.b[1:]
	h, ok := p.digits(1, 2)
	m, s := int64(0), int64(0)
	if ok && (p.next(':') || !p.end()) {
		m, ok = p.digits(2, 2)
		if ok && p.next(':') {
			s, ok = p.digits(2, 2)
		}
	}
	return sign * (h*3600 + m*60 + s), ok && h <= 18 && m < 60 && s < 60
}

// AppendTimestampText appends microseconds as Spark's CAST(... AS STRING) prints them: "2024-02-29 12:30:00.5".
func AppendTimestampText(dst []byte, micros int64) []byte {
	t := time.UnixMicro(micros).UTC()
	return t.AppendFormat(dst, "2006-01-02 15:04:05.999999")
}

// AppendDateText appends days since 1970 as "2024-02-29".
func AppendDateText(dst []byte, days int64) []byte {
	return time.Unix(days*86400, 0).UTC().AppendFormat(dst, "2006-01-02")
}
