package sqltext

import (
	"math/bits"
	"strconv"
)

// ParseDate reads a DATE as Spark's CAST does: [+-]yyyy, yyyy-[m]m, yyyy-[m]m-[d]d,
// the last followed by anything after a space or T.
func ParseDate(s []byte) (days int32, ok bool) {
	s = Trim(s)
	year, rest, ok := parseYear(s, 7)
	if !ok {
		return 0, false
	}
	month, day := 1, 1
	if len(rest) > 0 {
		if month, rest, ok = field(rest, '-'); !ok {
			return 0, false
		}
		if len(rest) > 0 {
			if day, rest, ok = field(rest, '-'); !ok || len(rest) > 0 && rest[0] != ' ' && rest[0] != 'T' {
				return 0, false
			}
		}
	}
	if !validDay(year, month, day) {
		return 0, false
	}
	n := Days(year, month, day)
	return int32(n), n == int64(int32(n))
}

// ParseTimestamp reads a TIMESTAMP as Spark's CAST does, in UTC unless the text names
// a zone. Text without a date, which Spark completes with today, is refused.
func ParseTimestamp(s []byte) (us int64, ok bool) {
	if us, ok := parseISO(s); ok {
		return us, true
	}
	local, zone, ok := parseLocal(s)
	if !ok {
		return 0, false
	}
	return sub(local, zone.OffsetLocal(local))
}

// ParseTimestampNTZ reads a TIMESTAMP_NTZ: a zone in the text counts for nothing.
func ParseTimestampNTZ(s []byte) (us int64, ok bool) {
	if us, ok := parseISO(s); ok {
		return us, true
	}
	us, _, ok = parseLocal(s)
	return us, ok
}

// ParseClock reads text without a date, [T]h:m[:s[.f][zone]] or Th: the time of the day
// that it is at the instant now.
func ParseClock(s []byte, now int64) (us int64, ok bool) {
	s = Trim(s)
	if len(s) == 0 || s[0] != 'T' && !contains(s[:min(3, len(s))], ':') {
		return 0, false
	}
	if s[0] == 'T' {
		s = s[1:]
	}
	clock, rest, ok := parseTime(s)
	if !ok {
		return 0, false
	}
	zone, ok := ParseZone(rest)
	if !ok {
		return 0, false
	}
	days, _ := FloorDays(now + zone.OffsetAt(now))
	local := days*Day + clock
	return sub(local, zone.OffsetLocal(local))
}

func sub(a, b int64) (int64, bool) {
	difference := a - b
	return difference, (a^b)&(a^difference) >= 0
}

// parseLocal reads a date, a time and a zone.
func parseLocal(s []byte) (us int64, zone Zone, ok bool) {
	s = Trim(s)
	year, rest, ok := parseYear(s, 6)
	if !ok {
		return 0, zone, false
	}
	month, day := 1, 1
	if len(rest) > 0 {
		if month, rest, ok = field(rest, '-'); !ok {
			return 0, zone, false
		}
	}
	if len(rest) > 0 {
		if day, rest, ok = field(rest, '-'); !ok {
			return 0, zone, false
		}
	}
	if !validDay(year, month, day) {
		return 0, zone, false
	}
	clock, text, ok := parseClock(rest)
	if !ok {
		return 0, zone, false
	}
	if zone, ok = ParseZone(text); !ok {
		return 0, zone, false
	}
	us, ok = micros(Days(year, month, day), clock)
	return us, zone, ok
}

// parseISO reads the usual form, yyyy-mm-ddThh:mm:ss[.fraction][Z], at fixed places.
func parseISO(s []byte) (int64, bool) {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	century, bad := pair(s, 0, false)
	year, bad := pair(s, 2, bad)
	month, bad := pair(s, 5, bad)
	day, bad := pair(s, 8, bad)
	hour, bad := pair(s, 11, bad)
	minute, bad := pair(s, 14, bad)
	second, bad := pair(s, 17, bad)
	if bad || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	full := int64(century*100 + year)
	if !validDay(full, month, day) {
		return 0, false
	}
	fraction, rest := parseFraction(s[19:])
	if len(rest) > 0 && (len(rest) != 1 || rest[0] != 'Z') {
		return 0, false
	}
	return Days(full, month, day)*Day + int64(hour)*Hour + int64(minute)*Minute + int64(second)*Second + fraction, true
}

func pair(s []byte, at int, bad bool) (int, bool) {
	a, b := s[at]-'0', s[at+1]-'0'
	return int(a)*10 + int(b), bad || a > 9 || b > 9
}

