package compute

import (
	"fmt"
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

type decimalValue = decimal128.Num

// decimalShape is what a decimal kernel needs to know of its types.
type decimalShape struct {
	op     string
	l, r   columnar.Type
	out    columnar.Type
	narrow bool // every intermediate value fits 128 bits
}

// decimalKernel computes an operator exactly, rounds half up to the scale of the
// result and fails the row if the precision does not suffice.
func decimalKernel(op string, l, r, out columnar.Type) kernel {
	s := decimalShape{op: op, l: l, r: r, out: out}
	s.narrow = s.fitsNarrow()
	if op == "div" {
		return s.integralDivide
	}
	divides := op == "/" || op == "%" || op == "pmod"
	combine := s.wide
	if s.narrow {
		combine = s.fast
	}
	return func(f *frame) {
		a, b, am, bm, to := numbers[decimalValue](f)
		for _, i := range f.rows {
			if divides && b[i&bm].Sign() == 0 {
				f.fail(i, errDivideByZero)
				continue
			}
			v, err := combine(a[i&am], b[i&bm])
			if err != nil {
				f.fail(i, err)
				continue
			}
			to[i] = v
		}
	}
}

func (s decimalShape) fitsNarrow() bool {
	p1, s1, p2, s2 := int(s.l.Precision), int(s.l.Scale), int(s.r.Precision), int(s.r.Scale)
	switch s.op {
	case "+", "-":
		return max(p1-s1, p2-s2)+max(s1, s2)+1 <= maxDigits
	case "*":
		return p1+p2 <= maxDigits && int(s.out.Scale) == s1+s2
	case "/":
		return p1+int(s.out.Scale)-s1+s2 <= maxDigits
	}
	return p1-s1+max(s1, s2) <= maxDigits && p2-s2+max(s1, s2) <= maxDigits
}

// fast computes in 128 bits.
func (s decimalShape) fast(a, b decimalValue) (decimalValue, error) {
	switch s.op {
	case "+":
		a, b = s.aligned(a, b)
		return a.Add(b), nil
	case "-":
		a, b = s.aligned(a, b)
		return a.Sub(b), nil
	case "*":
		return a.Mul(b), nil
	case "/":
		shift := int(s.out.Scale) - int(s.l.Scale) + int(s.r.Scale)
		return s.checked(divideRounded(a.Mul(decimal128.GetScaleMultiplier(shift)), b))
	}
	a, b = s.aligned(a, b)
	return s.remainder(a, b)
}

func (s decimalShape) aligned(a, b decimalValue) (decimalValue, decimalValue) {
	if s.l.Scale < s.r.Scale {
		a = a.Mul(decimal128.GetScaleMultiplier(int(s.r.Scale - s.l.Scale)))
	} else if s.r.Scale < s.l.Scale {
		b = b.Mul(decimal128.GetScaleMultiplier(int(s.l.Scale - s.r.Scale)))
	}
	return a, b
}

func (s decimalShape) remainder(a, b decimalValue) (decimalValue, error) {
	_, r := divide(a, b)
	if s.op == "pmod" && r.Sign() < 0 {
		_, r = divide(r.Add(b), b)
	}
	return s.checked(r)
}

func (s decimalShape) checked(v decimalValue) (decimalValue, error) {
	if !sqltext.FitsDecimal(v, int(s.out.Precision)) {
		return v, outOfRange(string(sqltext.AppendDecimal(nil, v, int(s.out.Scale))), s.out)
	}
	return v, nil
}

func outOfRange(value string, t columnar.Type) error {
	return &EvalError{"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", fmt.Sprintf("The value %s cannot be represented as %s; use a wider DECIMAL or try_cast.", value, t)}
}

// divide is the truncated quotient and the remainder, which has the sign of a.
func divide(a, b decimalValue) (q, r decimalValue) {
	x, y := magnitude(a), magnitude(b)
	if y.HighBits() != 0 {
		return a.Div(b)
	}
	d := y.LowBits()
	hi, lo := uint64(x.HighBits()), x.LowBits()
	q1, rest := hi/d, hi%d
	q0, rest := bits.Div64(rest, lo, d)
	q, r = decimal128.New(int64(q1), q0), decimal128.FromU64(rest)
	if a.Sign() < 0 {
		r = r.Negate()
	}
	if (a.Sign() < 0) != (b.Sign() < 0) {
		q = q.Negate()
	}
	return q, r
}

func magnitude(a decimalValue) decimalValue {
	if a.Sign() < 0 {
		return a.Negate()
	}
	return a
}

// divideRounded is the quotient rounded half up, away from zero.
func divideRounded(a, b decimalValue) decimalValue {
	q, r := divide(a, b)
	twice := magnitude(r)
	if twice = twice.Add(twice); twice.Less(magnitude(b)) {
		return q
	}
	if (a.Sign() < 0) != (b.Sign() < 0) {
		return q.Sub(decimal128.FromU64(1))
	}
	return q.Add(decimal128.FromU64(1))
}

// wide computes with big integers, for types whose intermediate values leave 128 bits.
func (s decimalShape) wide(a, b decimalValue) (decimalValue, error) {
	x, y := a.BigInt(), b.BigInt()
	scale := max(int(s.l.Scale), int(s.r.Scale))
	switch s.op {
	case "*":
		return s.rounded(x.Mul(x, y), int(s.l.Scale)+int(s.r.Scale))
	case "/":
		return s.quotient(x, y)
	}
	x.Mul(x, tenTo(scale-int(s.l.Scale)))
	y.Mul(y, tenTo(scale-int(s.r.Scale)))
	switch s.op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	default:
		x.Rem(x, y)
		if s.op == "pmod" && x.Sign() < 0 {
			x.Add(x, y).Rem(x, y)
		}
	}
	return s.rounded(x, scale)
}

