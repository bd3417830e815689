package compute

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// bindArithmetic types an operator as Spark's ANSI mode does: integers widen to the larger one, DECIMAL has its own rules, / is never an integer
// division, and a string becomes BIGINT or DOUBLE.
func bindArithmetic(op string, args []Expr) (Expr, error) {
	l, r := args[0], args[1]
	t, ok := arithmeticType(op, l.Type(), r.Type())
	if !ok {
		return nil, binaryDiffTypes(op, l, r)
	}
	if !t.Numeric() {
		return nil, binaryWrongType(op, "NUMERIC", l, r)
	}
	if isDecimal(t) {
		return decimalCall(op, args), nil
	}
	c := &call{name: op, args: castAll(args, t), typ: t, text: infix(op)}
	switch {
	case isFloating(t):
		c.run = floatKernel(op, t)
	case op == "div":
		c.typ, c.run = columnar.BigInt, intKernel(op, columnar.BigInt)
	default:
		c.run = intKernel(op, t)
	}
	return c, nil
}

func arithmeticType(op string, a, b columnar.Type) (columnar.Type, bool) {
	switch {
	case a == columnar.Null && b == columnar.Null:
		return columnar.Double, true
	case a == columnar.String && b == columnar.String:
		return columnar.Double, true
	case (a.Integral() || a == columnar.Null) && (b.Integral() || b == columnar.Null) && op == "/":
		return columnar.Double, true
	case (isDecimal(a) || isDecimal(b)) && !isFloating(a) && !isFloating(b) && a.Numeric() && b.Numeric():
		return decimalFor(a), true
	}
	t, ok := wider(a, b)
	if op == "/" && t.Integral() {
		t = columnar.Double
	}
	if op == "div" && t.Integral() {
		t = columnar.BigInt
	}
	return t, ok
}

var intLimits = map[columnar.Kind]int64{columnar.TinyIntKind: math.MaxInt8, columnar.SmallIntKind: math.MaxInt16, columnar.IntKind: math.MaxInt32, columnar.BigIntKind: math.MaxInt64}

func overflow(t columnar.Type, op string) error {
	return &EvalError{"ARITHMETIC_OVERFLOW", fmt.Sprintf("%s overflows %s; use try_%s, or cast to a wider type", op, t, opNames[op])}
}

var (
	opNames      = map[string]string{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "mod", "div": "divide", "negate": "subtract", "abs": "subtract"}
	divideByZero = &EvalError{"DIVIDE_BY_ZERO", "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."}
	modByZero    = &EvalError{"REMAINDER_BY_ZERO", "Remainder by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead."}
)

// intKernel checks every result against the bounds of the type.
func intKernel(op string, t columnar.Type) kernel {
	exact := map[string]func(a, b int64) (int64, error){"+": addInt, "-": subInt, "*": mulInt, "div": divInt, "%": modInt}[op]
	limit := intLimits[t.Kind]
	return func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		a, b := in[0], in[1]
		for _, r := range rows {
			v, err := exact(a.ints[r&a.mask], b.ints[r&b.mask])
			if err == nil && (v > limit || v < -limit-1) {
				err = errOverflow
			}
			if err == errOverflow {
				err = overflow(t, op)
			}
			if err != nil {
				ev.reject(out, r, err)
				continue
			}
			out.ints[r] = v
		}
	}
}

var errOverflow = fmt.Errorf("overflow")

func addInt(a, b int64) (int64, error) {
	v := a + b
	if (a^v)&(b^v) < 0 {
		return 0, errOverflow
	}
	return v, nil
}

func subInt(a, b int64) (int64, error) {
	v := a - b
	if (a^b)&(a^v) < 0 {
		return 0, errOverflow
	}
	return v, nil
}

func mulInt(a, b int64) (int64, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	if int64(hi) != int64(lo)>>63 {
		return 0, errOverflow
	}
	return int64(lo), nil
}

func divInt(a, b int64) (int64, error) {
	switch {
	case b == 0:
		return 0, divideByZero
	case b == -1 && a == math.MinInt64:
		return 0, errOverflow
	}
	return a / b, nil
}

func modInt(a, b int64) (int64, error) {
	switch b {
	case 0:
		return 0, modByZero
	case -1:
		return 0, nil
	}
	return a % b, nil
}

func floatKernel(op string, t columnar.Type) kernel {
	single := t.Kind == columnar.FloatKind
	return func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		a, b := in[0], in[1]
		for _, r := range rows {
			x, y := a.floats[r&a.mask], b.floats[r&b.mask]
			var v float64
			switch op {
			case "+":
				v = x + y
			case "-":
				v = x - y
			case "*":
				v = x * y
			case "/":
				if y == 0 {
					ev.reject(out, r, divideByZero)
					continue
				}
				v = x / y
			default:
				if y == 0 {
					ev.reject(out, r, modByZero)
					continue
				}
				v = math.Mod(x, y)
			}
			if single {
				v = float64(float32(v))
			}
			out.floats[r] = v
		}
	}
}

