package compute

import (
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

// realFunctions are the functions over DOUBLE that textbooks list.
var realFunctions = []function{
	entry("sin", "sin(a)", "Sine of radians.", "sin(0)", 1, 1, bindReal(math.Sin)),
	entry("cos", "cos(a)", "Cosine of radians.", "cos(0)", 1, 1, bindReal(math.Cos)),
	entry("tan", "tan(a)", "Tangent of radians.", "tan(0)", 1, 1, bindReal(math.Tan)),
	entry("cot", "cot(a)", "Cotangent of radians.", "cot(1)", 1, 1, bindReal(inverse(math.Tan))),
	entry("sec", "sec(a)", "Secant of radians.", "sec(0)", 1, 1, bindReal(inverse(math.Cos))),
	entry("csc", "csc(a)", "Cosecant of radians.", "csc(1)", 1, 1, bindReal(inverse(math.Sin))),
	entry("asin", "asin(a)", "Arc sine; NaN beyond -1 to 1.", "asin(0)", 1, 1, bindReal(math.Asin)),
	entry("acos", "acos(a)", "Arc cosine; NaN beyond -1 to 1.", "acos(1)", 1, 1, bindReal(math.Acos)),
	entry("atan", "atan(a)", "Arc tangent.", "atan(0)", 1, 1, bindReal(math.Atan)),
	entry("atan2", "atan2(y, x)", "Angle of the point (x, y).", "atan2(0, 0)", 2, 2, bindTwoReals(atan2)),
	entry("sinh", "sinh(a)", "Hyperbolic sine.", "sinh(0)", 1, 1, bindReal(math.Sinh)),
	entry("cosh", "cosh(a)", "Hyperbolic cosine.", "cosh(0)", 1, 1, bindReal(math.Cosh)),
	entry("tanh", "tanh(a)", "Hyperbolic tangent.", "tanh(0)", 1, 1, bindReal(math.Tanh)),
	entry("asinh", "asinh(a)", "Inverse hyperbolic sine.", "asinh(0)", 1, 1, bindReal(asinh)),
	entry("acosh", "acosh(a)", "Inverse hyperbolic cosine; NaN below 1.", "acosh(1)", 1, 1, bindReal(acosh)),
	entry("atanh", "atanh(a)", "Inverse hyperbolic tangent; NaN beyond -1 to 1.", "atanh(0)", 1, 1, bindReal(atanh)),
	entry("e", "e()", "Euler's number.", "e()", 0, 0, bindRealConstant(math.E)),
	entry("pi", "pi()", "Pi.", "pi()", 0, 0, bindRealConstant(math.Pi)),
	entry("hypot", "hypot(a, b)", "sqrt(a*a + b*b) without overflow on the way.", "hypot(3, 4)", 2, 2, bindTwoReals(math.Hypot)),
	entry("log", "log([base, ]a)", "Logarithm, natural without a base; NULL unless both are above 0.", "log(10, 100)", 1, 2, bindLogOfBase),
	entry("log1p", "log1p(a)", "Natural logarithm of 1 + a; NULL unless a > -1.", "log1p(0)", 1, 1, bindLog1p),
	entry("expm1", "expm1(a)", "e to the power of a, minus 1.", "expm1(0)", 1, 1, bindReal(math.Expm1)),
	entry("nanvl", "nanvl(a, b)", "b where a is NaN, else a.", "nanvl(double('NaN'), 0)", 2, 2, bindNanvl),
	entry("factorial", "factorial(n)", "n!; NULL unless n is 0 to 20.", "factorial(5)", 1, 1, bindFactorial),
	entry("width_bucket", "width_bucket(a, from, to, n)", "Which of n equal parts of from..to holds a: 1 to n, 0 before and n + 1 behind.", "width_bucket(5.3, 0.2, 10.6, 5)", 4, 4, bindWidthBucket),
}

func inverse(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 { return 1 / f(x) }
}

// The inverse hyperbolic functions are Spark's formulas, not the best ones: asinh of a
// large negative number is -Infinity there, and so it is here.

func asinh(x float64) float64 {
	if math.IsInf(x, -1) {
		return x
	}
	return math.Log(x + math.Sqrt(x*x+1))
}

func acosh(x float64) float64 { return math.Log(x + math.Sqrt(x*x-1)) }

func atanh(x float64) float64 { return 0.5 * (math.Log1p(x) - math.Log1p(-x)) }

// atan2 takes -0.0 for 0.0.
func atan2(y, x float64) float64 { return math.Atan2(y+0, x+0) }

func bindTwoReals(two func(a, b float64) float64) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		a, b, am, bm, out := numbers[float64](f)
		for _, i := range f.rows {
			out[i] = two(a[i&am], b[i&bm])
		}
	}
	return bindSimple(columnar.Double, run, columnar.Double, columnar.Double)
}

