package compute

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// ColumnOrder is a column that rows are ordered by: NULL first, or, descending, last, as Spark's ORDER BY does without further words.
type ColumnOrder struct {
	Column     int
	Descending bool
}

// RowCodes are the rows of a batch, by some of its columns, as bytes that compare as the rows do. Rows of different batches can be compared
// by them. The memory is reused by Fill.
type RowCodes struct {
	data   []byte
	ends   []int    // the code of row i lies between ends[i] and ends[i+1]
	fronts []uint64 // the first 8 bytes of each code
	items  []codedRow
}

type codedRow struct {
	front uint64
	row   int32
}

// Fill encodes the rows of a batch; the columns are orderable. The batch is borrowed for the call.
func (c *RowCodes) Fill(b *columnar.Batch, by []ColumnOrder) {
	inputs := make([]*rowcode.Input, len(by))
	for i, o := range by {
		inputs[i] = rowcode.Open(b.Column(o.Column), b.Schema().Fields[o.Column].Type, false)
	}
	c.data, c.fronts, c.ends = c.data[:0], c.fronts[:0], append(c.ends[:0], 0)
	for row := range b.Rows() {
		from := len(c.data)
		for i, o := range by {
			at := len(c.data)
			c.data = inputs[i].Append(c.data, row)
			if o.Descending {
				invert(c.data[at:])
			}
		}
		c.ends, c.fronts = append(c.ends, len(c.data)), append(c.fronts, front(c.data[from:]))
	}
}

// invert turns the order of codes around: none is the beginning of another one.
func invert(code []byte) {
	for i := range code {
		code[i] = ^code[i]
	}
}

func front(code []byte) uint64 {
	if len(code) >= 8 {
		return binary.BigEndian.Uint64(code)
	}
	var padded [8]byte
	copy(padded[:], code)
	return binary.BigEndian.Uint64(padded[:])
}

// Len is the number of rows.
func (c *RowCodes) Len() int { return len(c.fronts) }

func (c *RowCodes) at(row int) []byte { return c.data[c.ends[row]:c.ends[row+1]] }

// Compare compares a row with a row of other codes by the same columns.
func (c *RowCodes) Compare(row int, d *RowCodes, other int) int {
	if x := cmp.Compare(c.fronts[row], d.fronts[other]); x != 0 {
		return x
	}
	return bytes.Compare(c.at(row), d.at(other))
}

// Sorted reports whether the rows stand in order.
func (c *RowCodes) Sorted() bool {
	for row := 1; row < c.Len(); row++ {
		if c.Compare(row-1, c, row) > 0 {
			return false
		}
	}
	return true
}

// common is how many bytes all codes begin with.
func (c *RowCodes) common() int {
	if c.Len() == 0 {
		return 0
	}
	same := c.at(0)
	for row := range c.fronts {
		code := c.at(row)
		n := 0
		for n < len(same) && n < len(code) && same[n] == code[n] {
			n++
		}
		same = same[:n]
	}
	return len(same)
}

// Sort returns the rows in order; equal ones stay as they stand.
func (c *RowCodes) Sort() columnar.Selection {
	c.items = slices.Grow(c.items[:0], c.Len())
	same := c.common()
	for row := range c.fronts {
		c.items = append(c.items, codedRow{front(c.at(row)[same:]), int32(row)})
	}
	slices.SortFunc(c.items, func(x, y codedRow) int {
		if x.front != y.front {
			return cmp.Compare(x.front, y.front)
		}
		if x := bytes.Compare(c.at(int(x.row))[same:], c.at(int(y.row))[same:]); x != 0 {
			return x
		}
		return cmp.Compare(x.row, y.row)
	})
	out := make(columnar.Selection, len(c.items))
	for i, it := range c.items {
		out[i] = it.row
	}
	return out
}
