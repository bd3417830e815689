package compute

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// vector is a column while it is being computed. One slice is used, by kind:
//
//	ints     the integral types, DATE (days), TIMESTAMP (microseconds)
//	floats   FLOAT, DOUBLE
//	bools    BOOLEAN
//	decimals DECIMAL, unscaled
//	texts    STRING, BINARY (as bytes), which may alias a column
//
// Kernels address row r as slice[r&mask]: mask is -1, or 0 for a constant, so that one loop serves both.
type vector struct {
	typ      columnar.Type
	mask     int32
	ints     []int64
	floats   []float64
	bools    []bool
	decimals []decimal128.Num
	texts    []string
	nulls    []bool // nil: none is null
}

func (v *vector) isNull(r int32) bool { return v.nulls != nil && v.nulls[r&v.mask] }

// setNull marks a row; the vector is one of the evaluator's own.
func (v *vector) setNull(r int32, rows int) {
	if v.nulls == nil {
		v.nulls = make([]bool, rows)
	}
	v.nulls[r] = true
}

// isText reports whether values of the kind are texts.
func isText(k columnar.Kind) bool { return k == columnar.StringKind || k == columnar.BinaryKind }

// newVector makes room for n rows.
func newVector(t columnar.Type, n int) *vector {
	v := &vector{typ: t, mask: -1}
	switch {
	case t == columnar.Boolean:
		v.bools = make([]bool, n)
	case isFloating(t):
		v.floats = make([]float64, n)
	case isDecimal(t):
		v.decimals = make([]decimal128.Num, n)
	case isText(t.Kind):
		v.texts = make([]string, n)
	case t == columnar.Null:
		v.nulls = make([]bool, n)
		for i := range v.nulls {
			v.nulls[i] = true
		}
	default:
		v.ints = make([]int64, n)
	}
	return v
}

// loadVector views a column. Values are borrowed where the layouts agree.
func loadVector(t columnar.Type, c columnar.Column) *vector {
	v := &vector{typ: t, mask: -1}
	if c.NullN() > 0 {
		v.nulls = make([]bool, c.Len())
		for i := range v.nulls {
			v.nulls[i] = c.IsNull(i)
		}
	}
	switch a := c.(type) {
	case *array.Boolean:
		v.bools = make([]bool, a.Len())
		for i := range v.bools {
			v.bools[i] = a.Value(i)
		}
	case *array.Int8:
		v.ints = widen(a.Int8Values())
	case *array.Int16:
		v.ints = widen(a.Int16Values())
	case *array.Int32:
		v.ints = widen(a.Int32Values())
	case *array.Date32:
		v.ints = widen(a.Date32Values())
	case *array.Int64:
		v.ints = a.Int64Values()
	case *array.Timestamp:
		v.ints = arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues()))
	case *array.Float32:
		v.floats = make([]float64, a.Len())
		for i, x := range a.Float32Values() {
			v.floats[i] = float64(x)
		}
	case *array.Float64:
		v.floats = a.Float64Values()
	case *array.Decimal128:
		v.decimals = a.Values()
	case *array.String:
		v.texts = views(a.ValueOffsets(), a.ValueBytes(), a.Len())
	case *array.Binary:
		v.texts = views(a.ValueOffsets(), a.ValueBytes(), a.Len())
	}
	return v
}

func widen[T int8 | int16 | int32 | arrow.Date32](values []T) []int64 {
	out := make([]int64, len(values))
	for i, x := range values {
		out[i] = int64(x)
	}
	return out
}

// views makes a string of each value without copying its bytes.
func views(offsets []int32, data []byte, n int) []string {
	out := make([]string, n)
	if n == 0 {
		return out
	}
	base := offsets[0]
	for i := range out {
		from, until := offsets[i]-base, offsets[i+1]-base
		if from < until {
			out[i] = unsafe.String(&data[from], int(until-from))
		}
	}
	return out
}

// column makes an Arrow column of n rows. Rows that were not computed hold an unspecified value.
func (v *vector) column(n int, mem memory.Allocator) columnar.Column {
	b := array.NewBuilder(mem, v.typ.Arrow())
	defer b.Release()
	b.Reserve(n)
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNulls(n)
	case *array.BooleanBuilder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(v.bools[i&v.mask]) }, b)
	case *array.Int8Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(int8(v.ints[i&v.mask])) }, b)
	case *array.Int16Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(int16(v.ints[i&v.mask])) }, b)
	case *array.Int32Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(int32(v.ints[i&v.mask])) }, b)
	case *array.Date32Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(arrow.Date32(v.ints[i&v.mask])) }, b)
	case *array.Int64Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(v.ints[i&v.mask]) }, b)
	case *array.TimestampBuilder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(arrow.Timestamp(v.ints[i&v.mask])) }, b)
	case *array.Float32Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(float32(v.floats[i&v.mask])) }, b)
	case *array.Float64Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(v.floats[i&v.mask]) }, b)
	case *array.Decimal128Builder:
		appendAll(v, n, func(i int32) { b.UnsafeAppend(v.decimals[i&v.mask]) }, b)
	case *array.StringBuilder:
		appendAll(v, n, func(i int32) { b.Append(v.texts[i&v.mask]) }, b)
	case *array.BinaryBuilder:
		appendAll(v, n, func(i int32) { b.AppendString(v.texts[i&v.mask]) }, b)
	}
	return b.NewArray()
}

func appendAll(v *vector, n int, value func(i int32), b array.Builder) {
	for i := range int32(n) {
		if v.isNull(i) {
			b.AppendNull()
		} else {
			value(i)
		}
	}
}

// copyRow copies the value of one row; both vectors are of one type.
func copyRow(to, from *vector, r int32, rows int) {
	if from.isNull(r) {
		to.setNull(r, rows)
		return
	}
	switch {
	case to.ints != nil:
		to.ints[r] = from.ints[r&from.mask]
	case to.floats != nil:
		to.floats[r] = from.floats[r&from.mask]
	case to.bools != nil:
		to.bools[r] = from.bools[r&from.mask]
	case to.decimals != nil:
		to.decimals[r] = from.decimals[r&from.mask]
	case to.texts != nil:
		to.texts[r] = from.texts[r&from.mask]
	}
}
