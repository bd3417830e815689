package compute

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/lakewheel/lakewheel/columnar"
)

// bitFunctions work on the two's complement of integers.
var bitFunctions = []function{
	entry("&", "a & b", "Bits that are set in both.", "5 & 3", 2, 2, bindBits),
	entry("|", "a | b", "Bits that are set in one.", "5 | 3", 2, 2, bindBits),
	entry("^", "a ^ b", "Bits that differ.", "5 ^ 3", 2, 2, bindBits),
	entry("~", "~ a", "All bits turned.", "~ 5", 1, 1, bindComplement),
	entry("<<", "a << n", "Bits moved to the left.", "1 << 3", 2, 2, bindBitShift("<<")),
	entry(">>", "a >> n", "Bits moved to the right; the sign stays.", "-8 >> 1", 2, 2, bindBitShift(">>")),
	entry(">>>", "a >>> n", "Bits moved to the right; zeros come in.", "-8 >>> 1", 2, 2, bindBitShift(">>>")),
	entry("shiftleft", "shiftleft(a, n)", "Bits moved to the left.", "shiftleft(1, 3)", 2, 2, bindBitShift("<<")),
	entry("shiftright", "shiftright(a, n)", "Bits moved to the right; the sign stays.", "shiftright(-8, 1)", 2, 2, bindBitShift(">>")),
	entry("shiftrightunsigned", "shiftrightunsigned(a, n)", "Bits moved to the right; zeros come in.", "shiftrightunsigned(-8, 1)", 2, 2, bindBitShift(">>>")),
	entry("bit_count", "bit_count(a)", "Number of bits that are set, of 64; 1 or 0 for a BOOLEAN.", "bit_count(255)", 1, 1, bindBitCount),
	entry("bit_get", "bit_get(a, n)", "Bit n, 0 being the lowest.", "bit_get(5, 0)", 2, 2, bindBitGet),
	entry("getbit", "getbit(a, n)", "Bit n, 0 being the lowest.", "getbit(5, 0)", 2, 2, bindBitGet),
	entry("bitmap_bit_position", "bitmap_bit_position(n)", "Place of a number in its bitmap of 32,768 bits.", "bitmap_bit_position(32769)", 1, 1, bindBigint(bitmapPosition)),
	entry("bitmap_bucket_number", "bitmap_bucket_number(n)", "Number of the bitmap of 32,768 bits that holds a number.", "bitmap_bucket_number(32769)", 1, 1, bindBigint(bitmapBucket)),
	entry("bitmap_count", "bitmap_count(b)", "Number of bits that are set in a BINARY.", "bitmap_count(X'1010')", 1, 1, bindBitmapCount),
}

const integralWanted = `"INTEGRAL"`

func bindBits(op string, args []Expr) (Expr, error) {
	l, r := promoteBeside(args[0], args[1])
	if l.Type() == columnar.Null && r.Type() == columnar.Null {
		l, r = typedNull(columnar.Int), typedNull(columnar.Int)
	}
	t, ok := tightest(l.Type(), r.Type())
	if !ok || l.Type() != r.Type() && !t.Integral() {
		return nil, binaryDiffTypes(op, l, r)
	}
	if !t.Integral() {
		return nil, binaryWrongType(op, integralWanted, l, r)
	}
	return &call{name: op, args: []Expr{implicit(l, t), implicit(r, t)}, typ: t, run: bitsKernel(op, t)}, nil
}

func bitsKernel(op string, t columnar.Type) kernel {
	switch t.Kind {
	case columnar.TinyIntKind:
		return combineBits[int8](op)
	case columnar.SmallIntKind:
		return combineBits[int16](op)
	case columnar.IntKind:
		return combineBits[int32](op)
	}
	return combineBits[int64](op)
}

func combineBits[T signed](op string) kernel {
	combine := func(a, b T) T { return a & b }
	switch op {
	case "|":
		combine = func(a, b T) T { return a | b }
	case "^":
		combine = func(a, b T) T { return a ^ b }
	}
	return func(f *frame) {
		a, b, am, bm, out := numbers[T](f)
		for _, i := range f.rows {
			out[i] = combine(a[i&am], b[i&bm])
		}
	}
}

