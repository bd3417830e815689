package columnar

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// gatherList copies the values of an ARRAY or a MAP column.
func gatherList(a array.ListLike, sel Selection, bits *memory.Buffer, nulls int, mem memory.Allocator) Column {
	ends := newBuffer(4*(len(sel)+1), mem)
	to := arrow.Int32Traits.CastFromBytes(ends.Bytes())
	to[0] = 0
	elements := Selection{}
	for i, row := range sel {
		if a.IsValid(int(row)) {
			from, until := a.ValueOffsets(int(row))
			for k := from; k < until; k++ {
				elements = append(elements, int32(k))
			}
		}
		to[i+1] = int32(len(elements))
	}
	child := Gather(a.ListValues(), elements, mem)
	return nest(a.DataType(), len(sel), nulls, []Column{child}, bits, ends)
}

// gatherStruct copies the fields of a STRUCT column.
func gatherStruct(a *array.Struct, sel Selection, bits *memory.Buffer, nulls int, mem memory.Allocator) Column {
	fields := make([]Column, a.NumField())
	for i := range fields {
		fields[i] = Gather(a.Field(i), sel, mem)
	}
	return nest(a.DataType(), len(sel), nulls, fields, bits)
}
