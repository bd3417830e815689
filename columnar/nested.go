package columnar

import (
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// shape is what a nested type is made of. Equal shapes are one shape, so that types
// compare with ==.
type shape struct {
	text   string
	layout arrow.DataType
	// fields are the element, the key and the value, or the fields of a STRUCT.
	fields []Field
}

// shapes holds each shape once, by its text.
var shapes sync.Map

func intern(kind Kind, text string, fields []Field, layout func() arrow.DataType) Type {
	known, ok := shapes.Load(text)
	if !ok {
		known, _ = shapes.LoadOrStore(text, &shape{text: text, layout: layout(), fields: fields})
	}
	return Type{Kind: kind, shape: known.(*shape)}
}

// Array is ARRAY<elem>; its elements may be NULL.
func Array(elem Type) Type {
	fields := []Field{{Name: "element", Type: elem, Nullable: true}}
	return intern(ArrayKind, "ARRAY<"+elem.String()+">", fields, func() arrow.DataType {
		return arrow.ListOfField(arrow.Field{Name: "element", Type: elem.Arrow(), Nullable: true})
	})
}

// Map is MAP<key, value>; its values may be NULL, its keys may not.
func Map(key, value Type) Type {
	fields := []Field{{Name: "key", Type: key}, {Name: "value", Type: value, Nullable: true}}
	return intern(MapKind, "MAP<"+key.String()+", "+value.String()+">", fields, func() arrow.DataType {
		return arrow.MapOf(key.Arrow(), value.Arrow())
	})
}

// Struct is STRUCT<fields>; every field may be NULL.
func Struct(fields ...Field) Type {
	own := make([]Field, len(fields))
	parts := make([]string, len(fields))
	for i, f := range fields {
		own[i] = Field{Name: f.Name, Type: f.Type, Nullable: true}
		parts[i] = QuoteName(f.Name) + ": " + f.Type.String()
	}
	return intern(StructKind, "STRUCT<"+strings.Join(parts, ", ")+">", own, func() arrow.DataType {
		out := make([]arrow.Field, len(own))
		for i, f := range own {
			out[i] = arrow.Field{Name: f.Name, Type: f.Type.Arrow(), Nullable: true}
		}
		return arrow.StructOf(out...)
	})
}

// Nested reports whether t is an ARRAY, a MAP or a STRUCT.
func (t Type) Nested() bool { return t.shape != nil }

// Parts are what a nested type is made of: the element of an ARRAY, the key and the
// value of a MAP, the fields of a STRUCT. They are not to be changed. Other types have none.
func (t Type) Parts() []Field {
	if t.shape == nil {
		return nil
	}
	return t.shape.fields
}

// Elem is the type of the elements of an ARRAY.
func (t Type) Elem() Type { return t.shape.fields[0].Type }

// KeyType is the type of the keys of a MAP.
func (t Type) KeyType() Type { return t.shape.fields[0].Type }

// ValueType is the type of the values of a MAP.
func (t Type) ValueType() Type { return t.shape.fields[1].Type }

// FieldIndex is the position of the field of a STRUCT, as Schema.Index finds it, or -1.
func (t Type) FieldIndex(name string) int { return (&Schema{Fields: t.Parts()}).Index(name) }

// QuoteName puts a name that is not a plain word into backticks, as Spark prints it.
func QuoteName(name string) string {
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
	}
	if name == "" {
		return "``"
	}
	return name
}

// ListParts are the elements of an ARRAY column, borrowed, and where the rows begin and end: row i is
// [offsets[i], offsets[i+1]).
func ListParts(c Column) (offsets []int32, elements Column) {
	a := c.(*array.List)
	if a.Len() == 0 {
		return []int32{0}, a.ListValues()
	}
	return a.Offsets()[a.Data().Offset():], a.ListValues()
}

// StructParts are the fields of a STRUCT column, borrowed.
func StructParts(c Column) []Column {
	a := c.(*array.Struct)
	fields := make([]Column, a.NumField())
	for k := range fields {
		fields[k] = a.Field(k)
	}
	return fields
}
