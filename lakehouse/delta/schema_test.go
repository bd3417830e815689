package delta

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func TestTypeNames(t *testing.T) {
	for name, want := range map[string]columnar.Type{
		"boolean": columnar.Boolean, "byte": columnar.TinyInt, "short": columnar.SmallInt, "integer": columnar.Int, "long": columnar.BigInt,
		"float": columnar.Float, "double": columnar.Double, "string": columnar.String, "binary": columnar.Binary, "date": columnar.Date,
		"timestamp": columnar.Timestamp, "timestamp_ntz": columnar.TimestampNTZ, "decimal(12,2)": columnar.Decimal(12, 2), "decimal(38,38)": columnar.Decimal(38, 38),
	} {
		got, ok := typeOf(name)
		require.True(t, ok, name)
		require.Equal(t, want, got)
		require.Equal(t, name, typeName(want))
	}
	for _, name := range []string{"variant", "decimal(39,2)", "decimal(0,0)", "decimal(5,6)", "decimal(5,-1)", "decimal(5,2)x", "", "LONG"} {
		_, ok := typeOf(name)
		require.False(t, ok, name)
	}
}

// A schema is whole or none: a table never seems to lack a column that cannot be read.
func TestDecodeSchema(t *testing.T) {
	field := func(rest string) string { return `{"type":"struct","fields":[{"name":"c",` + rest + `}]}` }
	for text, want := range map[string]struct {
		schema   string
		problems []string
	}{
		field(`"type":"long","nullable":false,"metadata":{}`):                                                                                                                            {"c BIGINT NOT NULL", nil},
		field(`"type":"long","nullable":true,"metadata":{"comment":"x","delta.columnMapping.id":1}`):                                                                                     {"c BIGINT", nil},
		field(`"type":"long","nullable":true,"metadata":{"delta.invariants":"{}","delta.identity.x":1}`):                                                                                 {"c BIGINT", []string{"column c has delta.identity.x", "column c has delta.invariants"}},
		field(`"type":"long","nullable":true,"metadata":{"CURRENT_DEFAULT":"1"}`):                                                                                                        {"c BIGINT", []string{"column c has CURRENT_DEFAULT"}},
		field(`"type":"variant","nullable":true,"metadata":{}`):                                                                                                                          {"", []string{`column c has type "variant"`}},
		field(`"type":"string","nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"varchar(3)"}`):                                                                                  {"c STRING", []string{"column c has __CHAR_VARCHAR_TYPE_STRING"}},
		field(`"type":{"type":"array","elementType":"long","containsNull":false},"nullable":true,"metadata":{}`):                                                                         {"c ARRAY<BIGINT>", []string{"column c is an ARRAY without NULL elements"}},
		field(`"type":{"type":"map","keyType":"string","valueType":{"type":"array","elementType":"date","containsNull":false},"valueContainsNull":false},"nullable":true,"metadata":{}`): {"c MAP<STRING, ARRAY<DATE>>", []string{"column c is a MAP without NULL values", "column c.value is an ARRAY without NULL elements"}},
		field(`"type":{"type":"struct","fields":[{"name":"x","type":"long","nullable":false,"metadata":{"delta.invariants":"{}"}}]},"nullable":true,"metadata":{}`):                      {"c STRUCT<x: BIGINT>", []string{"column c.x is NOT NULL inside of a STRUCT", "column c.x has delta.invariants"}},
		field(`"type":{"type":"array","elementType":{"type":"struct","fields":[{"name":"x","type":"variant","nullable":true,"metadata":{}}]}},"nullable":true,"metadata":{}`):            {"", []string{`column c.element.x has type "variant"`}},
		field(`"type":{"type":"array","elementType":7},"nullable":true,"metadata":{}`):                                                                                                   {"", []string{`column c.element has type 7`}},
		field(`"type":{"type":"struct","fields":[]},"nullable":true,"metadata":{}`):                                                                                                      {"", []string{`column c has type {"type":"struct","fields":[]}`}},
		`{`: {"", []string{"the schema cannot be read (unexpected end of JSON input)"}},
	} {
		s, problems := decodeSchema(text)
		require.Equal(t, want.problems, problems, text)
		require.Equal(t, want.schema == "", s == nil)
		if s != nil {
			require.Equal(t, want.schema, s.String())
		}
	}
}

// A schema that is written is read back, and stands in the log as Spark writes it.
func TestNestedSchema(t *testing.T) {
	point := columnar.Struct(columnar.Field{Name: "x", Type: columnar.Int}, columnar.Field{Name: "at", Type: columnar.TimestampNTZ})
	s := columnar.NewSchema(columnar.Field{Name: "m", Type: columnar.Map(columnar.String, columnar.Array(point)), Nullable: true})
	text, err := encodeSchema(s)
	require.NoError(t, err)
	require.Equal(t, `{"type":"struct","fields":[{"name":"m","type":{"type":"map","keyType":"string","valueType":{"type":"array","elementType":`+
		`{"type":"struct","fields":[{"name":"x","type":"integer","nullable":true,"metadata":{}},{"name":"at","type":"timestamp_ntz","nullable":true,"metadata":{}}]}`+
		`,"containsNull":true},"valueContainsNull":true},"nullable":true,"metadata":{}}]}`, text)
	back, problems := decodeSchema(text)
	require.Empty(t, problems)
	require.True(t, s.Equal(back))
	require.True(t, hasNTZ(s.Fields))
	require.False(t, hasNTZ(schema.Fields))
}