// decimalCall computes over unscaled integers of any size and rounds half up to the result type.
func decimalCall(op string, args []Expr) Expr {
	a, b := decimalFor(args[0].Type()), decimalFor(args[1].Type())
	typ := columnar.BigInt
	if op != "div" {
		typ = decimalResult(op, a, b)
	}
	return &call{name: op, args: []Expr{implicit(args[0], a), implicit(args[1], b)}, typ: typ, text: infix(op),
		run: func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				x, y := in[0].decimals[r&in[0].mask].BigInt(), in[1].decimals[r&in[1].mask].BigInt()
				v, scale, err := decimalOp(op, x, y, int(a.Scale), int(b.Scale), int(typ.Scale))
				if err == nil {
					err = storeDecimal(out, r, v, scale, typ)
				}
				if err != nil {
					ev.reject(out, r, err)
				}
			}
		}}
}

// decimalOp returns the unscaled result and its scale. want is the scale a quotient needs.
func decimalOp(op string, x, y *big.Int, sx, sy, want int) (*big.Int, int, error) {
	if y.Sign() == 0 && (op == "/" || op == "div") {
		return nil, 0, divideByZero
	}
	if y.Sign() == 0 && op == "%" {
		return nil, 0, modByZero
	}
	v := new(big.Int)
	if op == "*" {
		return v.Mul(x, y), sx + sy, nil
	}
	if op == "/" { // one digit more than wanted, and a sticky one for what is cut off
		shifted := new(big.Int).Mul(x, exp10(max(0, want+2+sy-sx)))
		q, rest := v.QuoRem(shifted, y, new(big.Int))
		q.Mul(q, big.NewInt(10))
		if rest.Sign() != 0 {
			q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
		}
		return q, max(want+2, sx-sy) + 1, nil
	}
	scale := max(sx, sy)
	x, y = new(big.Int).Mul(x, exp10(scale-sx)), new(big.Int).Mul(y, exp10(scale-sy))
	switch op {
	case "+":
		v.Add(x, y)
	case "-":
		v.Sub(x, y)
	case "%":
		v.Rem(x, y)
	default: // div
		return v.Quo(x, y), 0, nil
	}
	return v, scale, nil
}

func exp10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// storeDecimal rounds v * 10^-scale half up into a row of type t.
func storeDecimal(out *vector, r int32, v *big.Int, scale int, t columnar.Type) error {
	v = rescale(v, scale, int(t.Scale))
	if t == columnar.BigInt {
		if !v.IsInt64() {
			return overflow(t, "div")
		}
		out.ints[r] = v.Int64()
		return nil
	}
	if v.CmpAbs(exp10(int(t.Precision))) >= 0 {
		return outOfRange(string(columnar.AppendDecimal(nil, v, int(t.Scale))), t)
	}
	out.decimals[r] = decimal128.FromBigInt(v)
	return nil
}

func outOfRange(value string, t columnar.Type) error {
	return &EvalError{"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", fmt.Sprintf("The %s cannot be represented as %s.", value, t)}
}

// rescale changes the scale, rounding half away from zero.
func rescale(v *big.Int, from, to int) *big.Int {
	if to >= from {
		return new(big.Int).Mul(v, exp10(to-from))
	}
	unit := exp10(from - to)
	half := new(big.Int).Quo(unit, big.NewInt(2))
	if v.Sign() < 0 {
		half.Neg(half)
	}
	return half.Add(v, half).Quo(half, unit)
}

func bindNegate(args []Expr) (Expr, error) {
	arg, err := numericParameter("negative", 0, args[0])
	if err != nil {
		return nil, err
	}
	return &call{name: "negate", args: []Expr{arg}, typ: arg.Type(), run: signKernel("negate", arg.Type(), func(negative bool) bool { return true }),
		text: func(a []Expr) string { return "(- " + a[0].String() + ")" }}, nil
}

func bindAbs(args []Expr) (Expr, error) {
	arg, err := numericParameter("abs", 0, args[0])
	if err != nil {
		return nil, err
	}
	return &call{name: "abs", args: []Expr{arg}, typ: arg.Type(), run: signKernel("abs", arg.Type(), func(negative bool) bool { return negative })}, nil
}

// signKernel negates the values that flip asks for.
func signKernel(op string, t columnar.Type, flip func(negative bool) bool) kernel {
	limit := intLimits[t.Kind]
	return func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		a := in[0]
		for _, r := range rows {
			switch {
			case isFloating(t):
				out.floats[r] = a.floats[r&a.mask]
				if flip(math.Signbit(out.floats[r])) {
					out.floats[r] = -out.floats[r]
				}
			case isDecimal(t):
				out.decimals[r] = a.decimals[r&a.mask]
				if flip(out.decimals[r].Sign() < 0) {
					out.decimals[r] = out.decimals[r].Negate()
				}
			default:
				v := a.ints[r&a.mask]
				switch {
				case !flip(v < 0):
					out.ints[r] = v
				case v == -limit-1:
					ev.reject(out, r, overflow(t, op))
				default:
					out.ints[r] = -v
				}
			}
		}
	}
}
