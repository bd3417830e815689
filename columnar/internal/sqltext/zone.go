package sqltext

import (
	"strings"
	"sync"
	"time"
)

// zoneOffset reads a time zone: nothing, Z, UTC, GMT, an offset, or UTC/GMT/UT with one.
// The offset is in microseconds east of UTC. A region such as Europe/Paris is refused
// here; its offset depends on the instant.
func zoneOffset(s []byte) (us int64, ok bool) {
	s = Trim(s)
	if len(s) == 0 {
		return 0, true
	}
	if len(s) == 1 && (s[0] == 'Z') {
		return 0, true
	}
	for _, name := range [...]string{"UTC", "GMT", "UT"} {
		if rest, found := strings.CutPrefix(string(s), name); found {
			if rest == "" {
				return 0, true
			}
			return offset(rest)
		}
	}
	return offset(string(s))
}

// offset reads [+-]h, hh, h:m, hh:mm, hhmm, hh:mm:ss or hhmmss, at most 18 hours.
func offset(s string) (us int64, ok bool) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	negative := s[0] == '-'
	parts, ok := offsetParts(s[1:])
	if !ok || parts[1] > 59 || parts[2] > 59 {
		return 0, false
	}
	us = int64(parts[0])*Hour + int64(parts[1])*Minute + int64(parts[2])*Second
	if us > 18*Hour {
		return 0, false
	}
	if negative {
		us = -us
	}
	return us, true
}

func offsetParts(s string) (parts [3]int, ok bool) {
	colons := strings.Contains(s, ":")
	if !colons && len(s) > 2 && len(s)%2 != 0 {
		return parts, false
	}
	for i := range parts {
		n := 2
		if colons {
			if n = strings.IndexByte(s, ':'); n < 0 {
				n = len(s)
			}
		}
		v, rest, ok := digits([]byte(s[:min(n, len(s))]))
		if !ok || len(rest) > 0 {
			return parts, false
		}
		parts[i] = v
		s = s[min(n, len(s)):]
		if s == "" {
			return parts, true
		}
		if colons {
			s = s[1:]
		}
	}
	return parts, false
}

// areas begin the names of regions. Other text is no region, and no reason to look
// into the time zone database.
var areas = map[string]bool{"Africa": true, "America": true, "Antarctica": true, "Arctic": true, "Asia": true, "Atlantic": true,
	"Australia": true, "Brazil": true, "Canada": true, "Chile": true, "Etc": true, "Europe": true, "Indian": true, "Mexico": true, "Pacific": true, "US": true}

// regions caches locations by name; a name that is unknown has nil.
var regions struct {
	sync.RWMutex
	known map[string]*time.Location
}

const maxRegions = 2048 // more than there are; bounds what unknown names keep

// regionOffset is the offset of a region at a local time, in microseconds.
func regionOffset(zone []byte, days, clock int64) (int64, bool) {
	loc, ok := Region(string(Trim(zone)))
	if !ok {
		return 0, false
	}
	year, month, day := Civil(days)
	t := time.Date(int(year), time.Month(month), day, 0, 0, int(clock/Second), 0, loc)
	_, seconds := t.Zone()
	return int64(seconds) * Second, true
}

// Region returns the location of a zone name such as America/New_York.
func Region(name string) (*time.Location, bool) {
	area, _, found := strings.Cut(name, "/")
	if !found || !areas[area] {
		return nil, false
	}
	regions.RLock()
	loc, ok := regions.known[name]
	regions.RUnlock()
	if ok {
		return loc, loc != nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		loc = nil
	}
	regions.Lock()
	defer regions.Unlock()
	if regions.known == nil || len(regions.known) >= maxRegions {
		regions.known = map[string]*time.Location{}
	}
	regions.known[name] = loc
	return loc, loc != nil
}
