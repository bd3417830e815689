// Package sparktest compares values with what Spark answered, for tests that have its answers recorded
// and for those that ask it.
package sparktest

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// TypeName is a type as Spark's simpleString prints it: "struct<a:int>".
func TypeName(t columnar.Type) string {
	parts := make([]string, len(t.Parts()))
	for i, f := range t.Parts() {
		parts[i] = TypeName(f.Type)
		if t.Kind == columnar.StructKind {
			parts[i] = f.Name + ":" + parts[i]
		}
	}
	switch t.Kind {
	case columnar.ArrayKind, columnar.MapKind, columnar.StructKind:
		return strings.ToLower(t.Kind.String()) + "<" + strings.Join(parts, ",") + ">"
	}
	return strings.ToLower(t.String())
}

// Value prints a value as Spark's answers do: numbers, texts and flags as JSON,
// maps as pairs, binary as hex, everything else as the text of its cast to STRING.
func Value(t columnar.Type, c columnar.Column, row int) string {
	if t == columnar.Null || c.IsNull(row) {
		return "null"
	}
	switch t.Kind {
	case columnar.ArrayKind:
		from, until := c.(*array.List).ValueOffsets(row)
		return list(t.Elem(), c.(*array.List).ListValues(), from, until)
	case columnar.MapKind:
		return pairs(t, c.(*array.Map), row)
	case columnar.StructKind:
		fields := make([]string, len(t.Parts()))
		for i, f := range t.Parts() {
			fields[i] = jsonText(f.Name) + ":" + Value(f.Type, c.(*array.Struct).Field(i), row)
		}
		return "{" + strings.Join(fields, ",") + "}"
	case columnar.BooleanKind, columnar.StringKind, columnar.TinyIntKind, columnar.SmallIntKind, columnar.IntKind, columnar.BigIntKind:
		return string(columnar.AppendValueJSON(nil, c, row))
	case columnar.BinaryKind:
		return jsonText(hex.EncodeToString(c.(*array.Binary).Value(row)))
	}
	return castText(t, c, row)
}

func list(t columnar.Type, c columnar.Column, from, until int64) string {
	out := make([]string, 0, until-from)
	for k := from; k < until; k++ {
		out = append(out, Value(t, c, int(k)))
	}
	return "[" + strings.Join(out, ",") + "]"
}

func pairs(t columnar.Type, m *array.Map, row int) string {
	from, until := m.ValueOffsets(row)
	out := []string{}
	for k := from; k < until; k++ {
		out = append(out, "["+Value(t.KeyType(), m.Keys(), int(k))+","+Value(t.ValueType(), m.Items(), int(k))+"]")
	}
	return "[" + strings.Join(out, ",") + "]"
}

func castText(t columnar.Type, c columnar.Column, row int) string {
	c.Retain()
	b := columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "v", Type: t, Nullable: true}), []columnar.Column{c}, c.Len())
	defer b.Release()
	e, err := compute.Cast(compute.Column(0, "v", t, true), columnar.String, false)
	if err != nil {
		return err.Error()
	}
	text, err := compute.NewDefaultEvaluator().Eval(e, b, nil)
	if err != nil {
		return err.Error()
	}
	defer text.Release()
	return jsonText(columnar.StringAt(text, row))
}

func jsonText(s string) string {
	out, _ := json.Marshal(s)
	return string(out)
}

// Condition is Spark's name for why a row failed.
func Condition(err error) string {
	var fault *compute.EvalError
	if errors.As(err, &fault) {
		return fault.Condition
	}
	return err.Error()
}
