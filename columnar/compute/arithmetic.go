package compute

import (
	"math"
	"unsafe"

	"github.com/lakewheel/lakewheel/columnar"
)

var errDivideByZero = &EvalError{"DIVIDE_BY_ZERO", "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."}

var tryNames = map[string]string{"+": "try_add", "-": "try_subtract", "*": "try_multiply"}

func overflow(op string, t columnar.Type) error {
	if t == columnar.TinyInt || t == columnar.SmallInt {
		if op == "negation" || op == "abs" {
			return &EvalError{"ARITHMETIC_OVERFLOW", t.String() + " overflow in " + op + "; cast the operand to a wider type."}
		}
		return &EvalError{"BINARY_ARITHMETIC_OVERFLOW", t.String() + " overflow in " + op + "; cast the operands to a wider type."}
	}
	name := map[columnar.Kind]string{columnar.IntKind: "integer", columnar.BigIntKind: "long"}[t.Kind]
	text := name + " overflow."
	if try, ok := tryNames[op]; ok {
		text += " Use `" + try + "` to tolerate overflow and return NULL instead."
	}
	return &EvalError{"ARITHMETIC_OVERFLOW", text}
}

// errNegation is the failure of - and abs() where the type has no such number.
var errNegation = &EvalError{"ARITHMETIC_OVERFLOW", "overflow: the type has no positive number for its least one."}

func arithmeticKernel(op string, t columnar.Type) kernel {
	switch t.Kind {
	case columnar.TinyIntKind:
		return integerArithmetic[int8](op, t)
	case columnar.SmallIntKind:
		return integerArithmetic[int16](op, t)
	case columnar.IntKind:
		return integerArithmetic[int32](op, t)
	case columnar.BigIntKind:
		return integerArithmetic[int64](op, t)
	case columnar.FloatKind:
		return floatArithmetic[float32](op)
	}
	return floatArithmetic[float64](op)
}

type signed interface {
	int8 | int16 | int32 | int64
}

// numbers are the operands and the output of a binary kernel over one type.
func numbers[T fixed](f *frame) (a, b []T, am, bm int32, out []T) {
	return slice[T](f.args[0]), slice[T](f.args[1]), f.args[0].mask(), f.args[1].mask(), slice[T](f.out)
}

func integerArithmetic[T signed](op string, t columnar.Type) kernel {
	err := overflow(op, t)
	switch op {
	case "+":
		return func(f *frame) { addIntegers[T](f, err) }
	case "-":
		return func(f *frame) { subtractIntegers[T](f, err) }
	case "*":
		return func(f *frame) { multiplyIntegers[T](f, err) }
	case "div":
		return func(f *frame) { divideIntegers[T](f, err) }
	case "%":
		return remainderIntegers[T]
	}
	return positiveRemainderIntegers[T]
}

func addIntegers[T signed](f *frame, err error) {
	a, b, am, bm, out := numbers[T](f)
	if f.dense() && addExactDense(a, b, out, am, bm) {
		return
	}
	for _, i := range f.rows {
		x, y := a[i&am], b[i&bm]
		sum := x + y
		out[i] = sum
		if (x^sum)&(y^sum) < 0 {
			f.fail(i, err)
		}
	}
}

func subtractIntegers[T signed](f *frame, err error) {
	a, b, am, bm, out := numbers[T](f)
	if f.dense() && subtractExactDense(a, b, out, am, bm) {
		return
	}
	for _, i := range f.rows {
		x, y := a[i&am], b[i&bm]
		difference := x - y
		out[i] = difference
		if (x^y)&(x^difference) < 0 {
			f.fail(i, err)
		}
	}
}

func multiplyIntegers[T signed](f *frame, err error) {
	a, b, am, bm, out := numbers[T](f)
	for _, i := range f.rows {
		x, y := a[i&am], b[i&bm]
		product := x * y
		out[i] = product
		if small(x) && small(y) {
			continue
		}
		if x != 0 && (product/x != y || x == -1 && y < 0 && product < 0) {
			f.fail(i, err)
		}
	}
}

// small reports whether the product of two such factors always fits T; it spares the division.
func small[T signed](x T) bool {
	half := T(1) << (unsafe.Sizeof(x)*4 - 1)
	return x < half && x >= -half
}

