package columnar

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// wrap makes a column of buffers that already exist. It takes over the buffers' references.
func wrap(t arrow.DataType, n int, nulls int, buffers ...*memory.Buffer) Column {
	return nest(t, n, nulls, nil, buffers...)
}

// nest makes a column with children; it takes over their references and the buffers'.
func nest(t arrow.DataType, n int, nulls int, children []Column, buffers ...*memory.Buffer) Column {
	parts := make([]arrow.ArrayData, len(children))
	for i, c := range children {
		parts[i] = c.Data()
	}
	data := array.NewData(t, n, buffers, parts, nulls, 0)
	for _, c := range children {
		c.Release()
	}
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	defer data.Release()
	return array.MakeFromData(data)
}

// validity packs flags into a bitmap; nil when all are set.
func validity(valid []bool) (*memory.Buffer, int) {
	nulls := 0
	for _, v := range valid {
		if !v {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	bits := make([]byte, bitutil.BytesForBits(int64(len(valid))))
	for i, v := range valid {
		if v {
			bitutil.SetBit(bits, i)
		}
	}
	return memory.NewBufferBytes(bits), nulls
}

// NewInt64Column makes a BIGINT column of the values, without copying. valid nil: no nulls.
func NewInt64Column(values []int64, valid []bool) Column {
	bits, nulls := validity(valid)
	return wrap(arrow.PrimitiveTypes.Int64, len(values), nulls, bits, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(values)))
}

// NewTimestampColumn makes a TIMESTAMP column of microseconds, without copying. valid nil: no nulls.
func NewTimestampColumn(micros []int64, valid []bool) Column {
	bits, nulls := validity(valid)
	return wrap(arrow.FixedWidthTypes.Timestamp_us, len(micros), nulls, bits, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(micros)))
}

// NewInt32Constant makes an INT column of n times the same value.
func NewInt32Constant(v int32, n int) Column {
	values := make([]int32, n)
	for i := range values {
		values[i] = v
	}
	return wrap(arrow.PrimitiveTypes.Int32, n, 0, nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(values)))
}

// NewStringConstant makes a STRING column of n times the same value.
func NewStringConstant(s string, n int) Column {
	b := BinaryBuffer{}
	for range n {
		b.AppendString(s)
	}
	return b.FinishString()
}

// NewStringColumn makes a STRING column of the values.
func NewStringColumn(values []string) Column {
	b := BinaryBuffer{}
	for _, s := range values {
		b.AppendString(s)
	}
	return b.FinishString()
}

// NewNullColumn makes a column of n nulls.
func NewNullColumn(t Type, n int) Column {
	return array.MakeArrayOfNull(memory.DefaultAllocator, t.Arrow(), n)
}

// BinaryBuffer collects values into one buffer, as a BINARY or STRING column lays them out. The zero
// value is empty and ready; Finish makes the column and empties the buffer.
type BinaryBuffer struct {
	data    []byte
	offsets []int32
	valid   []byte
	nulls   int
}

// Grow makes room for so many values and bytes.
func (b *BinaryBuffer) Grow(values, size int) {
	b.start()
	b.offsets = append(arrow.Int32Traits.CastFromBytes(Heap.Allocate(4 * (len(b.offsets) + values)))[:0], b.offsets...)
	b.data = append(Heap.Allocate(len(b.data) + size)[:0], b.data...)
}

func (b *BinaryBuffer) start() {
	if len(b.offsets) == 0 {
		b.offsets = append(b.offsets, 0)
	}
}

// Append copies a value in.
func (b *BinaryBuffer) Append(v []byte) {
	b.start()
	b.data = append(b.data, v...)
	b.offsets = append(b.offsets, int32(len(b.data)))
}

// AppendString copies a value in.
func (b *BinaryBuffer) AppendString(v string) {
	b.start()
	b.data = append(b.data, v...)
	b.offsets = append(b.offsets, int32(len(b.data)))
}

// AppendNull adds a null.
func (b *BinaryBuffer) AppendNull() {
	b.start()
	row := b.Len()
	for len(b.valid) <= row/8 {
		b.valid = append(b.valid, 0xff)
	}
	bitutil.ClearBit(b.valid, row)
	b.nulls++
	b.offsets = append(b.offsets, int32(len(b.data)))
}

// Len is the number of values.
func (b *BinaryBuffer) Len() int { return max(0, len(b.offsets)-1) }

// Bytes is the size of the values.
func (b *BinaryBuffer) Bytes() int { return len(b.data) }

// Finish returns the values as a BINARY column.
func (b *BinaryBuffer) Finish() Column { return b.finish(arrow.BinaryTypes.Binary) }

// FinishString returns the values, which are UTF-8, as a STRING column.
func (b *BinaryBuffer) FinishString() Column { return b.finish(arrow.BinaryTypes.String) }

func (b *BinaryBuffer) finish(t arrow.DataType) Column {
	b.start()
	n := b.Len()
	var bits *memory.Buffer
	if b.nulls > 0 {
		for len(b.valid) < (n+7)/8 {
			b.valid = append(b.valid, 0xff)
		}
		bits = memory.NewBufferBytes(b.valid)
	}
	c := wrap(t, n, b.nulls, bits, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(b.offsets)), memory.NewBufferBytes(b.data))
	*b = BinaryBuffer{}
	return c
}
