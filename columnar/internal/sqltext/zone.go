package sqltext

import (
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones by name, also in a container without a time zone database
)

// Zone is a time zone: an offset from UTC or a region such as Europe/Paris. The zero
// value is UTC.
type Zone struct {
	offset int64 // microseconds east of UTC
	region *time.Location
}

// OffsetAt is the offset in microseconds east of UTC at an instant.
func (z Zone) OffsetAt(us int64) int64 {
	if z.region == nil {
		return z.offset
	}
	return regionOffset(z.region, floorDiv(us, Second)) * Second
}

// OffsetLocal is the offset in microseconds at a local time. Of two that fit it is the
// earlier one; a time that the clocks skip has the offset before the gap.
func (z Zone) OffsetLocal(us int64) int64 {
	if z.region == nil {
		return z.offset
	}
	local := floorDiv(us, Second)
	guess := regionOffset(z.region, local)
	fits := guess
	if again := regionOffset(z.region, local-guess); again != guess {
		if fits = again; regionOffset(z.region, local-again) != again { // a gap
			return regionOffset(z.region, local-max(guess, again)) * Second
		}
	}
	if start, _ := time.Unix(local-fits, 0).In(z.region).ZoneBounds(); !start.IsZero() {
		before := regionOffset(z.region, start.Unix()-1)
		if local-before < start.Unix() {
			fits = before
		}
	}
	return fits * Second
}

func regionOffset(region *time.Location, second int64) int64 {
	_, offset := time.Unix(second, 0).In(region).Zone()
	return int64(offset)
}

// ParseZone reads a time zone: nothing, Z, UTC, GMT, UT, an offset, one of them with an
// offset, an old short name or a region.
func ParseZone(s []byte) (Zone, bool) {
	s = Trim(s)
	if us, ok := zoneOffset(s); ok {
		return Zone{offset: us}, true
	}
	if target, ok := shortZones[string(s)]; ok {
		return ParseZone([]byte(target))
	}
	region, ok := region(s)
	return Zone{region: region}, ok
}

// zoneOffset reads a zone that is no region.
func zoneOffset(s []byte) (us int64, ok bool) {
	if len(s) == 0 || len(s) == 1 && s[0] == 'Z' {
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

// shortZones are the old names of three letters that Java keeps.
var shortZones = map[string]string{
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo", "AST": "America/Anchorage",
	"BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
	"EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia",
	"NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles",
	"SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh", "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}

// areas begin the names of regions. Other text is no region, and no reason to look
// into the time zone database.
var areas = set("Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US")

// singles are the names of regions without an area.
var singles = set(`CET CST6CDT Cuba EET EST5EDT Egypt Eire GB GB-Eire GMT0 Greenwich Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya
	MET MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROK Singapore Turkey UCT Universal W-SU WET Zulu`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// regions caches locations by name; a name that is unknown has nil.
var regions struct {
	sync.RWMutex
	known map[string]*time.Location
}

const maxRegions = 2048 // more than there are; bounds what unknown names keep

// region is the location of a zone name such as America/New_York. Known names cost no
// allocation.
func region(name []byte) (*time.Location, bool) {
	regions.RLock()
	loc, ok := regions.known[string(name)]
	regions.RUnlock()
	if ok {
		return loc, loc != nil
	}
	return loadRegion(string(name))
}

func loadRegion(name string) (*time.Location, bool) {
	if area, _, found := strings.Cut(name, "/"); len(name) > 64 || found && !areas[area] || !found && !singles[name] {
		return nil, false
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

// FixedZone is the zone of an offset in seconds east of UTC, at most 18 hours.
func FixedZone(seconds int64) (Zone, bool) {
	us := seconds * Second
	return Zone{offset: us}, us <= 18*Hour && us >= -18*Hour
}

// FoldRegion finds a region by its name in any case.
func FoldRegion(name string) (Zone, bool) {
	if loc, ok := region([]byte(name)); ok {
		return Zone{region: loc}, true
	}
	for single := range singles {
		if strings.EqualFold(single, name) {
			loc, ok := region([]byte(single))
			return Zone{region: loc}, ok
		}
	}
	loc, ok := region(capitalized(name))
	return Zone{region: loc}, ok
}

// capitalized writes words as the names of regions do: Europe/Paris, America/New_York.
func capitalized(name string) []byte {
	text := []byte(strings.ToLower(name))
	for i := range text {
		if (i == 0 || text[i-1] == '/' || text[i-1] == '_') && text[i] >= 'a' && text[i] <= 'z' {
			text[i] -= 'a' - 'A'
		}
	}
	return text
}
