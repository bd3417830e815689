package compute

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var mathFunctions = []function{
	entry("abs", "abs(a)", "Absolute value.", "abs(-1)", 1, 1, bindAbs),
	entry("sign", "sign(a)", "-1.0, 0.0 or 1.0.", "sign(-3)", 1, 1, bindSign),
	entry("signum", "signum(a)", "-1.0, 0.0 or 1.0.", "signum(-3)", 1, 1, bindSign),
	entry("round", "round(a[, d])", "Rounded to d decimals, half away from zero.", "round(2.5)", 1, 2, bindRound),
	entry("bround", "bround(a[, d])", "Rounded to d decimals, half to even.", "bround(2.5)", 1, 2, bindRound),
	entry("floor", "floor(a)", "The largest integer that is not above a.", "floor(1.5)", 1, 1, bindFloor),
	entry("ceil", "ceil(a)", "The smallest integer that is not below a.", "ceil(1.5)", 1, 1, bindFloor),
	entry("ceiling", "ceiling(a)", "The smallest integer that is not below a.", "ceiling(1.5)", 1, 1, bindAlias("ceil", bindFloor)),
	entry("rint", "rint(a)", "The nearest integer as DOUBLE, half to even.", "rint(2.5)", 1, 1, bindReal(math.RoundToEven)),
	entry("sqrt", "sqrt(a)", "Square root.", "sqrt(2)", 1, 1, bindReal(math.Sqrt)),
	entry("cbrt", "cbrt(a)", "Cube root.", "cbrt(27)", 1, 1, bindReal(math.Cbrt)),
	entry("exp", "exp(a)", "e to the power of a.", "exp(1)", 1, 1, bindReal(math.Exp)),
	entry("ln", "ln(a)", "Natural logarithm; NULL unless a > 0.", "ln(2)", 1, 1, bindLog(naturalLog)),
	entry("log10", "log10(a)", "Logarithm to base 10; NULL unless a > 0.", "log10(100)", 1, 1, bindLog(log10)),
	entry("log2", "log2(a)", "Logarithm to base 2; NULL unless a > 0.", "log2(8)", 1, 1, bindLog(func(x float64) float64 { return naturalLog(x) / math.Ln2 })),
	entry("degrees", "degrees(a)", "Radians in degrees.", "degrees(3.14)", 1, 1, bindReal(func(x float64) float64 { return x * (180 / math.Pi) })),
	entry("radians", "radians(a)", "Degrees in radians.", "radians(180)", 1, 1, bindReal(func(x float64) float64 { return x * (math.Pi / 180) })),
	entry("power", "power(a, b)", "a to the power of b.", "power(2, 10)", 2, 2, bindPower),
	entry("pow", "pow(a, b)", "a to the power of b.", "pow(2, 10)", 2, 2, bindPower),
	entry("isnan", "isnan(a)", "TRUE if a is NaN.", "isnan(a)", 1, 1, bindIsNaN),
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func bindSign(name string, args []Expr) (Expr, error) {
	if args[0].Type().Interval() {
		return &call{name: name, args: args, typ: columnar.Double, run: signOfInterval}, nil
	}
	return bindReal(sign)(name, args)
}

// bindReal binds a function of one DOUBLE.
func bindReal(one func(float64) float64) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		a, err := parameter(name, 0, args[0], columnar.Double)
		if err != nil {
			return nil, err
		}
		run := func(f *frame) {
			in, m, out := slice[float64](f.args[0]), f.args[0].mask(), slice[float64](f.out)
			for _, i := range f.rows {
				out[i] = one(in[i&m])
			}
		}
		return &call{name: name, args: []Expr{a}, typ: columnar.Double, run: run}, nil
	}
}

func bindLog(one func(float64) float64) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		a, err := parameter(name, 0, args[0], columnar.Double)
		if err != nil {
			return nil, err
		}
		run := func(f *frame) {
			in, m, out := slice[float64](f.args[0]), f.args[0].mask(), slice[float64](f.out)
			for _, i := range f.rows {
				if x := in[i&m]; x <= 0 {
					f.setNull(f.out, i)
				} else {
					out[i] = one(x)
				}
			}
		}
		return &call{name: name, args: []Expr{a}, typ: columnar.Double, nullable: true, run: run}, nil
	}
}

func bindPower(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.Double, columnar.Double)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		a, b, am, bm, out := numbers[float64](f)
		for _, i := range f.rows {
			out[i] = power(a[i&am], b[i&bm])
		}
	}
	return &call{name: name, args: list, typ: columnar.Double, run: run}, nil
}