func divideIntegers[T signed](f *frame, err error) {
	a, b, am, bm, out := numbers[T](f)
	for _, i := range f.rows {
		x, y := a[i&am], b[i&bm]
		if y == 0 {
			f.fail(i, errDivideByZero)
			continue
		}
		out[i] = x / y
		if y == -1 && x < 0 && out[i] < 0 {
			f.fail(i, err)
		}
	}
}

func remainderIntegers[T signed](f *frame) {
	a, b, am, bm, out := numbers[T](f)
	for _, i := range f.rows {
		if b[i&bm] == 0 {
			f.fail(i, errDivideByZero)
			continue
		}
		out[i] = a[i&am] % b[i&bm]
	}
}

func positiveRemainderIntegers[T signed](f *frame) {
	a, b, am, bm, out := numbers[T](f)
	for _, i := range f.rows {
		y := b[i&bm]
		if y == 0 {
			f.fail(i, errDivideByZero)
			continue
		}
		r := a[i&am] % y
		switch {
		case r >= 0:
		case unsafe.Sizeof(r) < 4: // Java computes what is shorter than an INT as an INT
			r = T((int32(r) + int32(y)) % int32(y))
		default:
			r = (r + y) % y
		}
		out[i] = r
	}
}

func floatArithmetic[T float](op string) kernel {
	switch op {
	case "+":
		return addFloats[T]
	case "-":
		return subtractFloats[T]
	case "*":
		return multiplyFloats[T]
	case "/":
		return divideFloats[T]
	}
	return func(f *frame) { remainderFloats[T](f, op == "pmod") }
}

func addFloats[T float](f *frame) {
	a, b, am, bm, out := numbers[T](f)
	if f.dense() && addDense(a, b, out, am, bm) {
		return
	}
	for _, i := range f.rows {
		out[i] = a[i&am] + b[i&bm]
	}
}

func subtractFloats[T float](f *frame) {
	a, b, am, bm, out := numbers[T](f)
	if f.dense() && subtractDense(a, b, out, am, bm) {
		return
	}
	for _, i := range f.rows {
		out[i] = a[i&am] - b[i&bm]
	}
}

func multiplyFloats[T float](f *frame) {
	a, b, am, bm, out := numbers[T](f)
	if f.dense() && multiplyDense(a, b, out, am, bm) {
		return
	}
	for _, i := range f.rows {
		out[i] = a[i&am] * b[i&bm]
	}
}

func divideFloats[T float](f *frame) {
	a, b, am, bm, out := numbers[T](f)
	for _, i := range f.rows {
		if b[i&bm] == 0 {
			f.fail(i, errDivideByZero)
			continue
		}
		out[i] = a[i&am] / b[i&bm]
	}
}

func remainderFloats[T float](f *frame, positive bool) {
	a, b, am, bm, out := numbers[T](f)
	for _, i := range f.rows {
		x, y := float64(a[i&am]), float64(b[i&bm])
		if y == 0 {
			f.fail(i, errDivideByZero)
			continue
		}
		r := math.Mod(x, y)
		if positive && r < 0 {
			r = math.Mod(r+y, y)
		}
		out[i] = T(r)
	}
}

func negateKernel(t columnar.Type) kernel {
	switch t.Kind {
	case columnar.TinyIntKind:
		return negateIntegers[int8]
	case columnar.SmallIntKind:
		return negateIntegers[int16]
	case columnar.IntKind:
		return negateIntegers[int32]
	case columnar.BigIntKind:
		return negateIntegers[int64]
	case columnar.FloatKind:
		return negateFloats[float32]
	case columnar.DecimalKind:
		return negateDecimals
	}
	return negateFloats[float64]
}

func negateIntegers[T signed](f *frame) {
	a, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = -a[i&m]
		if out[i] != 0 && out[i] == a[i&m] {
			f.fail(i, errNegation)
		}
	}
}

func negateFloats[T float](f *frame) {
	a, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = -a[i&m]
	}
}

func negateDecimals(f *frame) {
	a, m, out := slice[decimalValue](f.args[0]), f.args[0].mask(), slice[decimalValue](f.out)
	for _, i := range f.rows {
		out[i] = a[i&m].Negate()
	}
}
