package group

import (
	"bytes"
	"slices"
	"sort"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// maxSpread is how many values of a leaf are kept in order; of more, the least and the greatest are.
const maxSpread = 1 << 16

// spread is the values that keys have in one leaf.
type spread struct {
	codes [][]byte // ascending, distinct; if gaps, the ends alone
	gaps  bool
	nulls bool
}

func newSpread(t columnar.Type, c columnar.Column, nulls bool) spread {
	distinct := NewIndex([]columnar.Type{t})
	distinct.Add([]columnar.Column{c}, nil, nil)
	values := distinct.Keys(nil)[0]
	defer values.Release()
	s := spread{nulls: nulls || values.NullN() > 0}
	in := rowcode.Open(values, t, false)
	for row := range values.Len() {
		if in.IsNull(row) {
			continue
		}
		s.codes = append(s.codes, in.Append(nil, row))
	}
	slices.SortFunc(s.codes, bytes.Compare)
	if n := len(s.codes); n > maxSpread {
		s.codes, s.gaps = [][]byte{s.codes[0], s.codes[n-1]}, true
	}
	return s
}

func (s spread) meets(b Bounds) bool {
	if b.Nulls && s.nulls {
		return true
	}
	from, until := 0, len(s.codes)
	if b.Low != nil {
		from = sort.Search(until, func(i int) bool { return bytes.Compare(s.codes[i], b.Low) >= 0 })
	}
	if b.High != nil {
		until = sort.Search(until, func(i int) bool { return bytes.Compare(s.codes[i], b.High) > 0 })
	}
	// Between the ends of many values there may be one wherever the bounds lie.
	return from < until || s.gaps && from == 1 && until == 1
}
