package parquetfile

import (
	"github.com/lakewheel/lakewheel/columnar"
)

// leaf is a column of a file: values of one plain type, and the way to them from a column of the table. A plain column
// of the table is a leaf itself, a nested one has a leaf for each plain type in it.
type leaf struct {
	column   int // of the table
	name     string
	typ      columnar.Type
	nullable bool // the values may be NULL: all but the keys of a MAP and a NOT NULL column
	steps    []step
}

// step leads from a nested type to one of its parts.
type step struct {
	kind     columnar.Kind
	part     int  // the field of a STRUCT; key or value of a MAP
	nullable bool // the nested value may be NULL
}

// leavesOf are the leaves of a schema, in the order in which a file has them.
func leavesOf(s *columnar.Schema) []leaf {
	var out []leaf
	for i, f := range s.Fields {
		out = appendLeaves(out, leaf{column: i, name: f.Name}, f)
	}
	return out
}

// appendLeaves adds the leaves below a field; above is the way to it.
func appendLeaves(out []leaf, above leaf, f columnar.Field) []leaf {
	if !f.Type.Nested() {
		above.typ, above.nullable = f.Type, f.Nullable
		return append(out, above)
	}
	for i, part := range f.Type.Parts() {
		below := above
		below.name += "." + part.Name
		below.steps = append(above.steps[:len(above.steps):len(above.steps)], step{f.Type.Kind, i, f.Nullable})
		out = appendLeaves(out, below, part)
	}
	return out
}
