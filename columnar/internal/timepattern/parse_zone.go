package timepattern

import (
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

func (r *reading) zonePart(p *part, s []byte, at int) (int, bool) {
	switch p.kind {
	case offsetID:
		return r.offsetID(p.min, p.text, s, at)
	case offsetWords:
		return r.offsetWords(p.min == 4, s, at)
	case zoneName:
		if end, ok := r.abbreviation(s, at); ok {
			return end, true
		}
	case zoneFullName:
		if end, ok := r.fullName(s, at); ok {
			return end, true
		}
	}
	return r.zoneID(s, at)
}

// offsetID reads +01:00 and its like, or the text that stands for none.
func (r *reading) offsetID(form int, zero string, s []byte, at int) (int, bool) {
	if end, ok := foldPrefix(s, at, zero); ok {
		return end, r.set(offset, 0)
	}
	seconds, end, ok := readOffset(form, s, at)
	return end, ok && r.set(offset, seconds)
}

func readOffset(form int, s []byte, at int) (seconds int64, end int, ok bool) {
	if at >= len(s) || s[at] != '+' && s[at] != '-' {
		return 0, at, false
	}
	sign := int64(1)
	if s[at] == '-' {
		sign = -1
	}
	colon := form == offsetColon || form == offsetColonSeconds
	hours, end, ok := digitPair(s, at+1, false)
	if !ok || hours > 23 {
		return 0, at, false
	}
	minutes, next, ok := digitPair(s, end, colon)
	if ok {
		end = next
	} else if form != offsetHours {
		return 0, at, false
	}
	rest := int64(0)
	if form == offsetSeconds || form == offsetColonSeconds {
		if v, next, ok := digitPair(s, end, colon); ok {
			rest, end = v, next
		}
	}
	return sign * (hours*3600 + minutes*60 + rest), end, true
}

// digitPair reads two digits up to 59, after a colon if there is one.
func digitPair(s []byte, at int, colon bool) (v int64, end int, ok bool) {
	if colon {
		if at >= len(s) || s[at] != ':' {
			return 0, at, false
		}
		at++
	}
	if at+2 > len(s) || s[at]-'0' > 5 || s[at+1]-'0' > 9 {
		return 0, at, false
	}
	return int64(s[at]-'0')*10 + int64(s[at+1]-'0'), at + 2, true
}

// offsetWords reads GMT, GMT+8:30 or, in full, GMT+08:30.
func (r *reading) offsetWords(full bool, s []byte, at int) (int, bool) {
	end, ok := foldPrefix(s, at, "GMT")
	if !ok {
		return at, false
	}
	if end >= len(s) || s[end] != '+' && s[end] != '-' {
		return end, r.set(offset, 0)
	}
	sign := int64(1)
	if s[end] == '-' {
		sign = -1
	}
	stop := digitsEnd(s, end+1, 2)
	hours, _ := decimal(s[end+1 : stop])
	if stop == end+1 || full && stop != end+3 {
		return at, false
	}
	minutes, next, ok := digitPair(s, stop, true)
	if full && !ok {
		return at, false
	}
	seconds := int64(0)
	if ok {
		stop = next
		if v, next, ok := digitPair(s, stop, true); ok {
			seconds, stop = v, next
		}
	}
	return stop, r.set(offset, sign*(hours*3600+minutes*60+seconds))
}

// zoneID reads an offset, UTC and its like, or a region.
func (r *reading) zoneID(s []byte, at int) (int, bool) {
	if at >= len(s) {
		return at, false
	}
	if s[at] == '+' || s[at] == '-' {
		return r.fixed(s, at)
	}
	for _, prefix := range [...]string{"UTC", "UT", "GMT"} {
		end, ok := foldPrefix(s, at, prefix)
		if !ok {
			continue
		}
		if prefix == "GMT" && end < len(s) && s[end] == '0' {
			return end + 1, r.setZone(sqltext.Zone{})
		}
		if next, ok := r.fixed(s, end); ok {
			return next, true
		}
		return end, r.setZone(sqltext.Zone{})
	}
	return r.region(s, at)
}

func (r *reading) fixed(s []byte, at int) (int, bool) {
	seconds, end, ok := readOffset(offsetColonSeconds, s, at)
	if !ok {
		return at, false
	}
	zone, ok := sqltext.FixedZone(seconds)
	return end, ok && r.setZone(zone)
}

func (r *reading) setZone(zone sqltext.Zone) bool {
	r.zone, r.zoned = zone, true
	return true
}

// region reads the longest name of a region, in any case, or Z.
func (r *reading) region(s []byte, at int) (int, bool) {
	end := at
	for end < len(s) && end-at < 64 && zoneByte(s[end]) {
		end++
	}
	for text := string(s[at:end]); text != ""; text = text[:len(text)-1] {
		if region, ok := sqltext.FoldRegion(text); ok {
			return at + len(text), r.setZone(region)
		}
		if last := text[len(text)-1]; last != '_' && last != '-' && last != '+' && last != '/' {
			break
		}
	}
	if s[at] == 'Z' || s[at] == 'z' {
		return at + 1, r.setZone(sqltext.Zone{})
	}
	return at, false
}

func zoneByte(c byte) bool {
	return isLetter(rune(c)) || c >= '0' && c <= '9' || c == '/' || c == '_' || c == '-' || c == '+'
}
