package columnar

import "strings"

// Field is a named, typed column of a schema.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
}

// Schema is an ordered list of fields. A Schema is immutable once shared.
type Schema struct {
	Fields []Field
}

// NewSchema returns a schema of the fields, in order.
func NewSchema(fields ...Field) *Schema { return &Schema{Fields: fields} }

// Len is the number of fields.
func (s *Schema) Len() int { return len(s.Fields) }

// Index returns the position of the field of that name, or -1. As in Spark, names
// compare without regard to case; an exact match is preferred.
func (s *Schema) Index(name string) int {
	folded := -1
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(f.Name, name) {
			folded = i
		}
	}
	return folded
}

// Select returns the schema of the fields at the given positions, in that order.
func (s *Schema) Select(positions []int) *Schema {
	fields := make([]Field, len(positions))
	for i, p := range positions {
		fields[i] = s.Fields[p]
	}
	return &Schema{Fields: fields}
}

// Equal reports whether both schemas have the same fields in the same order.
func (s *Schema) Equal(o *Schema) bool {
	if len(s.Fields) != len(o.Fields) {
		return false
	}
	for i := range s.Fields {
		if s.Fields[i] != o.Fields[i] {
			return false
		}
	}
	return true
}

// String prints the schema as Spark DDL: "ts TIMESTAMP, page STRING NOT NULL".
func (s *Schema) String() string {
	var b strings.Builder
	for i, f := range s.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Name + " " + f.Type.String())
		if !f.Nullable {
			b.WriteString(" NOT NULL")
		}
	}
	return b.String()
}
