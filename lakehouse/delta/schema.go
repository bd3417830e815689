package delta

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// structType is the schema of a table as metaData.schemaString holds it, and the type of a STRUCT in it.
type structType struct {
	Type   string        `json:"type"`
	Fields []structField `json:"fields"`
}

// structField is a column, or a field of a STRUCT. Its type is a name or an object.
type structField struct {
	Name     string                     `json:"name"`
	Type     json.RawMessage            `json:"type"`
	Nullable bool                       `json:"nullable"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

type arrayType struct {
	Type         string          `json:"type"`
	ElementType  json.RawMessage `json:"elementType"`
	ContainsNull bool            `json:"containsNull"`
}

type mapType struct {
	Type              string          `json:"type"`
	KeyType           json.RawMessage `json:"keyType"`
	ValueType         json.RawMessage `json:"valueType"`
	ValueContainsNull bool            `json:"valueContainsNull"`
}

// encodeSchema writes the schema of a table.
func encodeSchema(s *columnar.Schema) (string, error) {
	if err := parquetfile.Storable(s); err != nil {
		return "", err
	}
	b, err := encodeStruct(s.Fields)
	return string(b), err
}

func encodeStruct(fields []columnar.Field) (json.RawMessage, error) {
	own, err := encodeFields(fields)
	if err != nil {
		return nil, err
	}
	return json.Marshal(structType{Type: "struct", Fields: own})
}

func encodeFields(fields []columnar.Field) ([]structField, error) {
	out := []structField{}
	for _, f := range fields {
		t, err := encodeType(f.Type)
		if err != nil {
			return nil, err
		}
		out = append(out, structField{Name: f.Name, Type: t, Nullable: f.Nullable, Metadata: map[string]json.RawMessage{}})
	}
	return out, nil
}

func encodeType(t columnar.Type) (json.RawMessage, error) {
	switch t.Kind {
	case columnar.StructKind:
		return encodeStruct(t.Parts())
	case columnar.ArrayKind:
		element, err := encodeType(t.Elem())
		if err != nil {
			return nil, err
		}
		return json.Marshal(arrayType{Type: "array", ElementType: element, ContainsNull: true})
	case columnar.MapKind:
		key, err := encodeType(t.KeyType())
		if err != nil {
			return nil, err
		}
		value, err := encodeType(t.ValueType())
		if err != nil {
			return nil, err
		}
		return json.Marshal(mapType{Type: "map", KeyType: key, ValueType: value, ValueContainsNull: true})
	}
	return json.Marshal(typeName(t))
}

// decodeSchema reads the schema of a table. problems name the columns that keep it from being written: those of a type that has no counterpart here, for
// which the schema is nil, and those with a rule on them.
func decodeSchema(text string) (s *columnar.Schema, problems []string) {
	var st structType
	if err := json.Unmarshal([]byte(text), &st); err != nil {
		return nil, []string{fmt.Sprintf("the schema cannot be read (%v)", err)}
	}
	var d schemaDecoder
	s = &columnar.Schema{}
	for _, f := range st.Fields {
		t := d.field(f, f.Name, 0)
		s.Fields = append(s.Fields, columnar.Field{Name: f.Name, Type: t, Nullable: f.Nullable})
	}
	if d.unknown {
		return nil, d.problems
	}
	return s, d.problems
}

// schemaDecoder collects what is wrong with a schema.
type schemaDecoder struct {
	problems []string
	unknown  bool // there is a type without a counterpart
}

// field is the type of a column, or of a field of a STRUCT; name is the way to it.
func (d *schemaDecoder) field(f structField, name string, depth int) columnar.Type {
	d.problems = append(d.problems, rules(f, name)...)
	return d.decode(f.Type, name, depth)
}

// decode reads a type. The STRUCTs, ARRAYs and MAPs of a batch may hold NULL everywhere: rules that forbid it are problems.
func (d *schemaDecoder) decode(text json.RawMessage, name string, depth int) columnar.Type {
	const maxDepth = 30 // each level is parsed again with all that is below
	var kind struct{ Type string }
	switch {
	case depth > maxDepth:
	case json.Unmarshal(text, &kind.Type) == nil:
		if t, ok := typeOf(kind.Type); ok {
			return t
		}
	case json.Unmarshal(text, &kind) != nil:
	case kind.Type == "struct":
		return d.structure(text, name, depth)
	case kind.Type == "array":
		return d.array(text, name, depth)
	case kind.Type == "map":
		return d.mapping(text, name, depth)
	}
	return d.refuse(text, name)
}

func (d *schemaDecoder) refuse(text json.RawMessage, name string) columnar.Type {
	d.unknown = true
	d.problems = append(d.problems, fmt.Sprintf("column %s has type %s", name, short(string(text))))
	return columnar.Type{}
}

func (d *schemaDecoder) structure(text json.RawMessage, name string, depth int) columnar.Type {
	var st structType
	if err := json.Unmarshal(text, &st); err != nil || len(st.Fields) == 0 {
		return d.refuse(text, name)
	}
	var fields []columnar.Field
	for _, f := range st.Fields {
		path := name + "." + f.Name
		if !f.Nullable {
			d.problems = append(d.problems, fmt.Sprintf("column %s is NOT NULL inside of a STRUCT", path))
		}
		fields = append(fields, columnar.Field{Name: f.Name, Type: d.field(f, path, depth+1)})
	}
	return d.known(func() columnar.Type { return columnar.Struct(fields...) })
}

func (d *schemaDecoder) array(text json.RawMessage, name string, depth int) columnar.Type {
	a := arrayType{ContainsNull: true}
	if err := json.Unmarshal(text, &a); err != nil {
		return d.refuse(text, name)
	}
	if !a.ContainsNull {
		d.problems = append(d.problems, fmt.Sprintf("column %s is an ARRAY without NULL elements", name))
	}
	element := d.decode(a.ElementType, name+".element", depth+1)
	return d.known(func() columnar.Type { return columnar.Array(element) })
}

func (d *schemaDecoder) mapping(text json.RawMessage, name string, depth int) columnar.Type {
	m := mapType{ValueContainsNull: true}
	if err := json.Unmarshal(text, &m); err != nil {
		return d.refuse(text, name)
	}
	if !m.ValueContainsNull {
		d.problems = append(d.problems, fmt.Sprintf("column %s is a MAP without NULL values", name))
	}
	key, value := d.decode(m.KeyType, name+".key", depth+1), d.decode(m.ValueType, name+".value", depth+1)
	return d.known(func() columnar.Type { return columnar.Map(key, value) })
}

// known makes a type, if all of its parts are known.
func (d *schemaDecoder) known(t func() columnar.Type) columnar.Type {
	if d.unknown {
		return columnar.Type{}
	}
	return t()
}

// rules are what a column's metadata asks of writers. The names that column mapping gives matter only where it is on.
func rules(f structField, name string) (out []string) {
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		if strings.HasPrefix(key, "delta.") && !strings.HasPrefix(key, "delta.columnMapping.") || slices.Contains(otherRules, key) {
			out = append(out, fmt.Sprintf("column %s has %s", name, key))
		}
	}
	return out
}

// otherRules are a default value, and the length of CHAR and VARCHAR.
var otherRules = []string{"CURRENT_DEFAULT", "__CHAR_VARCHAR_TYPE_STRING"}

func short(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}