func bindRealConstant(v float64) func(string, []Expr) (Expr, error) {
	return func(string, []Expr) (Expr, error) { return Float64(v), nil }
}

// bindPartial binds a function of fixed parameter types that is NULL for some values.
func bindPartial(t columnar.Type, run kernel, want ...columnar.Type) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		list, err := parameters(name, args, want...)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: list, typ: t, nullable: true, run: run}, nil
	}
}

func bindLogOfBase(name string, args []Expr) (Expr, error) {
	if len(args) == 1 {
		return bindLog(naturalLog)(name, args)
	}
	run := func(f *frame) {
		base, a, bm, am, out := numbers[float64](f)
		for _, i := range f.rows {
			if base[i&bm] <= 0 || a[i&am] <= 0 {
				f.setNull(f.out, i)
				continue
			}
			out[i] = naturalLog(a[i&am]) / naturalLog(base[i&bm])
		}
	}
	return bindPartial(columnar.Double, run, columnar.Double, columnar.Double)(name, args)
}

func bindLog1p(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[float64](f.args[0]), f.args[0].mask(), slice[float64](f.out)
		for _, i := range f.rows {
			if x := in[i&m]; x <= -1 {
				f.setNull(f.out, i)
			} else {
				out[i] = math.Log1p(x)
			}
		}
	}
	return bindPartial(columnar.Double, run, columnar.Double)(name, args)
}

// bindNanvl evaluates b for the rows where a is NaN only.
func bindNanvl(name string, args []Expr) (Expr, error) {
	t := columnar.Double
	if args[0].Type() == columnar.Float && args[1].Type() == columnar.Float {
		t = columnar.Float
	}
	list, err := parameters(name, args, t, t)
	if err != nil {
		return nil, err
	}
	return Once(list[0], func(a Expr) (Expr, error) {
		test, err := bindIsNaN("isnan", []Expr{a})
		if err != nil {
			return nil, err
		}
		return Case([]When{{test, list[1]}}, a)
	})
}

func bindFactorial(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int32](f.args[0]), f.args[0].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			n := in[i&m]
			if n < 0 || n > 20 {
				f.setNull(f.out, i)
				continue
			}
			product := int64(1)
			for k := int64(2); k <= int64(n); k++ {
				product *= k
			}
			out[i] = product
		}
	}
	return bindPartial(columnar.BigInt, run, columnar.Int)(name, args)
}

func bindWidthBucket(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		n, nm, out := slice[int64](f.args[3]), f.args[3].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			v, ok := widthBucket(realAt(f.args[0], i), realAt(f.args[1], i), realAt(f.args[2], i), n[i&nm])
			if out[i] = v; !ok {
				f.setNull(f.out, i)
			}
		}
	}
	return bindPartial(columnar.BigInt, run, columnar.Double, columnar.Double, columnar.Double, columnar.BigInt)(name, args)
}

func realAt(v *vector, row int32) float64 { return slice[float64](v)[row&v.mask()] }

func widthBucket(x, from, to float64, n int64) (int64, bool) {
	endless := math.IsInf(from, 0) || math.IsInf(to, 0)
	if n <= 0 || n == math.MaxInt64 || endless || from == to || x != x || from != from || to != to {
		return 0, false
	}
	if from > to {
		x, from, to = -x, -from, -to
	}
	switch {
	case x < from:
		return 0, true
	case x >= to:
		return n + 1, true
	}
	return int64(float64(n)*(x-from)/(to-from)) + 1, true
}
