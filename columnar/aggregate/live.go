package aggregate

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/lakewheel/lakewheel/columnar"
)

// live finds the rows that count: those of a group in which no column is NULL.
type live struct{ scratch []int32 }

// of returns the groups with -1 for the rows in which a column is NULL. It is valid until the next call.
func (l *live) of(groups []int32, columns ...columnar.Column) []int32 {
	for _, c := range columns {
		if c.NullN() > 0 {
			groups = l.without(groups, c)
		}
	}
	return groups
}

func (l *live) without(groups []int32, c columnar.Column) []int32 {
	if cap(l.scratch) < len(groups) {
		l.scratch = make([]int32, len(groups))
	}
	out := l.scratch[:len(groups)]
	if c.DataType().ID() == arrow.NULL {
		for i := range out {
			out[i] = -1
		}
		return out
	}
	bits, base := c.NullBitmapBytes(), c.Data().Offset()
	for i, g := range groups {
		at := base + i
		out[i] = g | (int32(bits[at>>3]>>(at&7)&1) - 1) // or with -1 where the bit is 0
	}
	return out
}

// validOf says for each value whether it is not NULL.
func validOf(c columnar.Column) []bool {
	out := make([]bool, c.Len())
	for i := range out {
		out[i] = c.IsValid(i)
	}
	return out
}

// whereTrue returns the groups with -1 for the rows in which a BOOLEAN is not TRUE. It is valid until the next call.
func (l *live) whereTrue(groups []int32, c columnar.Column) []int32 {
	l.scratch = l.scratch[:0]
	for i, g := range groups {
		if !c.IsValid(i) || !columnar.BooleanAt(c, i) {
			g = -1
		}
		l.scratch = append(l.scratch, g)
	}
	return l.scratch
}
