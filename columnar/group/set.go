package group

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// Set is a finished set of keys. It can be asked which rows have one of them, and, before any row is read, whether rows
// within some bounds can. Several goroutines may ask.
type Set struct {
	index   *Index
	types   []columnar.Type // of the columns
	leaves  []Leaf
	spreads []spread // by leaf
}

// Leaf is a part of a key that has an order of its own: a column of the key, or a field in a STRUCT.
type Leaf struct {
	Column int      // of the key
	Path   []string // the fields from the column down; empty for the column itself
	Type   columnar.Type
}

// Bounds are what is known of the values that some rows have in a leaf.
type Bounds struct {
	Low, High []byte // codes of values, see Code; nil: not known
	Nulls     bool   // there may be NULLs
}

// Code is the first value of a column of a type in the form in which values are compared.
func Code(c columnar.Column, t columnar.Type) []byte { return rowcode.Open(c, t, false).Append(nil, 0) }

// NewSet makes a set of the keys of an index, which it takes over. types are those of the index.
func NewSet(types []columnar.Type, x *Index) *Set {
	s := &Set{index: x, types: types}
	keys := x.Keys(nil)
	for i, c := range keys {
		s.addLeaf(Leaf{Column: i, Type: types[i]}, c, false)
		c.Release()
	}
	return s
}

// addLeaf takes note of a column of keys, or of the fields of one. nulls: it lies in STRUCTs that may be NULL.
func (s *Set) addLeaf(l Leaf, c columnar.Column, nulls bool) {
	nulls = nulls || c.NullN() > 0
	switch {
	case l.Type.Kind == columnar.StructKind:
		for i, part := range columnar.StructParts(c) {
			f := l.Type.Parts()[i]
			s.addLeaf(Leaf{l.Column, append(l.Path[:len(l.Path):len(l.Path)], f.Name), f.Type}, part, nulls)
		}
	case !l.Type.Nested():
		s.leaves, s.spreads = append(s.leaves, l), append(s.spreads, newSpread(l.Type, c, nulls))
	}
}

// Len is the number of keys.
func (s *Set) Len() int { return s.index.Len() }

// Keys are the keys as columns, which the caller releases.
func (s *Set) Keys() []columnar.Column { return s.index.Keys(nil) }

// Types are those of the columns of the keys.
func (s *Set) Types() []columnar.Type { return s.types }

// Leaves are the parts of the keys that Meets can be asked about.
func (s *Set) Leaves() []Leaf { return s.leaves }

// Meets reports whether a key may have a value in a leaf that lies within bounds. False is certain.
func (s *Set) Meets(leaf int, b Bounds) bool { return s.spreads[leaf].meets(b) }

// Finder looks rows up in a set. It belongs to one goroutine.
type Finder struct {
	index   *Index
	columns int
	ids     []int32
}

// Finder returns one for a goroutine.
func (s *Set) Finder() *Finder { return &Finder{index: s.index.Reader(), columns: len(s.types)} }

// Find appends the rows whose key is in the set, ascending. keys are the columns of the key of all rows.
func (f *Finder) Find(keys []columnar.Column, rows int, to columnar.Selection) columnar.Selection {
	if f.columns == 0 {
		return f.all(rows, to)
	}
	f.ids = f.index.Find(keys, nil, f.ids)
	for row, id := range f.ids {
		if id >= 0 {
			to = append(to, int32(row))
		}
	}
	return to
}

// all is every row, if the set has the only key that there is without columns.
func (f *Finder) all(rows int, to columnar.Selection) columnar.Selection {
	if f.index.Len() == 0 {
		return to
	}
	for row := range int32(rows) {
		to = append(to, row)
	}
	return to
}
