package compute

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// vector is the working form of a column: flat slices that kernels loop over.
//
// Fixed-width values lie in data, one width after the other; BOOLEAN takes a byte
// (0 or 1). STRING and BINARY values are data[start[i]:end[i]], in any order, so
// that a substring needs no copy. null has a byte for each row, 1 where it is NULL;
// nil means none. A constant (one) has its only value at 0. Nested values have kids.
type vector struct {
	typ        columnar.Type
	one        bool
	null       []byte
	data       []byte
	start, end []int32
	kids       []*vector
	n          int // how many values were pushed, if the vector is grown
}

// fixed are the Go types that values of fixed width have in a vector.
type fixed interface {
	uint8 | int8 | int16 | int32 | int64 | float32 | float64 | decimal128.Num
}

// slice views the values of a fixed-width vector.
func slice[T fixed](v *vector) []T {
	var zero T
	return cast[T](v.data, len(v.data)/int(unsafe.Sizeof(zero)))
}

func cast[T any](b []byte, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// mask turns a row into an index of v: row & mask is the row, or 0 for a constant.
func (v *vector) mask() int32 {
	if v.one {
		return 0
	}
	return -1
}

func (v *vector) isNull(row int32) bool { return v.null != nil && v.null[row&v.mask()] != 0 }

// allNull reports whether v is the constant NULL.
func (v *vector) allNull() bool { return v.one && v.null != nil && v.null[0] != 0 }

func (v *vector) bytesAt(row int32) []byte {
	i := row & v.mask()
	return v.data[v.start[i]:v.end[i]]
}

// width is the size of a value of fixed width in a vector, where a BOOLEAN is a byte; 0 for every other type.
func width(t columnar.Type) int {
	if t.Kind == columnar.BooleanKind {
		return 1
	}
	return t.Width()
}

func textual(t columnar.Type) bool {
	return t.Kind == columnar.StringKind || t.Kind == columnar.BinaryKind
}

// constant makes a vector of one value of fixed width.
func constant[T fixed](t columnar.Type, v T) *vector {
	raw := make([]byte, unsafe.Sizeof(v))
	*(*T)(unsafe.Pointer(unsafe.SliceData(raw))) = v
	return &vector{typ: t, one: true, data: raw}
}

func constantBytes(t columnar.Type, b []byte) *vector {
	return &vector{typ: t, one: true, data: b, start: []int32{0}, end: []int32{int32(len(b))}}
}

func constantNull(t columnar.Type) *vector {
	v := &vector{typ: t, one: true, null: []byte{1}, data: make([]byte, max(16, width(t)))[:width(t)]}
	if ranged(t) {
		v.start, v.end = []int32{0}, []int32{0}
	}
	for _, part := range t.Parts() {
		if listed(t) {
			v.kids = append(v.kids, grown(part.Type))
		} else {
			v.kids = append(v.kids, constantNull(part.Type))
		}
	}
	return v
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
