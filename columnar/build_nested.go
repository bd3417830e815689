package columnar

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// NewArrayColumn makes a column of an ARRAY type: row i is [offsets[i], offsets[i+1]) of the elements. It takes over the
// reference of the elements and the slices. valid nil: no nulls.
func NewArrayColumn(t Type, offsets []int32, elements Column, valid []bool) Column {
	bits, nulls := validity(valid)
	return nest(t.Arrow(), len(offsets)-1, nulls, []Column{elements}, bits, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)))
}

// NewMapColumn makes a column of a MAP type of its keys and values, as NewArrayColumn of elements.
func NewMapColumn(t Type, offsets []int32, keys, values Column, valid []bool) Column {
	entries := nest(t.Arrow().(*arrow.MapType).Elem(), keys.Len(), 0, []Column{keys, values}, nil)
	return NewArrayColumn(t, offsets, entries, valid)
}

// NewStructColumn makes a column of n values of a STRUCT type and takes over the references of the fields. valid nil: no nulls.
func NewStructColumn(t Type, fields []Column, n int, valid []bool) Column {
	bits, nulls := validity(valid)
	return nest(t.Arrow(), n, nulls, fields, bits)
}