// parseFraction reads .digits into microseconds; digits beyond the sixth are cut off.
func parseFraction(s []byte) (us int64, rest []byte) {
	if len(s) == 0 || s[0] != '.' {
		return 0, s
	}
	unit := int64(100_000)
	i := 1
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		us += int64(s[i]-'0') * unit
		unit /= 10
	}
	return us, s[i:]
}

// parseYear reads [+-]yyyy with at most so many digits.
func parseYear(s []byte, most int) (year int64, rest []byte, ok bool) {
	negative := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	i := 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if i == most {
			return 0, nil, false
		}
		year = year*10 + int64(s[i]-'0')
	}
	if negative {
		year = -year
	}
	return year, s[i:], i >= 4
}

// field reads a separator and one or two digits.
func field(s []byte, separator byte) (v int, rest []byte, ok bool) {
	if s[0] != separator {
		return 0, nil, false
	}
	return digits(s[1:])
}

func digits(s []byte) (v int, rest []byte, ok bool) {
	i := 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if i == 2 {
			return 0, nil, false
		}
		v = v*10 + int(s[i]-'0')
	}
	return v, s[i:], i > 0
}

func validDay(year int64, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= MonthLength(year, month))
}

// parseClock reads what follows the date: nothing, or [ T][h]h[:[m]m[:[s]s[.fraction][zone]]],
// as microseconds since midnight, and returns the zone.
func parseClock(s []byte) (us int64, zone []byte, ok bool) {
	if len(s) == 0 {
		return 0, nil, true
	}
	if s[0] != ' ' && s[0] != 'T' {
		return 0, nil, false
	}
	return parseTime(s[1:])
}

// parseTime reads [h]h[:[m]m[:[s]s[.fraction][zone]]].
func parseTime(s []byte) (us int64, zone []byte, ok bool) {
	limits, units := [3]int{23, 59, 59}, [3]int64{Hour, Minute, Second}
	for i := range limits {
		v, rest, ok := digits(s)
		if !ok || v > limits[i] {
			return 0, nil, false
		}
		us += int64(v) * units[i]
		if len(rest) == 0 {
			return us, nil, true
		}
		if i < 2 {
			if rest[0] != ':' {
				return 0, nil, false
			}
			rest = rest[1:]
		}
		s = rest
	}
	fraction, zone := parseFraction(s)
	return us + fraction, zone, true
}

// micros joins days and time, refusing what leaves 64 bits.
func micros(days, clock int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(days, -days)), Day)
	if hi != 0 || lo > 1<<63-1 {
		return minMicros(days, clock)
	}
	base := int64(lo)
	if days < 0 {
		base = -base
	}
	sum := base + clock
	return sum, (base^sum)&(clock^sum) >= 0
}

// minMicros handles the first day that a TIMESTAMP can hold, which is not whole.
func minMicros(days, clock int64) (int64, bool) {
	if days >= 0 || days+1 < -1<<63/Day {
		return 0, false
	}
	base := (days + 1) * Day
	sum := base + (clock - Day)
	return sum, sum < 0
}

// AppendDate prints days since 1970-01-01 as yyyy-MM-dd.
func AppendDate(dst []byte, days int64) []byte {
	year, month, day := Civil(days)
	dst = appendYear(dst, year)
	dst = append(dst, '-')
	dst = append2(dst, month)
	dst = append(dst, '-')
	return append2(dst, day)
}

func appendYear(dst []byte, year int64) []byte {
	switch {
	case year < 0:
		dst, year = append(dst, '-'), -year
	case year > 9999:
		dst = append(dst, '+')
	}
	for limit := int64(1000); year < limit && limit > 1; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, year, 10)
}

func append2(dst []byte, v int) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

// AppendTimestamp prints a TIMESTAMP as yyyy-MM-dd HH:mm:ss[.ffffff] without trailing zeros.
func AppendTimestamp(dst []byte, us int64) []byte {
	dst = appendSeconds(dst, us, ' ')
	_, rest := FloorDays(us)
	return appendFraction(dst, rest%Second)
}

func appendSeconds(dst []byte, us int64, between byte) []byte {
	days, rest := FloorDays(us)
	dst = append(AppendDate(dst, days), between)
	dst = append(append2(dst, int(rest/Hour)), ':')
	dst = append(append2(dst, int(rest%Hour/Minute)), ':')
	return append2(dst, int(rest%Minute/Second))
}