func bindComplement(name string, args []Expr) (Expr, error) {
	a := args[0]
	if a.Type() == columnar.Null {
		a = typedNull(columnar.Int)
	}
	switch a.Type().Kind {
	case columnar.TinyIntKind:
		return &call{name: name, args: []Expr{a}, typ: a.Type(), run: complement[int8]}, nil
	case columnar.SmallIntKind:
		return &call{name: name, args: []Expr{a}, typ: a.Type(), run: complement[int16]}, nil
	case columnar.IntKind:
		return &call{name: name, args: []Expr{a}, typ: a.Type(), run: complement[int32]}, nil
	case columnar.BigIntKind:
		return &call{name: name, args: []Expr{a}, typ: a.Type(), run: complement[int64]}, nil
	}
	return nil, unexpectedInput(name, 0, "INTEGRAL", a)
}

func complement[T signed](f *frame) {
	in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = ^in[i&m]
	}
}

// bindBitShift shifts a BIGINT, or anything else as INT. Only the low 5 or 6 bits of the
// distance count.
func bindBitShift(op string) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		t := columnar.Int
		if args[0].Type() == columnar.BigInt {
			t = columnar.BigInt
		}
		list, err := parameters(name, args, t, columnar.Int)
		if err != nil {
			return nil, err
		}
		run := shiftRows[int32, uint32](op)
		if t == columnar.BigInt {
			run = shiftRows[int64, uint64](op)
		}
		return &call{name: name, args: list, typ: t, run: run}, nil
	}
}

func shiftRows[T int32 | int64, U uint32 | uint64](op string) kernel {
	low := int32(unsafe.Sizeof(T(0)))*8 - 1
	shift := func(a T, n int32) T { return a << n }
	switch op {
	case ">>":
		shift = func(a T, n int32) T { return a >> n }
	case ">>>":
		shift = func(a T, n int32) T { return T(U(a) >> n) }
	}
	return func(f *frame) {
		in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
		for _, i := range f.rows {
			out[i] = shift(in[i&m], intAt(f.args[1], i)&low)
		}
	}
}

func bindBitCount(name string, args []Expr) (Expr, error) {
	a := args[0]
	switch t := a.Type(); {
	case t == columnar.Null, t == columnar.Boolean:
		a = castForBits(a)
	case !t.Integral():
		return nil, unexpectedInput(name, 0, `("INTEGRAL" or "BOOLEAN")`, a)
	}
	run := func(f *frame) {
		in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int32](f.out)
		for _, i := range f.rows {
			out[i] = int32(bits.OnesCount64(uint64(in[i&m])))
		}
	}
	return &call{name: name, args: []Expr{implicit(a, columnar.BigInt)}, typ: columnar.Int, run: run}, nil
}

func castForBits(a Expr) Expr {
	if a.Type() == columnar.Null {
		return typedNull(columnar.BigInt)
	}
	return newCast(a, columnar.BigInt, false, false)
}

func bindBitGet(name string, args []Expr) (Expr, error) {
	a := args[0]
	if a.Type() == columnar.Null {
		a = typedNull(columnar.Int)
	}
	if !a.Type().Integral() {
		return nil, unexpectedInput(name, 0, "INTEGRAL", a)
	}
	n, err := parameter(name, 1, args[1], columnar.Int)
	if err != nil {
		return nil, err
	}
	return &call{name: name, args: []Expr{a, n}, typ: columnar.TinyInt, run: bitGetRows}, nil
}

func bitGetRows(f *frame) {
	out := slice[int8](f.out)
	for _, i := range f.rows {
		n := intAt(f.args[1], i)
		v, bits := wholeAt(f.args[0], i)
		if n < 0 || int(n) >= bits {
			f.fail(i, &EvalError{"INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", fmt.Sprintf("bit_get expects a position of 0 to %d, got %d.", bits-1, n)})
			continue
		}
		out[i] = int8(v >> n & 1)
	}
}

func bindBigint(one func(int64) int64) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			out[i] = one(in[i&m])
		}
	}
	return bindSimple(columnar.BigInt, run, columnar.BigInt)
}

const bitmapBits = 32_768

func bitmapPosition(n int64) int64 {
	if n > 0 {
		return (n - 1) % bitmapBits
	}
	return -n % bitmapBits
}

func bitmapBucket(n int64) int64 {
	if n > 0 {
		return 1 + (n-1)/bitmapBits
	}
	return n / bitmapBits
}

func bindBitmapCount(name string, args []Expr) (Expr, error) {
	if args[0].Type() != columnar.Binary {
		return nil, unexpectedInput(name, 0, "BINARY", args[0])
	}
	run := func(f *frame) {
		out := slice[int64](f.out)
		for _, i := range f.rows {
			out[i] = 0
			for _, c := range f.args[0].bytesAt(i) {
				out[i] += int64(bits.OnesCount8(c))
			}
		}
	}
	return &call{name: name, args: args, typ: columnar.BigInt, run: run}, nil
}
