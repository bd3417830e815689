package timepattern

import (
	"fmt"
	"strings"
)

// MaxLength bounds a pattern, in bytes.
const MaxLength = 1024

// Pattern is a compiled pattern, for printing or for reading.
type Pattern struct{ parts []part }

// Error says why a text is no pattern. Condition is Spark's name for it.
type Error struct{ Condition, Message string }

// Error implements error.
func (e *Error) Error() string { return "[" + e.Condition + "] " + e.Message }

// field is what a number or a text stands for.
type field uint8

const (
	era field = iota
	yearOfEra
	year
	quarter
	month
	dayOfYear
	dayOfMonth
	dayOfWeekInMonth
	dayOfWeek
	halfDay       // AM 0, PM 1
	hour          // 0..23
	clockHour     // 1..24
	hourOfHalf    // 0..11
	clockHourHalf // 1..12
	minute
	second
	nano
	offset // seconds
	julianDay
	fields
)

// kind is the way in which a part is printed and read.
type kind uint8

const (
	literal kind = iota
	number
	pair      // a number of two digits, all its own
	twoDigits // a year without its century, 2000 to 2099
	fraction
	names
	offsetID     // +01:00 and its like, or a text for zero
	offsetWords  // GMT+1:00
	zoneID       // Europe/Paris
	zoneName     // UTC
	zoneFullName // Coordinated Universal Time
	group        // an optional part, in brackets
)

// signs says when a number has a sign.
type signs uint8

const (
	neverSigned      signs = iota
	ifNegative             // NORMAL
	ifNegativeOrWide       // EXCEEDS_PAD: also + where there are more digits than letters
)

type part struct {
	kind      kind
	field     field
	signs     signs
	min, max  int // digits
	following int // digits of the numbers that follow without a separator
	text      string
	names     []string
	parts     []part
}

// widest is the most digits of a number whose letters do not bound it.
const widest = 19

// Compile reads a pattern for printing, or for reading texts. The only error is *Error.
func Compile(pattern string, reading bool) (*Pattern, error) {
	if len(pattern) > MaxLength {
		return nil, &Error{"INVALID_DATETIME_PATTERN.LENGTH", fmt.Sprintf("Too many letters in datetime pattern: more than %d.", MaxLength)}
	}
	err := check(pattern, reading)
	if err == nil {
		c := compiler{reading: reading, eras: strings.Contains(unquoted(pattern), "G"), levels: []level{{active: none}}}
		if err = c.compile(pattern); err == nil {
			return &Pattern{c.finish()}, nil
		}
	}
	if knownBefore(pattern) {
		err = &Error{"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", "Fail to recognize '" + pattern + "' pattern in the DateTimeFormatter: " + err.Message}
	}
	return nil, err
}

// unquoted is the pattern without what stands between quotes.
func unquoted(pattern string) string {
	var b strings.Builder
	for i, piece := range strings.Split(pattern, "'") {
		if i%2 == 0 {
			b.WriteString(piece + "\n")
		}
	}
	return b.String()
}

// tooLong are the letters that Spark refuses in these numbers.
var tooLong = []string{"GGGGG", "MMMMM", "LLLLL", "EEEEE", "QQQQQ", "qqqqq", "yyyyyyy"}

// check refuses what Spark refuses of Java's patterns.
func check(pattern string, reading bool) *Error {
	illegal := "ABnNp"
	if reading {
		illegal += "EFqQ"
	}
	for piece := range strings.SplitSeq(unquoted(pattern), "\n") {
		if i := strings.IndexAny(piece, "YWwuec"); i >= 0 {
			return &Error{"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", fmt.Sprintf("All week-based patterns are unsupported since Spark 3.0, detected week-based character: %c. Please use the SQL function EXTRACT instead.", piece[i])}
		}
		if i := strings.IndexAny(piece, illegal); i >= 0 {
			return &Error{"INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER", fmt.Sprintf("Illegal pattern character found in datetime pattern: %c.", piece[i])}
		}
		for _, long := range tooLong {
			if strings.Contains(piece, long) {
				return &Error{"INVALID_DATETIME_PATTERN.LENGTH", "Too many letters in datetime pattern: " + long + "."}
			}
		}
	}
	return nil
}

// knownBefore reports whether the formatter of Spark 2 took the pattern; for those the
// error has another name.
func knownBefore(pattern string) bool {
	if strings.Count(pattern, "'")%2 != 0 {
		return false
	}
	plain := unquoted(pattern)
	for _, c := range plain {
		if isLetter(c) && !strings.ContainsRune("GyMwWDdFEaHkKhmsSzZLYuX", c) {
			return false
		}
	}
	return !strings.Contains(plain, "XXXX")
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
