package decode

import (
	"strconv"
)

// number is a JSON number taken apart: mantissa * 10^exponent.
type number struct {
	start, end int
	negative   bool
	whole      bool // neither fraction nor exponent
	mantissa   uint64
	digits     int // significant ones; the mantissa is exact up to 19
	exponent   int
}

// scan reads a number by JSON's grammar.
func (n *number) scan(s []byte, i int) bool {
	n.start, n.whole = i, true
	if i < len(s) && s[i] == '-' {
		n.negative = true
		i++
	}
	first := i
	for i < len(s) && s[i]-'0' <= 9 {
		n.add(s[i] - '0')
		i++
	}
	if i == first || s[first] == '0' && i > first+1 {
		return false
	}
	if i < len(s) && s[i] == '.' {
		point := i
		for i++; i < len(s) && s[i]-'0' <= 9; i++ {
			n.add(s[i] - '0')
		}
		if n.exponent = point + 1 - i; n.exponent == 0 {
			return false
		}
		n.whole = false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if i = n.scanExponent(s, i+1); i < 0 {
			return false
		}
	}
	n.end = i
	return true
}

func (n *number) add(d byte) {
	if n.digits < 19 {
		n.mantissa = n.mantissa*10 + uint64(d)
	}
	if n.mantissa != 0 {
		n.digits++
	}
}

// shortInteger reads an integer of at most 18 digits that a delimiter follows; end is
// 0 for everything else, which the general way reads or refuses.
func shortInteger(s []byte, i int) (v int64, end int) {
	negative := s[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(s) && s[i]-'0' <= 9 {
		v = v*10 + int64(s[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || digits > 18 || digits > 1 && s[first] == '0' || i >= len(s) || s[i] != ',' && s[i] != '}' {
		return 0, 0
	}
	if negative {
		v = -v
	}
	return v, i
}

func (n *number) scanExponent(s []byte, i int) int {
	n.whole = false
	negative := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	first, e := i, 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if e < 100_000 {
			e = e*10 + int(s[i]-'0')
		}
	}
	if i == first {
		return -1
	}
	if negative {
		e = -e
	}
	n.exponent += e
	return i
}

// integer is the value as 64 bits.
func (n *number) integer() (int64, bool) {
	switch {
	case !n.whole || n.digits > 19:
		return 0, false
	case n.negative:
		return -int64(n.mantissa), n.mantissa <= 1<<63
	}
	return int64(n.mantissa), n.mantissa < 1<<63
}

var powers = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// double is the nearest DOUBLE. Small mantissas and exponents need one operation on
// two exact numbers, whose rounding is right (Clinger); the rest goes to strconv.
func (n *number) double(s []byte) (float64, bool) {
	if n.digits <= 19 && n.mantissa < 1<<53 && n.exponent >= -22 && n.exponent <= 22 {
		v := float64(n.mantissa)
		if n.exponent < 0 {
			v /= powers[-n.exponent]
		} else {
			v *= powers[n.exponent]
		}
		if n.negative {
			v = -v
		}
		return v, true
	}
	v, err := strconv.ParseFloat(string(s[n.start:n.end]), 64)
	return v, err == nil
}

// float is the nearest FLOAT.
func (n *number) float(s []byte) (float32, bool) {
	v, err := strconv.ParseFloat(string(s[n.start:n.end]), 32)
	return float32(v), err == nil
}
