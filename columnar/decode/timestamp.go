package decode

import "github.com/lakewheel/lakewheel/columnar/internal/sqltext"

// dayCache remembers the latest date: the events of a stream share few days.
type dayCache struct {
	text [10]byte
	us   int64
}

// parse reads yyyy-mm-ddThh:mm:ss[.fraction][Z]" at i and returns the position after
// the quote, or 0 if the text has another form.
func (c *dayCache) parse(s []byte, i int) (us int64, end int) {
	if len(s)-i < 21 {
		return 0, 0
	}
	t := s[i:]
	if (c.text[0] == 0 || string(t[:10]) != string(c.text[:])) && !c.load(t[:10]) {
		return 0, 0
	}
	h, m, sec := two(t[11:]), two(t[14:]), two(t[17:])
	if t[10] != 'T' || t[13] != ':' || t[16] != ':' || h > 23 || m > 59 || sec > 59 {
		return 0, 0
	}
	us = c.us + int64(h)*sqltext.Hour + int64(m)*sqltext.Minute + int64(sec)*sqltext.Second
	k := 19
	if t[k] == '.' {
		unit := int64(100_000)
		for k++; k < len(t) && t[k]-'0' <= 9; k++ {
			us += int64(t[k]-'0') * unit
			unit /= 10
		}
	}
	if k < len(t) && t[k] == 'Z' {
		k++
	}
	if k >= len(t) || t[k] != '"' {
		return 0, 0
	}
	return us, i + k + 1
}

func (c *dayCache) load(date []byte) bool {
	if date[4] != '-' || date[7] != '-' || two(date[5:]) > 99 || two(date[8:]) > 99 {
		return false
	}
	days, ok := sqltext.ParseDate(date)
	if ok {
		copy(c.text[:], date)
		c.us = int64(days) * sqltext.Day
	}
	return ok
}

// two is the number of two digits, above 99 if they are none.
func two(s []byte) uint {
	a, b := uint(s[0]-'0'), uint(s[1]-'0')
	if a > 9 || b > 9 {
		return 1000
	}
	return a*10 + b
}
