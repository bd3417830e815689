package delta

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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

func typeName(t columnar.Type) (string, bool) {
	if t.Kind == columnar.DecimalKind {
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale), true
	}
	name, ok := typeNames[t.Kind]
	return name, ok
}

var decimalName = regexp.MustCompile(`^decimal\((\d{1,2}), ?(-?\d{1,2})\)$`)

func typeOf(name string) (columnar.Type, bool) {
	if name == "decimal" { // an old short form
		return columnar.Decimal(10, 0), true
	}
	if m := decimalName.FindStringSubmatch(name); m != nil {
		precision, _ := strconv.Atoi(m[1])
		scale, _ := strconv.Atoi(m[2])
		if precision < 1 || precision > columnar.MaxDecimalPrecision || scale < 0 || scale > precision {
			return columnar.Type{}, false
		}
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
		text, ok := typeName(f.Type)
		if !ok {
			return "", fmt.Errorf("column %s has type %s, which no table can hold", f.Name, f.Type)
		}
		name, err := json.Marshal(text)
		if err != nil {
			return "", err
		}
		st.Fields = append(st.Fields, structField{Name: f.Name, Type: name, Nullable: f.Nullable, Metadata: map[string]any{}})
	}
	b, err := json.Marshal(st)
	return string(b), err
}

// decodeSchema reads the schema of a table. problems name the columns that keep it from being written: those of a type that has no counterpart here, for
// which the schema is nil, and those with a rule on them.
func decodeSchema(text string) (s *columnar.Schema, problems []string) {
	var st structType
	if err := json.Unmarshal([]byte(text), &st); err != nil {
		return nil, []string{fmt.Sprintf("the schema cannot be read (%v)", err)}
	}
	s = &columnar.Schema{}
	for _, f := range st.Fields {
		var name string
		t, ok := columnar.Type{}, false
		if json.Unmarshal(f.Type, &name) == nil {
			t, ok = typeOf(name)
		}
		if !ok {
			problems = append(problems, fmt.Sprintf("column %s has type %s", f.Name, short(string(f.Type))))
			continue
		}
		problems = append(problems, rules(f)...)
		s.Fields = append(s.Fields, columnar.Field{Name: f.Name, Type: t, Nullable: f.Nullable})
	}
	if len(s.Fields) < len(st.Fields) {
		return nil, problems
	}
	return s, problems
}

// rules are what a column's metadata asks of writers. The names that column mapping gives matter only where it is on.
func rules(f structField) (out []string) {
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		if strings.HasPrefix(key, "delta.") && !strings.HasPrefix(key, "delta.columnMapping.") || key == "CURRENT_DEFAULT" {
			out = append(out, fmt.Sprintf("column %s has %s", f.Name, key))
		}
	}
	return out
}

func short(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}
