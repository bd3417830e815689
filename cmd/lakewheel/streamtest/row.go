package streamtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// wanted and delivered are rows in a form in which they can be compared, sorted.
func wanted(t *testing.T, schema *columnar.Schema, rows [][]json.RawMessage) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = line(t, schema, func(column int) json.RawMessage { return row[column] })
	}
	slices.Sort(lines)
	return lines
}

func delivered(t *testing.T, schema *columnar.Schema, rows []string) []string {
	lines := make([]string, len(rows))
	for i, text := range rows {
		var row map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &row))
		lines[i] = line(t, schema, func(column int) json.RawMessage { return row[schema.Fields[column].Name] })
	}
	slices.Sort(lines)
	return lines
}

func line(t *testing.T, schema *columnar.Schema, at func(column int) json.RawMessage) string {
	parts := make([]string, schema.Len())
	for i, f := range schema.Fields {
		var v any
		d := json.NewDecoder(bytes.NewReader(at(i)))
		d.UseNumber()
		require.NoError(t, d.Decode(&v))
		b, err := json.Marshal(canonical(t, v, f.Type))
		require.NoError(t, err)
		parts[i] = string(b)
	}
	return strings.Join(parts, " ")
}

// noise is what is left of a number that would be 0 if it were computed exactly.
const noise = 1e-9

// canonical is a value in the form that Spark's and ours have in common: times in six digits, floating point numbers in ten, since
// sums of them depend on the order in which states are merged.
func canonical(t *testing.T, v any, typ columnar.Type) any {
	switch {
	case v == nil:
	case typ.Kind == columnar.TimestampKind:
		at, err := time.Parse(time.RFC3339Nano, v.(string))
		require.NoError(t, err)
		return at.Format("2006-01-02T15:04:05.000000Z")
	case typ.Kind == columnar.DoubleKind || typ.Kind == columnar.FloatKind:
		f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		require.NoError(t, err)
		if math.Abs(f) < noise {
			f = 0
		}
		return strconv.FormatFloat(f, 'g', 10, 64)
	case typ.Kind == columnar.ArrayKind:
		out := slices.Clone(v.([]any))
		for i, x := range out {
			out[i] = canonical(t, x, typ.Elem())
		}
		return out
	case typ.Kind == columnar.StructKind:
		out := map[string]any{}
		for _, f := range typ.Parts() {
			out[f.Name] = canonical(t, v.(map[string]any)[f.Name], f.Type)
		}
		return out
	}
	return v
}
