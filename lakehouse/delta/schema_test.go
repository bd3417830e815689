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
		"timestamp": columnar.Timestamp, "decimal(12,2)": columnar.Decimal(12, 2), "decimal(38,38)": columnar.Decimal(38, 38),
	} {
		got, ok := typeOf(name)
		require.True(t, ok, name)
		require.Equal(t, want, got)
		back, ok := typeName(want)
		require.True(t, ok)
		require.Equal(t, name, back)
	}
	for _, name := range []string{"timestamp_ntz", "variant", "decimal(39,2)", "decimal(0,0)", "decimal(5,6)", "decimal(5,-1)", "decimal(5,2)x", "", "LONG"} {
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
		field(`"type":"long","nullable":false,"metadata":{}`):                                            {"c BIGINT NOT NULL", nil},
		field(`"type":"long","nullable":true,"metadata":{"comment":"x","delta.columnMapping.id":1}`):     {"c BIGINT", nil},
		field(`"type":"long","nullable":true,"metadata":{"delta.invariants":"{}","delta.identity.x":1}`): {"c BIGINT", []string{"column c has delta.identity.x", "column c has delta.invariants"}},
		field(`"type":"long","nullable":true,"metadata":{"CURRENT_DEFAULT":"1"}`):                        {"c BIGINT", []string{"column c has CURRENT_DEFAULT"}},
		field(`"type":"timestamp_ntz","nullable":true,"metadata":{}`):                                    {"", []string{`column c has type "timestamp_ntz"`}},
		field(`"type":{"type":"struct","fields":[]},"nullable":true,"metadata":{}`):                      {"", []string{`column c has type {"type":"struct","fields":[]}`}},
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

func TestPartitionValues(t *testing.T) {
	for _, c := range []struct {
		t    columnar.Type
		text string
		want any
	}{
		{columnar.String, "a", "a"},
		{columnar.Boolean, "true", true},
		{columnar.TinyInt, "-5", int64(-5)},
		{columnar.BigInt, "9223372036854775807", int64(9223372036854775807)},
		{columnar.Double, "1.5", 1.5},
		{columnar.Date, "1969-12-31", int64(-1)},
		{columnar.Timestamp, "1970-01-01 00:00:00.000001", int64(1)},
		{columnar.Timestamp, "1970-01-01 00:00:01", int64(1_000_000)},
		{columnar.Timestamp, "1970-01-01T00:00:00.000002Z", int64(2)},
		{columnar.Binary, "\u0000\u00ff", "\x00\xff"},
	} {
		got, err := partitionValue(c.t, c.text)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	got, err := partitionValue(columnar.Decimal(5, 2), "-1.5")
	require.NoError(t, err)
	require.Equal(t, "-150", got.(interface{ String() string }).String())
	for typ, text := range map[columnar.Type]string{columnar.TinyInt: "200", columnar.Date: "2024", columnar.Timestamp: "x", columnar.Decimal(3, 1): "1.25", columnar.Decimal(3, 2): "1e300", columnar.Binary: "\u0100", columnar.Boolean: "x"} {
		_, err := partitionValue(typ, text)
		require.Error(t, err, typ)
	}
}