func (s decimalShape) quotient(x, y *big.Int) (decimalValue, error) {
	shift := int(s.out.Scale) - int(s.l.Scale) + int(s.r.Scale)
	if shift >= 0 {
		x.Mul(x, tenTo(shift))
	} else {
		y.Mul(y, tenTo(-shift))
	}
	return s.fromBig(roundedQuotient(x, y))
}

func (s decimalShape) rounded(x *big.Int, scale int) (decimalValue, error) {
	if drop := scale - int(s.out.Scale); drop > 0 {
		x = roundedQuotient(x, tenTo(drop))
	}
	return s.fromBig(x)
}

func roundedQuotient(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Lsh(r, 1).CmpAbs(y) >= 0 {
		q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
	}
	return q
}

func (s decimalShape) fromBig(x *big.Int) (decimalValue, error) {
	if x.BitLen() > 127 {
		return decimalValue{}, outOfRange(string(columnar.AppendDecimal(nil, x, int(s.out.Scale))), s.out)
	}
	return s.checked(decimal128.FromBigInt(x))
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// integralDivide is div: the quotient without its fraction, as BIGINT.
func (s decimalShape) integralDivide(f *frame) {
	a, b, am, bm := slice[decimalValue](f.args[0]), slice[decimalValue](f.args[1]), f.args[0].mask(), f.args[1].mask()
	to := slice[int64](f.out)
	for _, i := range f.rows {
		y := b[i&bm].BigInt()
		if y.Sign() == 0 {
			f.fail(i, errDivideByZero)
			continue
		}
		x := a[i&am].BigInt()
		x.Mul(x, tenTo(int(s.r.Scale)))
		x.Quo(x, y.Mul(y, tenTo(int(s.l.Scale))))
		if !x.IsInt64() {
			f.fail(i, overflow("div", columnar.BigInt))
			continue
		}
		to[i] = x.Int64()
	}
}

// rescale changes scale and precision, rounding half up.
func rescale(v decimalValue, from, to columnar.Type) (decimalValue, bool) {
	switch {
	case to.Scale > from.Scale:
		up := int(to.Scale - from.Scale)
		if int(to.Precision) < up || !sqltext.FitsDecimal(v, int(to.Precision)-up) {
			return v, v.Sign() == 0
		}
		return v.Mul(decimal128.GetScaleMultiplier(up)), true
	case to.Scale < from.Scale:
		v = divideRounded(v, decimal128.GetScaleMultiplier(int(from.Scale-to.Scale)))
	}
	return v, sqltext.FitsDecimal(v, int(to.Precision))
}
