package compute

import (
	"bytes"

	"github.com/lakewheel/lakewheel/columnar"
)

// integer are the Go types whose order is that of <.
type integer interface {
	uint8 | int8 | int16 | int32 | int64
}

// compareKernel returns the kernel of a comparison of two values of type t.
func compareKernel(op string, t columnar.Type) kernel {
	if op == "<=>" {
		return nullSafe(compareKernel("=", t))
	}
	switch t.Kind {
	case columnar.BooleanKind:
		return compareIntegers[uint8](op)
	case columnar.TinyIntKind:
		return compareIntegers[int8](op)
	case columnar.SmallIntKind:
		return compareIntegers[int16](op)
	case columnar.IntKind, columnar.DateKind, columnar.YearMonthIntervalKind:
		return compareIntegers[int32](op)
	case columnar.BigIntKind, columnar.TimestampKind, columnar.TimestampNTZKind, columnar.DayTimeIntervalKind:
		return compareIntegers[int64](op)
	case columnar.FloatKind:
		return compareFloats[float32](op)
	case columnar.DoubleKind:
		return compareFloats[float64](op)
	case columnar.DecimalKind:
		return compareDecimals(op)
	case columnar.StringKind, columnar.BinaryKind:
		return compareBytes(op)
	case columnar.ArrayKind, columnar.StructKind:
		return compareNested(op)
	}
	return func(*frame) {} // NULL against NULL: no row is live
}

func swapped(k kernel) kernel {
	return func(f *frame) {
		f.args[0], f.args[1] = f.args[1], f.args[0]
		k(f)
	}
}

func negated(k kernel) kernel {
	return func(f *frame) {
		k(f)
		values := f.out.data
		for _, i := range f.rows {
			values[i] ^= 1
		}
	}
}

// composed derives the six comparisons from = and <.
func composed(op string, equal, less kernel) kernel {
	switch op {
	case "=":
		return equal
	case "<>":
		return negated(equal)
	case "<":
		return less
	case ">":
		return swapped(less)
	case "<=":
		return negated(swapped(less))
	}
	return negated(less)
}

func compareIntegers[T integer](op string) kernel {
	switch op {
	case "<=":
		return lessEqualIntegers[T]
	case ">=":
		return swapped(lessEqualIntegers[T])
	}
	return composed(op, equalIntegers[T], lessIntegers[T])
}

func equalIntegers[T integer](f *frame) {
	a, b, am, bm, out := operands[T](f)
	if f.dense() && equalDense(a, b, am, bm, out) {
		return
	}
	for _, i := range f.rows {
		out[i] = bit(a[i&am] == b[i&bm])
	}
}

func lessIntegers[T integer](f *frame) {
	a, b, am, bm, out := operands[T](f)
	if f.dense() && lessDense(a, b, am, bm, out) {
		return
	}
	for _, i := range f.rows {
		out[i] = bit(a[i&am] < b[i&bm])
	}
}

func lessEqualIntegers[T integer](f *frame) {
	a, b, am, bm, out := operands[T](f)
	for _, i := range f.rows {
		out[i] = bit(a[i&am] <= b[i&bm])
	}
}

func operands[T fixed](f *frame) (a, b []T, am, bm int32, out []byte) {
	return slice[T](f.args[0]), slice[T](f.args[1]), f.args[0].mask(), f.args[1].mask(), f.out.data
}

type float interface{ float32 | float64 }

// compareFloats orders as Spark does: NaN equals NaN and is the largest value, and
// 0.0 equals -0.0.
func compareFloats[T float](op string) kernel {
	return composed(op, equalFloats[T], lessFloats[T])
}

func equalFloats[T float](f *frame) {
	a, b, am, bm, out := operands[T](f)
	for _, i := range f.rows {
		x, y := a[i&am], b[i&bm]
		out[i] = bit(x == y) | bit(x != x)&bit(y != y)
	}
}

func lessFloats[T float](f *frame) {
	a, b, am, bm, out := operands[T](f)
	if f.dense() && lessFloatsDense(a, b, am, bm, out) {
		return
	}
	for _, i := range f.rows {
		x, y := a[i&am], b[i&bm]
		out[i] = bit(x < y) | bit(x == x)&bit(y != y)
	}
}

func compareDecimals(op string) kernel { return composed(op, equalDecimals, lessDecimals) }

func equalDecimals(f *frame) {
	a, b, am, bm, out := operands[decimalValue](f)
	for _, i := range f.rows {
		out[i] = bit(a[i&am] == b[i&bm])
	}
}

func lessDecimals(f *frame) {
	a, b, am, bm, out := operands[decimalValue](f)
	for _, i := range f.rows {
		out[i] = bit(a[i&am].Less(b[i&bm]))
	}
}

func compareBytes(op string) kernel { return composed(op, equalBytes, lessBytes) }

// equalBytes has a loop of its own for a constant, the usual filter.
func equalBytes(f *frame) {
	a, b := f.args[0], f.args[1]
	if a.one {
		a, b = b, a
	}
	if b.one && !a.one {
		equalConstant(f, a, string(b.bytesAt(0)))
		return
	}
	for _, i := range f.rows {
		f.out.data[i] = bit(bytes.Equal(a.bytesAt(i), b.bytesAt(i)))
	}
}

func equalConstant(f *frame, a *vector, want string) {
	data, start, end, out, n := a.data, a.start, a.end, f.out.data, int32(len(want))
	for _, i := range f.rows {
		from := start[i]
		out[i] = 0
		if end[i]-from == n && string(data[from:from+n]) == want {
			out[i] = 1
		}
	}
}

func lessBytes(f *frame) {
	a, b := f.args[0], f.args[1]
	for _, i := range f.rows {
		f.out.data[i] = bit(bytes.Compare(a.bytesAt(i), b.bytesAt(i)) < 0)
	}
}

// nullSafe makes <=> of =: two NULLs are equal, one is not.
func nullSafe(equal kernel) kernel {
	return func(f *frame) {
		a, b, rows := f.args[0], f.args[1], f.rows
		both := f.ints()[:0]
		for _, i := range rows {
			an, bn := a.isNull(i), b.isNull(i)
			f.out.data[i] = bit(an && bn)
			if !an && !bn {
				both = append(both, i)
			}
		}
		f.rows = both
		equal(f)
	}
}
