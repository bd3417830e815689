package columnar

import (
	"bytes"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// ParseDecimal reads a number as a value of DECIMAL type t: digits with an optional sign, point and exponent. Digits behind the scale are rounded half up,
// away from zero; a value with too many digits before the point is not ok.
func ParseDecimal(text []byte, t Type) (decimal128.Num, bool) {
	d, ok := scanDecimal(text)
	if !ok {
		return decimal128.Num{}, false
	}
	shift := int(t.Scale) - d.behind + d.exponent
	if d.count <= 18 && shift >= 0 && shift+d.count <= 18 {
		v := int64(d.small) * pow10(shift)
		if d.negative {
			v = -v
		}
		return decimal128.FromI64(v), d.count+shift <= int(t.Precision) || abs64(v) < pow10(int(t.Precision))
	}
	return d.slow(shift, t)
}

// decimalDigits is a number as it stands in a text: digits * 10^(exponent-behind).
type decimalDigits struct {
	text     []byte // digits and point, without sign and exponent
	small    uint64 // the digits, if there are at most 18
	count    int    // digits without leading zeros
	behind   int    // digits behind the point
	exponent int
	negative bool
}

// maxExponent bounds exponents: beyond it a value is 0 or does not fit any DECIMAL.
const maxExponent = 1000

func scanDecimal(text []byte) (d decimalDigits, ok bool) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		d.negative, text = text[0] == '-', text[1:]
	}
	d.text = text
	seen, point := 0, false
	for i, c := range text {
		switch {
		case c-'0' < 10:
			seen++
			if point {
				d.behind++
			}
			if c == '0' && d.count == 0 {
				continue
			}
			d.count++
			if d.count <= 18 {
				d.small = d.small*10 + uint64(c-'0')
			}
		case c == '.' && !point:
			point = true
		case (c == 'e' || c == 'E') && seen > 0:
			d.text = text[:i]
			return d, d.scanExponent(text[i+1:])
		default:
			return d, false
		}
	}
	return d, seen > 0
}

func (d *decimalDigits) scanExponent(text []byte) bool {
	sign := 1
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	v := 0
	for _, c := range text {
		if c-'0' >= 10 {
			return false
		}
		v = min(maxExponent, v*10+int(c-'0'))
	}
	d.exponent = sign * v
	return len(text) > 0
}

func (d *decimalDigits) slow(shift int, t Type) (decimal128.Num, bool) {
	if d.count == 0 {
		return decimal128.Num{}, true
	}
	if d.count+shift > int(t.Precision) {
		return decimal128.Num{}, false
	}
	if d.count+shift < 0 {
		return decimal128.Num{}, true // rounds to 0
	}
	digits := bytes.TrimLeft(bytes.ReplaceAll(d.text, []byte("."), nil), "0")
	up := false
	if shift < 0 {
		up = digits[len(digits)+shift] >= '5'
		digits = digits[:len(digits)+shift]
	}
	n := new(big.Int)
	n.SetString("0"+string(digits), 10)
	if up {
		n.Add(n, big.NewInt(1))
	}
	if shift > 0 {
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil))
	}
	if n.Cmp(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Precision)), nil)) >= 0 {
		return decimal128.Num{}, false
	}
	if d.negative {
		n.Neg(n)
	}
	return decimal128.FromBigInt(n), true
}

func pow10(n int) int64 {
	v := int64(1)
	for range n {
		v *= 10
	}
	return v
}

func abs64(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
