package sqltext

import (
	"math"
	"strconv"
	"strings"
)

// Trim cuts white space and control characters from both ends, as Spark's casts do.
func Trim(s []byte) []byte {
	for len(s) > 0 && blank(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func blank(c byte) bool { return c <= ' ' || c == 0x7f }

// ParseInt reads an integer of 64 bits: blanks around, a sign, digits.
func ParseInt(s []byte) (v int64, ok bool) {
	s = Trim(s)
	negative := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	for _, c := range s {
		d := int64(c - '0')
		if c-'0' > 9 || v < (math.MinInt64+d)/10 {
			return 0, false
		}
		v = v*10 - d // negative, since the range is wider there
	}
	if negative {
		return v, true
	}
	return -v, v != math.MinInt64
}

// ParseFloat reads a DOUBLE or FLOAT (64 or 32 bits) as Java does, with Spark's names
// for infinities and NaN in any case.
func ParseFloat(s []byte, bits int) (float64, bool) {
	s = Trim(s)
	if len(s) == 0 {
		return 0, false
	}
	text := string(s)
	switch last := s[len(s)-1]; {
	case last == 'd' || last == 'D' || last == 'F' || last == 'f':
		if n := len(s) - 1; n > 0 && (s[n-1] == '.' || s[n-1]-'0' <= 9) {
			text = text[:n]
		}
	case last > '9':
		return special(text)
	}
	if strings.ContainsAny(text, "xX_pPiIn") {
		return special(text)
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

func special(s string) (float64, bool) {
	switch strings.ToLower(s) {
	case "nan":
		return math.NaN(), true
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

func contains(s []byte, c byte) bool {
	for _, x := range s {
		if x == c {
			return true
		}
	}
	return false
}

// ParseBool reads t, true, y, yes, 1 and their opposites in any case.
func ParseBool(s []byte) (v, ok bool) {
	s = Trim(s)
	if len(s) > 5 {
		return false, false
	}
	switch strings.ToLower(string(s)) {
	case "t", "true", "y", "yes", "1":
		return true, true
	case "f", "false", "n", "no", "0":
		return false, true
	}
	return false, false
}
