package columnar

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
)

// Column is one column of a batch: an Arrow array of the field's layout (Type.Arrow).
type Column = arrow.Array

// Selection is a list of row numbers of one batch in ascending order, without
// repeats. A nil Selection means every row; an empty, non-nil one means none.
type Selection []int32

// Batch is a run of rows as columns. It is immutable. Retain and Release may be
// called from any goroutine.
type Batch struct {
	schema *Schema
	cols   []Column
	rows   int
}

// NewBatch makes a batch of the columns and takes over the caller's reference to
// each. Every column has rows values and the layout of its field: anything else
// is a programming error and panics.
func NewBatch(schema *Schema, cols []Column, rows int) *Batch {
	if len(cols) != schema.Len() {
		panic(fmt.Sprintf("columnar: %d columns for %d fields", len(cols), schema.Len()))
	}
	for i, c := range cols {
		if c.Len() != rows {
			panic(fmt.Sprintf("columnar: column %s has %d rows, not %d", schema.Fields[i].Name, c.Len(), rows))
		}
		if want := schema.Fields[i].Type.Arrow(); !arrow.TypeEqual(c.DataType(), want) {
			panic(fmt.Sprintf("columnar: column %s is %s, not %s", schema.Fields[i].Name, c.DataType(), want))
		}
	}
	return &Batch{schema: schema, cols: cols, rows: rows}
}

// Schema is the batch's schema.
func (b *Batch) Schema() *Schema { return b.schema }

// Rows is the number of rows.
func (b *Batch) Rows() int { return b.rows }

// Column returns the i-th column, borrowed: it lives as long as the batch unless retained.
func (b *Batch) Column(i int) Column { return b.cols[i] }

// Columns returns all columns, borrowed as Column has them.
func (b *Batch) Columns() []Column { return b.cols }

// Retain adds a reference to every column.
func (b *Batch) Retain() {
	for _, c := range b.cols {
		c.Retain()
	}
}

// Release drops a reference to every column.
func (b *Batch) Release() {
	for _, c := range b.cols {
		c.Release()
	}
}

// Bytes is the size of the buffers that the batch's columns hold, in bytes. A
// buffer that two columns share counts twice.
func (b *Batch) Bytes() int64 {
	var n int64
	for _, c := range b.cols {
		n += bufferBytes(c.Data())
	}
	return n
}

func bufferBytes(d arrow.ArrayData) int64 {
	var n int64
	for _, buf := range d.Buffers() {
		if buf != nil {
			n += int64(buf.Len())
		}
	}
	for _, child := range d.Children() {
		n += bufferBytes(child)
	}
	return n
}
