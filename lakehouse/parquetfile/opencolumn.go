package parquetfile

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// opener opens the columns of a row group.
type opener struct {
	schema *parquet.Schema
	group  parquet.RowGroup
	leaves []*leafReader

	from    store.Reader
	columns []format.ColumnChunk // of the group
}

// openColumn opens a column of a row group by its name, or by what its Names say.
func (o *opener) openColumn(f columnar.Field, names *Names) (columnReader, error) {
	root := spot{node: o.schema}
	at, ok := root.named(f.Name, names)
	switch {
	case !ok && names != nil && names.ID != 0 && !root.identified():
		return nil, errNoIDs
	case !ok:
		return absentColumn{absentPart{f.Type}}, nil
	}
	if at.node.Leaf() && !at.repeated && !f.Type.Nested() {
		into, err := newSink(f.Type, at.node.Type())
		if err != nil {
			return nil, err
		}
		return &plainColumn{into: into, pages: o.pages(at)}, nil
	}
	whole, err := o.part(f.Type, at, names)
	if err != nil {
		o.close()
		return nil, err
	}
	return &nestedColumn{root: whole, opener: *o}, nil
}

func (o *opener) pages(at spot) parquet.Pages {
	l, _ := o.schema.Lookup(at.path...)
	pages := o.group.ColumnChunks()[l.ColumnIndex].Pages()
	if m := &o.columns[l.ColumnIndex].MetaData; mayHaveRuns(m) {
		return newBooleanRuns(o.from, m, pages, l)
	}
	return pages
}

func (o *opener) close() {
	for _, l := range o.leaves {
		l.close()
	}
}

// part opens what a spot holds as a type.
func (o *opener) part(t columnar.Type, at spot, names *Names) (part, error) {
	if len(at.path) > maxDepth {
		return nil, errDeep
	}
	list, mapping := at.annotated()
	switch {
	case t.Kind == columnar.ArrayKind:
		repeated, element, ok := at.list()
		if ok {
			return o.list(&listPart{typ: t, at: at, repeated: repeated}, names, element)
		}
	case t.Kind == columnar.MapKind:
		repeated, key, value, ok := at.mapping()
		if ok {
			return o.list(&listPart{typ: t, at: at, repeated: repeated}, names, key, value)
		}
	case at.repeated:
	case t.Kind == columnar.StructKind && !at.node.Leaf() && !list && !mapping:
		return o.structure(t, at, names)
	case !t.Nested() && at.node.Leaf():
		into, err := newSink(t, at.node.Type())
		if err != nil {
			return nil, err
		}
		return leafPart{o.leaf(at, into)}, nil
	}
	return nil, fmt.Errorf("it is %s here, and of another shape in the file", t)
}

func (o *opener) leaf(at spot, into sink) *leafReader {
	l := &leafReader{spot: at, into: into, pages: o.pages(at)}
	o.leaves = append(o.leaves, l)
	return l
}

func (o *opener) list(l *listPart, names *Names, parts ...spot) (part, error) {
	for i, at := range parts {
		f := l.typ.Parts()[i]
		p, err := o.part(f.Type, at, names.part(f.Name))
		if err != nil {
			return nil, err
		}
		l.parts = append(l.parts, p)
	}
	return l, nil
}

// structure opens the fields of a STRUCT by name. If the file has none of them, another field tells where the STRUCT is there.
func (o *opener) structure(t columnar.Type, at spot, names *Names) (part, error) {
	s := &structPart{typ: t, at: at}
	for _, f := range t.Parts() {
		var p part = absentPart{f.Type}
		if below, ok := at.named(f.Name, names.part(f.Name)); ok {
			var err error
			if p, err = o.part(f.Type, below, names.part(f.Name)); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		s.fields = append(s.fields, p)
		if s.levels == nil {
			s.levels = p.leaf()
		}
	}
	if s.levels == nil {
		other := at.anyLeaf()
		if !other.node.Leaf() {
			return nil, fmt.Errorf("%w: a group without fields", ErrDamaged)
		}
		s.levels = o.leaf(other, nil)
	}
	return s, nil
}

// nestedColumn reads a nested column.
type nestedColumn struct {
	root part
	opener
}

func (n *nestedColumn) read(rows int) (columnar.Column, error) {
	for _, l := range n.leaves {
		if err := l.read(rows); err != nil {
			return nil, err
		}
	}
	return n.root.build(rows)
}
