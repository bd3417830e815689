package delta

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// structType is the schema of a table as metaData.schemaString holds it.
type structType struct {
	Type   string        `json:"type"`
	Fields []structField `json:"fields"`
}

type structField struct {
	Name     string          `json:"name"`
	Type     json.RawMessage `json:"type"`
	Nullable bool            `json:"nullable"`
	Metadata map[string]any  `json:"metadata"`
}

var typeNames = map[columnar.Kind]string{
	columnar.BooleanKind: "boolean", columnar.TinyIntKind: "byte", columnar.SmallIntKind: "short", columnar.IntKind: "integer",
	columnar.BigIntKind: "long", columnar.FloatKind: "float", columnar.DoubleKind: "double", columnar.StringKind: "string",
	columnar.BinaryKind: "binary", columnar.DateKind: "date", columnar.TimestampKind: "timestamp",
}

func typeName(t columnar.Type) string {
	if t.Kind == columnar.DecimalKind {
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	}
	return typeNames[t.Kind]
}

func typeOf(name string) (columnar.Type, bool) {
	var precision, scale int
	if n, err := fmt.Sscanf(name, "decimal(%d,%d)", &precision, &scale); n == 2 && err == nil && precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision {
		return columnar.Decimal(precision, scale), true
	}
	for kind, text := range typeNames {
		if text == name {
			return columnar.Type{Kind: kind}, true
		}
	}
	return columnar.Type{}, false
}

// encodeSchema writes the schema of a table.
func encodeSchema(s *columnar.Schema) (string, error) {
	st := structType{Type: "struct", Fields: []structField{}}
	for _, f := range s.Fields {
		name, err := json.Marshal(typeName(f.Type))
		if err != nil {
			return "", err
		}
		st.Fields = append(st.Fields, structField{Name: f.Name, Type: name, Nullable: f.Nullable, Metadata: map[string]any{}})
	}
	b, err := json.Marshal(st)
	return string(b), err
}

// decodeSchema reads the schema of a table. A column that cannot be written, for its type or for a rule on it, is named in refused.
func decodeSchema(text string) (s *columnar.Schema, refused []string, err error) {
	var st structType
	if err := json.Unmarshal([]byte(text), &st); err != nil {
		return nil, nil, fmt.Errorf("schemaString: %w", err)
	}
	s = &columnar.Schema{}
	for _, f := range st.Fields {
		var name string
		t, ok := columnar.Type{}, false
		if json.Unmarshal(f.Type, &name) == nil {
			t, ok = typeOf(name)
		}
		if !ok {
			refused = append(refused, fmt.Sprintf("column %s has type %s", f.Name, short(string(f.Type))))
			continue
		}
		for key := range f.Metadata {
			if strings.HasPrefix(key, "delta.") && key != "delta.columnMapping.id" && key != "delta.columnMapping.physicalName" {
				refused = append(refused, fmt.Sprintf("column %s has %s", f.Name, key))
			}
		}
		s.Fields = append(s.Fields, columnar.Field{Name: f.Name, Type: t, Nullable: f.Nullable})
	}
	return s, refused, nil
}

func short(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