func bindIsNaN(name string, args []Expr) (Expr, error) {
	a, err := parameter(name, 0, args[0], columnar.Double)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		in, m := slice[float64](f.args[0]), f.args[0].mask()
		for _, i := range f.rows {
			f.out.data[i] = 0
			if f.args[0].isNull(i) {
				continue
			}
			f.out.data[i] = bit(math.IsNaN(in[i&m]))
		}
	}
	return &call{name: name, args: []Expr{a}, typ: columnar.Boolean, lenient: true, run: run}, nil
}

// parameters casts each argument to the type the function wants at its place.
func parameters(name string, args []Expr, want ...columnar.Type) ([]Expr, error) {
	list := make([]Expr, len(args))
	for i, a := range args {
		e, err := parameter(name, i, a, want[i])
		if err != nil {
			return nil, err
		}
		list[i] = e
	}
	return list, nil
}

func bindAbs(name string, args []Expr) (Expr, error) {
	if t := args[0].Type(); t.Interval() {
		return &call{name: name, args: args, typ: t, run: negateInterval(name, t)}, nil
	}
	a, err := numericParameter(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	return &call{name: name, args: []Expr{a}, typ: a.Type(), run: absKernel(a.Type())}, nil
}

func absKernel(t columnar.Type) kernel {
	switch t.Kind {
	case columnar.TinyIntKind:
		return absIntegers[int8]
	case columnar.SmallIntKind:
		return absIntegers[int16]
	case columnar.IntKind:
		return absIntegers[int32]
	case columnar.BigIntKind:
		return absIntegers[int64]
	case columnar.FloatKind:
		return absFloats[float32]
	case columnar.DecimalKind:
		return absDecimals
	}
	return absFloats[float64]
}

func absIntegers[T signed](f *frame) {
	in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = max(in[i&m], -in[i&m])
		if out[i] < 0 {
			f.fail(i, errNegation)
		}
	}
}

func absFloats[T float](f *frame) {
	in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = T(math.Abs(float64(in[i&m])))
	}
}

func absDecimals(f *frame) {
	in, m, out := slice[decimalValue](f.args[0]), f.args[0].mask(), slice[decimalValue](f.out)
	for _, i := range f.rows {
		out[i] = magnitude(in[i&m])
	}
}

