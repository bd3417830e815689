package sqltext

import (
	"errors"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// Reasons why text is no DECIMAL of a type.
var (
	ErrSyntax = errors.New("not a number")
	ErrRange  = errors.New("too many digits before the point")
)

// number is decimal text taken apart: digits whole and fraction, times 10^exponent.
type number struct {
	negative        bool
	whole, fraction []byte
	exponent        int
}

func scanNumber(s []byte) (n number, ok bool) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		n.negative, s = s[0] == '-', s[1:]
	}
	i := 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
	}
	n.whole, s = s[:i], s[i:]
	if len(s) > 0 && s[0] == '.' {
		i = 1
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
		}
		n.fraction, s = s[1:i], s[i:]
	}
	if len(n.whole)+len(n.fraction) == 0 {
		return n, false
	}
	if len(s) == 0 {
		return n, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return n, false
	}
	exponent, err := strconv.Atoi(string(s[1:]))
	n.exponent = exponent
	return n, err == nil && exponent <= 1<<20 && exponent >= -1<<20
}

// digit returns the i-th digit of whole and fraction together.
func (n *number) digit(i int) byte {
	if i < len(n.whole) {
		return n.whole[i] - '0'
	}
	if i -= len(n.whole); i < len(n.fraction) {
		return n.fraction[i] - '0'
	}
	return 0
}

// ParseDecimal reads the unscaled value of a DECIMAL(precision, scale). Digits beyond
// the scale are rounded half up. ErrSyntax and ErrRange are the only errors.
func ParseDecimal(s []byte, precision, scale int) (decimal128.Num, error) {
	n, ok := scanNumber(s)
	if !ok {
		return decimal128.Num{}, ErrSyntax
	}
	keep := len(n.whole) + n.exponent + scale // digits that stay
	value, ok := n.accumulate(keep)
	if !ok {
		return decimal128.Num{}, ErrRange
	}
	if keep >= 0 && n.digit(keep) >= 5 {
		value = value.Add(decimal128.FromU64(1))
	}
	if !FitsDecimal(value, precision) {
		return decimal128.Num{}, ErrRange
	}
	if n.negative {
		value = value.Negate()
	}
	return value, nil
}

// PlainDigits writes the decimal digits of other scripts as 0 to 9; false if there are
// none. Java's DECIMAL takes those of the basic plane.
func PlainDigits(s []byte) (plain []byte, ok bool) {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if d, digit := otherDigit(r); digit {
			plain, ok = append(plain, d), true
		} else {
			plain = append(plain, s[:size]...)
		}
		s = s[size:]
	}
	return plain, ok
}

// otherDigit is the digit that a character beyond ASCII stands for. Unicode keeps the
// ten of a script together.
func otherDigit(r rune) (digit byte, ok bool) {
	if r < utf8.RuneSelf {
		return 0, false
	}
	for _, block := range unicode.Nd.R16 {
		if r >= rune(block.Lo) && r <= rune(block.Hi) {
			return byte('0' + (r-rune(block.Lo))%10), true
		}
	}
	return 0, false
}

// accumulate makes a number of the first keep digits, if it has at most 38.
func (n *number) accumulate(keep int) (decimal128.Num, bool) {
	var hi, lo uint64
	significant := 0
	last := len(n.whole) + len(n.fraction)
	for i := 0; i < keep; i++ {
		d := n.digit(i)
		if significant == 0 && d == 0 {
			if i >= last {
				break // zero, whatever the exponent
			}
			continue
		}
		if significant++; significant > 38 {
			return decimal128.Num{}, false
		}
		carry, low := bits.Mul64(lo, 10)
		hi = hi*10 + carry
		lo, carry = bits.Add64(low, uint64(d), 0)
		hi += carry
	}
	return decimal128.New(int64(hi), lo), true
}

// FitsDecimal reports whether an unscaled value has at most so many digits.
func FitsDecimal(v decimal128.Num, precision int) bool {
	if hi, lo := v.HighBits(), v.LowBits(); precision <= 18 {
		limit := int64(power10[precision])
		return (hi == 0 && lo < uint64(limit)) || (hi == -1 && int64(lo) < 0 && int64(lo) > -limit)
	}
	return v.FitsInPrecision(int32(precision))
}

var power10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// ParseDecimalLiteral reads a literal and finds the smallest type for it.
func ParseDecimalLiteral(s string) (v decimal128.Num, precision, scale int, err error) {
	n, ok := scanNumber([]byte(s))
	if !ok {
		return v, 0, 0, ErrSyntax
	}
	scale = max(0, len(n.fraction)-n.exponent)
	if scale > 38 {
		return v, 0, 0, ErrRange
	}
	if v, err = ParseDecimal([]byte(s), 38, scale); err != nil {
		return v, 0, 0, err
	}
	for precision = max(scale, 1); !FitsDecimal(v, precision); precision++ {
	}
	return v, precision, scale, nil
}

// AppendDecimal prints an unscaled value with its scale: "12.50".
func AppendDecimal(dst []byte, v decimal128.Num, scale int) []byte {
	if v.Sign() < 0 {
		dst, v = append(dst, '-'), v.Negate()
	}
	var scratch [48]byte
	text := appendUnsigned(scratch[:0], v)
	for pad := scale + 1 - len(text); pad > 0; pad-- {
		dst = append(dst, '0')
		if len(dst) > 0 && pad == scale+1-len(text) && scale > 0 {
			dst = append(dst, '.')
		}
	}
	if whole := len(text) - scale; whole > 0 {
		dst = append(dst, text[:whole]...)
		if scale > 0 {
			dst = append(dst, '.')
		}
		text = text[whole:]
	}
	return append(dst, text...)
}

func appendUnsigned(dst []byte, v decimal128.Num) []byte {
	if v.HighBits() == 0 {
		return strconv.AppendUint(dst, v.LowBits(), 10)
	}
	const chunk uint64 = 1e19
	hi, lo := uint64(v.HighBits()), v.LowBits()
	q1, r := hi/chunk, hi%chunk
	q0, rest := bits.Div64(r, lo, chunk)
	dst = appendUnsigned(dst, decimal128.New(int64(q1), q0))
	from := len(dst)
	dst = append(dst, "0000000000000000000"...)
	for i := len(dst) - 1; i >= from; i-- {
		dst[i] = byte('0' + rest%10)
		rest /= 10
	}
	return dst
}
