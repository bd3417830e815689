package sqltext

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// AppendFloat prints a DOUBLE or FLOAT (64 or 32 bits) as Java 17 does: "1.0", "1.0E10".
// Its digits are the shortest that read back the same, but for some large numbers,
// powers of two and subnormal numbers.
func AppendFloat(dst []byte, v float64, size int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 0):
		if v < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...)
	}
	if math.Signbit(v) {
		dst, v = append(dst, '-'), -v
	}
	if v == 0 {
		return append(dst, "0.0"...)
	}
	var scratch [40]byte
	digits, exponent := javaDigits(scratch[:0], v, size)
	if exponent > -3 && exponent <= 7 {
		return appendPlain(dst, digits, exponent)
	}
	dst = append(append(dst, digits[0]), '.')
	if len(digits) == 1 {
		dst = append(dst, '0')
	}
	dst = append(append(dst, digits[1:]...), 'E')
	return strconv.AppendInt(dst, int64(exponent-1), 10)
}

// appendPlain prints 0.digits times ten to the exponent without an exponent.
func appendPlain(dst, digits []byte, exponent int) []byte {
	if exponent <= 0 {
		dst = append(dst, "0."...)
		for ; exponent < 0; exponent++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	for i := range exponent {
		if i < len(digits) {
			dst = append(dst, digits[i])
		} else {
			dst = append(dst, '0')
		}
	}
	if len(digits) <= exponent {
		return append(dst, ".0"...)
	}
	return append(append(dst, '.'), digits[exponent:]...)
}

// javaDigits are the digits d of v = 0.d times ten to the exponent.
func javaDigits(dst []byte, v float64, size int) (digits []byte, exponent int) {
	b := unpack(v, size)
	if b.tiny == 0 && b.exponent <= 62 {
		return b.wholeDigits(dst)
	}
	// A shortest number on the very edge of what reads back the same, which Java leaves
	// out, is at least as large as this.
	edge := float64(1 << 52)
	if size == 32 {
		edge = 1 << 22
	}
	if v < edge && b.length > 1 && b.precise == b.full {
		if digits, exponent = shortest(dst, v, size); len(digits) > 1 || exponent > -3 && exponent <= 8 {
			return digits, exponent
		}
	}
	return b.generate(dst[:0])
}

// shortest are the fewest digits that read back the same.
func shortest(dst []byte, v float64, size int) (digits []byte, exponent int) {
	var scratch [40]byte
	text := strconv.AppendFloat(scratch[:0], v, 'e', -1, size)
	at := 0
	for ; text[at] != 'e'; at++ {
		if text[at] != '.' {
			dst = append(dst, text[at])
		}
	}
	negative := text[at+1] == '-'
	for _, c := range text[at+2:] {
		exponent = exponent*10 + int(c-'0')
	}
	if negative {
		exponent = -exponent
	}
	return dst, exponent + 1
}

// binary is a floating number taken apart: fraction has its 53 bits, the highest is set,
// length of them up to the last that is set, precise of them significant.
type binary struct {
	fraction              uint64
	exponent              int
	length, precise, full int
	tiny                  int // bits behind the point
}

func unpack(v float64, size int) (b binary) {
	const mask = 1<<52 - 1
	raw := math.Float64bits(v)
	b.full, b.exponent, b.fraction = 53, int(raw>>52)-1023, raw&mask|1<<52
	least := -1022
	if size == 32 {
		b.full, least = 24, -126
	}
	if b.exponent == -1023 { // subnormal
		zeros := bits.LeadingZeros64(raw & mask)
		b.fraction, b.exponent = raw&mask<<(zeros-11), -1022-(zeros-11)
	}
	b.precise = b.full - max(0, least-b.exponent)
	b.length = 53 - bits.TrailingZeros64(b.fraction)
	b.tiny = max(0, b.length-b.exponent-1)
	return b
}

// wholeDigits prints an integer below 2^63; decimal digits below its precision are rounded away.
func (b binary) wholeDigits(dst []byte) (digits []byte, exponent int) {
	n := b.fraction
	if b.exponent >= 52 {
		n <<= b.exponent - 52
	} else {
		n >>= 52 - b.exponent
	}
	if p := b.exponent - b.precise - 1; p > 3 {
		exponent = p * 30103 / 100000 // digits that p bits are good for
		unit := power10[exponent]
		rest := n % unit
		n /= unit
		if rest >= unit/2 {
			n++
		}
	}
	digits = strconv.AppendUint(dst, n, 10)
	exponent += len(digits)
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits, exponent
}

// powerBits is the number of bits of a power of five, at least.
func powerBits(n int) int {
	if n == 0 {
		return 0
	}
	if n < 27 {
		return n*2322/1000 + 1
	}
	return n * 3
}

// generate makes digits one by one until what is left is within half of the number's
// last place, and at least two where the number has an exponent.
func (b binary) generate(dst []byte) (digits []byte, exponent int) {
	mantissa := math.Float64frombits(1023<<52 | b.fraction&(1<<52-1))
	exponent = int(math.Floor((mantissa-1.5)*0.289529654 + 0.176091259 + float64(b.exponent)*0.301029995663981))
	b5, s5 := max(0, -exponent), max(0, exponent)
	b2, s2 := b5+b.tiny+b.exponent, s5+b.tiny
	m2 := b2 - b.precise
	b2 -= b.length - 1
	common := min(b2, s2)
	b2, s2, m2 = b2-common, s2-common, m2-common
	if b.length == 1 {
		m2--
	}
	if m2 < 0 {
		b2, s2, m2 = b2-m2, s2-m2, 0
	}
	small := b.length+b2+powerBits(b5) < 64 && s2+1+powerBits(s5+1) < 64
	rest := scaled(b.fraction>>(53-b.length), b5, b2)
	unit, margin := scaled(1, s5, s2), scaled(1, b5, m2)
	return develop(dst, exponent, rest, unit, margin, small)
}

func scaled(n uint64, fives, twos int) *big.Int {
	x := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(fives)), nil)
	return x.Mul(x, new(big.Int).SetUint64(n)).Lsh(x, uint(twos))
}

func develop(dst []byte, exponent int, rest, unit, margin *big.Int, small bool) ([]byte, int) {
	ten, tens := big.NewInt(10), new(big.Int)
	tens.Mul(unit, ten)
	digit, sum := new(big.Int), new(big.Int)
	low, high := false, false
	for first := true; first || !low && !high; first = false {
		digit.QuoRem(rest, unit, rest)
		rest.Mul(rest, ten)
		margin.Mul(margin, ten)
		low = rest.Cmp(margin) < 0
		compared := sum.Add(rest, margin).Cmp(tens)
		high = compared > 0 || compared == 0 && !small
		if first && digit.Sign() == 0 && !high {
			exponent--
		} else {
			dst = append(dst, byte('0'+digit.Int64()))
		}
		if first && (exponent < -3 || exponent >= 8) {
			low, high = false, false
		}
	}
	half := rest.Lsh(rest, 1).Cmp(tens)
	if high && (!low || half > 0 || half == 0 && (dst[len(dst)-1]-'0')&1 != 0) {
		return roundUp(dst, exponent+1)
	}
	return dst, exponent + 1
}

// roundUp adds one to the last digit.
func roundUp(digits []byte, exponent int) ([]byte, int) {
	i := len(digits) - 1
	for ; i >= 0 && digits[i] == '9'; i-- {
		digits[i] = '0'
	}
	if i >= 0 {
		digits[i]++
		return digits, exponent
	}
	digits[0] = '1'
	return digits, exponent + 1
}
