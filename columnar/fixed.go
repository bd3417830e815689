package columnar

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Fixed are the Go types that values of fixed width have in a column, BOOLEAN excepted, which is packed. Times and
// intervals are the integers of their width.
type Fixed interface {
	int8 | int16 | int32 | int64 | float32 | float64 | decimal128.Num
}

// FixedValues views the values of a column, whose type has the width of T. What lies under a NULL is undefined.
func FixedValues[T Fixed](c Column) []T {
	d, n := c.Data(), c.Len()
	if n == 0 {
		return nil
	}
	all := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(d.Buffers()[1].Bytes()))), d.Offset()+n)
	return all[d.Offset():]
}

// NewFixedColumn makes a column of a type that has the width of T, without copying the values. valid nil: no nulls.
func NewFixedColumn[T Fixed](t Type, values []T, valid []bool) Column {
	bits, nulls := validity(valid)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
	return wrap(t.Arrow(), len(values), nulls, bits, memory.NewBufferBytes(raw))
}

// NewBooleanColumn makes a BOOLEAN column of the values. valid nil: no nulls.
func NewBooleanColumn(values, valid []bool) Column {
	bits, nulls := validity(valid)
	packed := make([]byte, bitutil.BytesForBits(int64(len(values))))
	for i, v := range values {
		if v {
			bitutil.SetBit(packed, i)
		}
	}
	return wrap(Boolean.Arrow(), len(values), nulls, bits, memory.NewBufferBytes(packed))
}

// BooleanAt returns value i of a BOOLEAN column.
func BooleanAt(c Column, i int) bool { return c.(*array.Boolean).Value(i) }

// IsBoolean reports whether a column is BOOLEAN.
func IsBoolean(c Column) bool { _, ok := c.(*array.Boolean); return ok }
