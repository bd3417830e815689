package columnar

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Gather copies the selected rows of a column into a new one. A nil allocator is the default one.
func Gather(c Column, sel Selection, mem memory.Allocator) Column {
	if mem == nil {
		mem = Heap
	}
	bits, nulls := gatherValidity(c, sel, mem)
	switch a := c.(type) {
	case *array.Null:
		return array.NewNull(len(sel))
	case *array.Boolean:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherBits(a, sel, mem))
	case *array.Int8:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Int8Values(), sel, mem))
	case *array.Int16:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Int16Values(), sel, mem))
	case *array.Int32:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Int32Values(), sel, mem))
	case *array.Int64:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Int64Values(), sel, mem))
	case *array.Float32:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Float32Values(), sel, mem))
	case *array.Float64:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Float64Values(), sel, mem))
	case *array.Date32:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Date32Values(), sel, mem))
	case *array.Timestamp:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.TimestampValues(), sel, mem))
	case *array.Decimal128:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.Values(), sel, mem))
	case *array.Duration:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.DurationValues(), sel, mem))
	case *array.MonthInterval:
		return wrap(a.DataType(), len(sel), nulls, bits, gatherFixed(a.MonthIntervalValues(), sel, mem))
	case array.ListLike:
		return gatherList(a, sel, bits, nulls, mem)
	case *array.Struct:
		return gatherStruct(a, sel, bits, nulls, mem)
	case *array.String:
		return gatherBinary(a.DataType(), a.ValueOffsets(), a.ValueBytes(), sel, bits, nulls, mem)
	case *array.Binary:
		return gatherBinary(a.DataType(), a.ValueOffsets(), a.ValueBytes(), sel, bits, nulls, mem)
	}
	panic(fmt.Sprintf("columnar: gather of %s", c.DataType()))
}

// GatherBatch copies the selected rows of a batch into a new one.
func GatherBatch(b *Batch, sel Selection) *Batch {
	cols := make([]Column, len(b.cols))
	for i, c := range b.cols {
		cols[i] = Gather(c, sel, nil)
	}
	return &Batch{schema: b.schema, cols: cols, rows: len(sel)}
}

type fixed interface {
	int8 | int16 | int32 | int64 | float32 | float64 | arrow.Date32 | arrow.Timestamp | arrow.Duration | arrow.MonthInterval | decimal128.Num
}

func newBuffer(size int, mem memory.Allocator) *memory.Buffer {
	b := memory.NewResizableBuffer(mem)
	b.Resize(size)
	return b
}

func gatherFixed[T fixed](values []T, sel Selection, mem memory.Allocator) *memory.Buffer {
	buf := newBuffer(len(sel)*int(unsafe.Sizeof(*new(T))), mem)
	out := arrow.GetData[T](buf.Bytes())
	for i, row := range sel {
		out[i] = values[row]
	}
	return buf
}

func gatherBits(a *array.Boolean, sel Selection, mem memory.Allocator) *memory.Buffer {
	buf := newBuffer(int(bitutil.BytesForBits(int64(len(sel)))), mem)
	clear(buf.Bytes())
	for i, row := range sel {
		if a.Value(int(row)) {
			bitutil.SetBit(buf.Bytes(), i)
		}
	}
	return buf
}

func gatherValidity(c Column, sel Selection, mem memory.Allocator) (*memory.Buffer, int) {
	if c.NullN() == 0 || c.DataType().ID() == arrow.NULL {
		return nil, 0
	}
	bits, base := c.NullBitmapBytes(), c.Data().Offset()
	buf := newBuffer(int(bitutil.BytesForBits(int64(len(sel)))), mem)
	clear(buf.Bytes())
	nulls := 0
	for i, row := range sel {
		if bitutil.BitIsSet(bits, base+int(row)) {
			bitutil.SetBit(buf.Bytes(), i)
		} else {
			nulls++
		}
	}
	if nulls == 0 {
		buf.Release()
		return nil, 0
	}
	return buf, nulls
}

// gatherBinary copies values; offsets are those of the array, which may be a slice of a larger one: the
// values begin at offsets[0].
func gatherBinary(t arrow.DataType, offsets []int32, data []byte, sel Selection, bits *memory.Buffer, nulls int, mem memory.Allocator) Column {
	size := 0
	for _, row := range sel {
		size += int(offsets[row+1] - offsets[row])
	}
	ends, values := newBuffer(4*(len(sel)+1), mem), newBuffer(size, mem)
	to, out := arrow.Int32Traits.CastFromBytes(ends.Bytes()), values.Bytes()
	at, base := 0, int32(0)
	if len(offsets) > 0 {
		base = offsets[0]
	}
	to[0] = 0
	for i, row := range sel {
		at += copy(out[at:], data[offsets[row]-base:offsets[row+1]-base])
		to[i+1] = int32(at)
	}
	return wrap(t, len(sel), nulls, bits, ends, values)
}
