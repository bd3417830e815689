package compute

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

// compareAt orders two values of one type as Spark's ORDER BY does: NULL first, NaN
// last, arrays and structs part by part.
func compareAt(a *vector, i int32, b *vector, j int32) int {
	if an, bn := a.isNull(i), b.isNull(j); an || bn {
		return int(bit(bn)) - int(bit(an))
	}
	switch a.typ.Kind {
	case columnar.BooleanKind:
		return compareValue[uint8](a, i, b, j)
	case columnar.TinyIntKind:
		return compareValue[int8](a, i, b, j)
	case columnar.SmallIntKind:
		return compareValue[int16](a, i, b, j)
	case columnar.IntKind, columnar.DateKind, columnar.YearMonthIntervalKind:
		return compareValue[int32](a, i, b, j)
	case columnar.FloatKind:
		return compareFloat(float64(valueAt[float32](a, i)), float64(valueAt[float32](b, j)))
	case columnar.DoubleKind:
		return compareFloat(valueAt[float64](a, i), valueAt[float64](b, j))
	case columnar.DecimalKind:
		return valueAt[decimalValue](a, i).Cmp(valueAt[decimalValue](b, j))
	case columnar.StringKind, columnar.BinaryKind:
		return bytes.Compare(a.bytesAt(i), b.bytesAt(j))
	case columnar.ArrayKind:
		return compareLists(a, i, b, j)
	case columnar.StructKind:
		return compareStructs(a, i, b, j)
	case columnar.NullKind:
		return 0
	}
	return compareValue[int64](a, i, b, j)
}

func valueAt[T fixed](v *vector, row int32) T { return slice[T](v)[row&v.mask()] }

func compareValue[T integer](a *vector, i int32, b *vector, j int32) int {
	return cmp.Compare(valueAt[T](a, i), valueAt[T](b, j))
}

func compareFloat(x, y float64) int {
	if x != x || y != y {
		return int(bit(x != x)) - int(bit(y != y))
	}
	return int(bit(x > y)) - int(bit(x < y))
}

func compareLists(a *vector, i int32, b *vector, j int32) int {
	ai, aEnd := a.rangeAt(i)
	bj, bEnd := b.rangeAt(j)
	for ; ai < aEnd && bj < bEnd; ai, bj = ai+1, bj+1 {
		if c := compareAt(a.kids[0], ai, b.kids[0], bj); c != 0 {
			return c
		}
	}
	return int(aEnd-ai) - int(bEnd-bj)
}

func compareStructs(a *vector, i int32, b *vector, j int32) int {
	for k := range a.kids {
		if c := compareAt(a.kids[k], i, b.kids[k], j); c != 0 {
			return c
		}
	}
	return 0
}

// rangeAt are the elements of a row of an ARRAY or MAP.
func (v *vector) rangeAt(row int32) (from, until int32) {
	i := row & v.mask()
	return v.start[i], v.end[i]
}

// appendKey appends bytes that are equal for equal values and differ for others: NaN is
// one value, and so is zero.
func appendKey(dst []byte, v *vector, row int32) []byte { return appendKeyBy(dst, v, row, true) }

// appendExactKey tells -0.0 from 0.0, as Spark's functions over sets of elements do.
func appendExactKey(dst []byte, v *vector, row int32) []byte { return appendKeyBy(dst, v, row, false) }

func appendKeyBy(dst []byte, v *vector, row int32, oneZero bool) []byte {
	if v.typ == columnar.Null || v.isNull(row) {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch {
	case textual(v.typ):
		text := v.bytesAt(row)
		return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	case listed(v.typ):
		from, until := v.rangeAt(row)
		dst = binary.AppendUvarint(dst, uint64(until-from))
		for k := from; k < until; k++ {
			for _, kid := range v.kids {
				dst = appendKeyBy(dst, kid, k, oneZero)
			}
		}
		return dst
	case v.typ.Kind == columnar.StructKind:
		for _, kid := range v.kids {
			dst = appendKeyBy(dst, kid, row, oneZero)
		}
		return dst
	case isFloating(v.typ):
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(canonical(v, row, oneZero)))
	}
	w, i := int32(width(v.typ)), row&v.mask()
	return append(dst, v.data[i*w:(i+1)*w]...)
}

// canonical is a FLOAT or DOUBLE with one NaN and, if wanted, one zero.
func canonical(v *vector, row int32, oneZero bool) float64 {
	x := 0.0
	if v.typ.Kind == columnar.FloatKind {
		x = float64(valueAt[float32](v, row))
	} else {
		x = valueAt[float64](v, row)
	}
	switch {
	case x != x:
		return math.NaN()
	case x == 0 && oneZero:
		return 0
	}
	return x
}

// orderable reports whether values of a type can be compared: a MAP cannot, at any depth.
func orderable(t columnar.Type) bool {
	if t.Kind == columnar.MapKind {
		return false
	}
	for _, part := range t.Parts() {
		if !orderable(part.Type) {
			return false
		}
	}
	return true
}

// compareNested returns the kernel of a comparison of ARRAY or STRUCT values.
func compareNested(op string) kernel {
	test := map[string]func(c int) bool{
		"=": func(c int) bool { return c == 0 }, "<>": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[op]
	return func(f *frame) {
		for _, i := range f.rows {
			f.out.data[i] = bit(test(compareAt(f.args[0], i, f.args[1], i)))
		}
	}
}
