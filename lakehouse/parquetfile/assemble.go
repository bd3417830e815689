package parquetfile

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// part puts a part of a nested column together, of the levels and values that its leaves have read.
type part interface {
	// build returns the column; it has so many rows, or the file is damaged.
	build(rows int) (columnar.Column, error)
	// leaf is one of the leaves of the part, nil if the file has none of it.
	leaf() *leafReader
}

var errUneven = fmt.Errorf("%w: parts of a nested value are of different lengths", ErrDamaged)

// absentPart is a part that the file does not have.
type absentPart struct{ typ columnar.Type }

func (a absentPart) build(rows int) (columnar.Column, error) {
	return columnar.NewNullColumn(a.typ, rows), nil
}
func (a absentPart) leaf() *leafReader { return nil }

// leafPart is a leaf.
type leafPart struct{ from *leafReader }

func (l leafPart) build(rows int) (columnar.Column, error) {
	c, err := l.from.into.finish()
	if err == nil && c.Len() != rows {
		c.Release()
		return nil, errUneven
	}
	return c, err
}
func (l leafPart) leaf() *leafReader { return l.from }

// structPart is a STRUCT.
type structPart struct {
	typ    columnar.Type
	at     spot
	levels *leafReader // tells where it is there
	fields []part
}

func (s *structPart) leaf() *leafReader { return s.levels }

func (s *structPart) build(rows int) (columnar.Column, error) {
	valid := validity{}
	for i, def := range s.levels.defs {
		if s.levels.reps[i] <= s.at.rep && def >= s.at.slot {
			valid.add(1, def >= s.at.def)
		}
	}
	if valid.rows != rows {
		return nil, errUneven
	}
	children, err := buildAll(s.fields, rows)
	if err != nil {
		return nil, err
	}
	return valid.nest(s.typ.Arrow(), nil, children), nil
}

func buildAll(parts []part, rows int) ([]columnar.Column, error) {
	out := make([]columnar.Column, 0, len(parts))
	for _, p := range parts {
		c, err := p.build(rows)
		if err != nil {
			release(out)
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func release(cols []columnar.Column) {
	for _, c := range cols {
		c.Release()
	}
}

// listPart is an ARRAY of one part, or a MAP of two: keys and values.
type listPart struct {
	typ      columnar.Type
	at       spot // of the list
	repeated spot // of its elements
	parts    []part
}

func (l *listPart) leaf() *leafReader { return l.parts[0].leaf() }

func (l *listPart) build(rows int) (columnar.Column, error) {
	valid, ends, err := l.extents(rows)
	if err != nil {
		return nil, err
	}
	if valid.rows != rows {
		return nil, errUneven
	}
	n := int(ends[rows])
	children, err := buildAll(l.parts, n)
	if err != nil {
		return nil, err
	}
	if l.typ.Kind == columnar.MapKind {
		if children[0].NullN() > 0 {
			release(children)
			return nil, fmt.Errorf("%w: a key of a MAP is NULL", ErrDamaged)
		}
		entries := validity{rows: n}
		children = []columnar.Column{entries.nest(l.typ.Arrow().(*arrow.MapType).Elem(), nil, children)}
	}
	return valid.nest(l.typ.Arrow(), arrow.Int32Traits.CastToBytes(ends), children), nil
}

// extents are which lists are there, and where the elements of each begin and end.
func (l *listPart) extents(rows int) (valid validity, ends []int32, err error) {
	from := l.leaf()
	outer := l.repeated.rep - 1
	ends = append(make([]int32, 0, rows+1), 0)
	n := 0
	for i, def := range from.defs {
		rep := from.reps[i]
		switch {
		case rep > l.repeated.rep, rep <= outer && def < l.at.slot:
			continue
		case rep <= outer:
			valid.add(1, def >= l.at.def)
			ends = append(ends, int32(n))
		}
		if def >= l.repeated.def && len(ends) > 1 {
			n++
			ends[len(ends)-1] = int32(n)
		}
	}
	if n > math.MaxInt32 {
		return valid, nil, errTooLong
	}
	return valid, ends, nil
}

// nest makes a column of children, which it takes over. offsets is nil for a STRUCT.
func (v *validity) nest(t arrow.DataType, offsets []byte, children []columnar.Column) columnar.Column {
	buffers := make([]*memory.Buffer, 1, 2)
	if v.nulls > 0 {
		buffers[0] = memory.NewBufferBytes(v.bits)
	}
	if offsets != nil {
		buffers = append(buffers, memory.NewBufferBytes(offsets))
	}
	parts := make([]arrow.ArrayData, len(children))
	for i, c := range children {
		parts[i] = c.Data()
	}
	data := array.NewData(t, v.rows, buffers, parts, v.nulls, 0)
	defer data.Release()
	defer release(children)
	return array.MakeFromData(data)
}