// bindFloor binds floor and ceil: BIGINT for integers and DOUBLE, DECIMAL(_, 0) for DECIMAL.
func bindFloor(name string, args []Expr) (Expr, error) {
	a, err := numericParameter(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	up := name == "ceil"
	switch t := a.Type(); {
	case t.Integral():
		return implicit(a, columnar.BigInt), nil
	case isDecimal(t):
		whole := int(t.Precision - t.Scale)
		if t.Scale > 0 {
			whole = min(whole+1, maxDigits)
		}
		return &call{name: name, args: []Expr{a}, typ: columnar.Decimal(max(whole, 1), 0), run: floorDecimals(t, up)}, nil
	}
	return &call{name: name, args: []Expr{implicit(a, columnar.Double)}, typ: columnar.BigInt, run: floorFloats(up)}, nil
}

func floorDecimals(t columnar.Type, up bool) kernel {
	ten := decimal128.GetScaleMultiplier(int(t.Scale))
	return func(f *frame) {
		in, m, out := slice[decimalValue](f.args[0]), f.args[0].mask(), slice[decimalValue](f.out)
		for _, i := range f.rows {
			q, r := divide(in[i&m], ten)
			if up && r.Sign() > 0 {
				q = q.Add(decimal128.FromU64(1))
			}
			if !up && r.Sign() < 0 {
				q = q.Sub(decimal128.FromU64(1))
			}
			out[i] = q
		}
	}
}

// floorFloats saturates at the bounds of BIGINT and makes 0 of NaN, as Java does.
func floorFloats(up bool) kernel {
	return func(f *frame) {
		in, m, out := slice[float64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			x := math.Floor(in[i&m])
			if up {
				x = math.Ceil(in[i&m])
			}
			out[i] = saturated(x)
		}
	}
}

func saturated(x float64) int64 {
	switch {
	case x >= 1<<63:
		return math.MaxInt64
	case x <= -1<<63:
		return math.MinInt64
	case x != x:
		return 0
	}
	return int64(x)
}

// bindRound binds round (half up) and bround (half even). The number of decimals is a constant.
func bindRound(name string, args []Expr) (Expr, error) {
	a, err := numericParameter(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	digits := int64(0)
	if len(args) == 2 {
		var ok bool
		if digits, ok = integerLiteral(Fold(args[1])); !ok {
			return nil, mismatch("NON_FOLDABLE_INPUT", "%s: the number of decimals should be a constant integer, got %s.", name, args[1])
		}
	}
	t := roundType(a.Type(), int(digits))
	list := append([]Expr{a}, args[1:]...)
	return &call{name: name, args: list, typ: t, run: roundKernel(a.Type(), t, int(digits), name == "bround")}, nil
}

func roundType(t columnar.Type, digits int) columnar.Type {
	if !isDecimal(t) {
		return t
	}
	whole := int(t.Precision-t.Scale) + 1
	if digits < 0 {
		return columnar.Decimal(min(max(whole, -digits+1), maxDigits), 0)
	}
	scale := min(int(t.Scale), digits)
	return columnar.Decimal(min(whole+scale, maxDigits), scale)
}

func roundKernel(from, to columnar.Type, digits int, even bool) kernel {
	switch from.Kind {
	case columnar.TinyIntKind:
		return roundIntegers[int8](to, digits, even)
	case columnar.SmallIntKind:
		return roundIntegers[int16](to, digits, even)
	case columnar.IntKind:
		return roundIntegers[int32](to, digits, even)
	case columnar.BigIntKind:
		return roundIntegers[int64](to, digits, even)
	case columnar.DecimalKind:
		return roundDecimals(from, to, digits, even)
	case columnar.FloatKind:
		return roundFloats[float32](digits, even)
	}
	return roundFloats[float64](digits, even)
}

func roundIntegers[T signed](t columnar.Type, digits int, even bool) kernel {
	err := overflow("round", t)
	if t == columnar.TinyInt || t == columnar.SmallInt {
		err = &EvalError{"ARITHMETIC_OVERFLOW", "overflow in round; cast the number to a wider type."}
	}
	return func(f *frame) {
		in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
		for _, i := range f.rows {
			v, ok := roundInteger(int64(in[i&m]), digits, even)
			out[i] = T(v)
			if !ok || int64(T(v)) != v {
				f.fail(i, err)
			}
		}
	}
}

// roundInteger rounds to a multiple of a power of ten; digits is not above 0 where that matters.
func roundInteger(v int64, digits int, even bool) (int64, bool) {
	if digits >= 0 {
		return v, true
	}
	if digits < -19 {
		return 0, true
	}
	x := roundBig(big.NewInt(v), tenTo(-digits), even)
	return x.Int64(), x.IsInt64()
}

func roundBig(x, unit *big.Int, even bool) *big.Int {
	q, r := new(big.Int).QuoRem(x, unit, new(big.Int))
	half := r.Lsh(r, 1).CmpAbs(unit)
	if half > 0 || half == 0 && (!even || q.Bit(0) == 1) {
		q.Add(q, big.NewInt(int64(x.Sign())))
	}
	return q.Mul(q, unit)
}

func roundDecimals(from, to columnar.Type, digits int, even bool) kernel {
	shape := decimalShape{out: to}
	drop := int(from.Scale) - digits
	return func(f *frame) {
		in, m, out := slice[decimalValue](f.args[0]), f.args[0].mask(), slice[decimalValue](f.out)
		for _, i := range f.rows {
			if drop <= 0 {
				out[i] = in[i&m]
				continue
			}
			x := roundBig(in[i&m].BigInt(), tenTo(drop), even)
			x.Quo(x, tenTo(int(from.Scale-to.Scale)))
			v, err := shape.fromBig(x)
			if err != nil {
				f.fail(i, err)
				continue
			}
			out[i] = v
		}
	}
}

func roundFloats[T float](digits int, even bool) kernel {
	return func(f *frame) {
		in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
		for _, i := range f.rows {
			out[i] = T(roundFloat(float64(in[i&m]), digits, even))
		}
	}
}

// roundFloat rounds the decimal digits that x prints with as a DOUBLE, as Spark does, not its
// binary value; a FLOAT is made a DOUBLE first.
func roundFloat(x float64, digits int, even bool) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	exact, ok := new(big.Rat).SetString(string(sqltext.AppendFloat(nil, x, 64)))
	if !ok {
		return x
	}
	shift := new(big.Rat).SetInt(tenTo(max(digits, -digits)))
	if digits < 0 {
		shift.Inv(shift)
	}
	exact.Mul(exact, shift)
	unit := roundBig(exact.Num(), exact.Denom(), even)
	unit.Quo(unit, exact.Denom())
	result, _ := new(big.Rat).Quo(new(big.Rat).SetInt(unit), shift).Float64()
	return result
}

// naturalLog is math.Log, which is wrong for numbers below the least normal one where it
// is written in assembly.
func naturalLog(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func log10(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return naturalLog(x) / math.Ln10
	}
	return math.Log10(x)
}
