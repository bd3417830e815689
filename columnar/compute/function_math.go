package compute

import (
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

var mathFunctions = []function{
	{FunctionInfo{"abs", "abs(expr)", "The absolute value.", "abs(-1) = 1"}, 1, 1, bindAbs},
	{FunctionInfo{"floor", "floor(expr)", "The largest whole number that is not above expr.", "floor(-0.1) = -1"}, 1, 1, bindWhole("floor", math.Floor)},
	{FunctionInfo{"ceil", "ceil(expr)", "The smallest whole number that is not below expr.", "ceil(-0.1) = 0"}, 1, 1, bindWhole("ceil", math.Ceil)},
	{FunctionInfo{"sqrt", "sqrt(expr)", "The square root, NaN below 0.", "sqrt(4) = 2.0"}, 1, 1, bindSqrt},
}

// bindWhole rounds a number to a BIGINT; a DECIMAL keeps its digits before the point.
func bindWhole(name string, round func(float64) float64) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		arg, err := numericParameter(name, 0, args[0])
		if err != nil {
			return nil, err
		}
		t := arg.Type()
		switch {
		case isDecimal(t):
			return wholeDecimal(name, arg), nil
		case t.Integral():
			return implicit(arg, columnar.BigInt), nil
		}
		return &call{name: name, args: []Expr{arg}, typ: columnar.BigInt, run: func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				v := round(in[0].floats[r&in[0].mask])
				switch {
				case v >= math.MaxInt64: // as Java casts
					out.ints[r] = math.MaxInt64
				case v <= math.MinInt64:
					out.ints[r] = math.MinInt64
				case v == v:
					out.ints[r] = int64(v)
				}
			}
		}}, nil
	}
}

func wholeDecimal(name string, arg Expr) Expr {
	t := arg.Type()
	scale := int(t.Scale)
	whole := columnar.Decimal(min(maxDigits, max(1, int(t.Precision)-scale+min(1, scale))), 0)
	return &call{name: name, args: []Expr{arg}, typ: whole, run: func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		for _, r := range rows {
			v := in[0].decimals[r&in[0].mask].BigInt()
			q, rest := exp10(0).QuoRem(v, exp10(scale), exp10(0))
			if name == "floor" && rest.Sign() < 0 {
				q.Sub(q, exp10(0))
			}
			if name == "ceil" && rest.Sign() > 0 {
				q.Add(q, exp10(0))
			}
			if err := storeDecimal(out, r, q, 0, whole); err != nil {
				ev.reject(out, r, err)
			}
		}
	}}
}

func bindSqrt(args []Expr) (Expr, error) {
	arg, err := numericParameter("sqrt", 0, args[0])
	if err != nil {
		return nil, err
	}
	return &call{name: "sqrt", args: []Expr{implicit(arg, columnar.Double)}, typ: columnar.Double, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
		for _, r := range rows {
			out.floats[r] = math.Sqrt(in[0].floats[r&in[0].mask])
		}
	}}, nil
}
