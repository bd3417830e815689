package columnar

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Slice returns rows [from, until) of a batch without copying.
func Slice(b *Batch, from, until int) *Batch {
	cols := make([]Column, len(b.cols))
	for i, c := range b.cols {
		cols[i] = array.NewSlice(c, int64(from), int64(until))
	}
	return &Batch{schema: b.schema, cols: cols, rows: until - from}
}

// Concat joins batches of one schema, at least one, into a new batch.
func Concat(batches []*Batch) (*Batch, error) {
	first := batches[0]
	rows := 0
	for _, b := range batches {
		rows += b.rows
	}
	cols := make([]Column, len(first.cols))
	parts := make([]arrow.Array, len(batches))
	for i := range cols {
		for j, b := range batches {
			parts[j] = b.cols[i]
		}
		c, err := array.Concatenate(parts, Heap)
		if err != nil {
			return nil, err
		}
		cols[i] = c
	}
	return &Batch{schema: first.schema, cols: cols, rows: rows}, nil
}
