package rowcode_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
	"github.com/lakewheel/lakewheel/planner"
)

// TestOrder: codes ascend as the values do, and read back as the same values.
func TestOrder(t *testing.T) {
	for typ, ascending := range map[string][]string{
		"BOOLEAN":                 {"NULL", "false", "true"},
		"TINYINT":                 {"NULL", "-128", "-1", "0", "127"},
		"SMALLINT":                {"NULL", "-32768", "-1", "0", "32767"},
		"INT":                     {"NULL", "-2147483648", "-1", "0", "1", "256"},
		"BIGINT":                  {"NULL", "-9223372036854775808", "-1", "0", "256", "9223372036854775807"},
		"DECIMAL(38,2)":           {"NULL", "-99999999999999999999.5", "-0.01", "0", "0.01", "18446744073709551616"},
		"FLOAT":                   {"NULL", "'-Infinity'", "-1.5", "-0.0D", "0", "1e-30D", "2", "'Infinity'", "'NaN'"},
		"DOUBLE":                  {"NULL", "'-Infinity'", "-1.5", "-0.0D", "0", "1e-300D", "2", "'Infinity'", "'NaN'"},
		"STRING":                  {"NULL", "''", "'a'", "'a\\0'", "'a\\0\\0'", "'a\\0b'", "'ab'", "'b'"},
		"BINARY":                  {"NULL", "X''", "X'00'", "X'0000'", "X'0001'", "X'01'", "X'ff'", "X'ff00'"},
		"DATE":                    {"NULL", "DATE'1969-12-31'", "DATE'1970-01-02'"},
		"TIMESTAMP":               {"NULL", "TIMESTAMP'1969-12-31 00:00:00'", "TIMESTAMP'1970-01-02 00:00:00'"},
		"TIMESTAMP_NTZ":           {"NULL", "TIMESTAMP_NTZ'1969-12-31 00:00:00'", "TIMESTAMP_NTZ'1970-01-02 00:00:00'"},
		"INTERVAL DAY":            {"NULL", "interval '-1' day", "interval '1' day"},
		"INTERVAL MONTH":          {"NULL", "interval '-1' month", "interval '1' month"},
		"ARRAY<INT>":              {"NULL", "array()", "array(NULL)", "array(1)", "array(1, NULL)", "array(1, 2)", "array(2)"},
		"ARRAY<STRING>":           {"array('a')", "array('a', 'b')", "array('ab')"},
		"STRUCT<a: INT, b: INT>":  {"NULL", "named_struct('a', NULL, 'b', 2)", "named_struct('a', 1, 'b', NULL)", "named_struct('a', 1, 'b', 1)"},
		"MAP<STRING, ARRAY<INT>>": {"NULL", "map('a', NULL)", "map('a', array(1), 'b', array(2))"},
	} {
		t.Run(typ, func(t *testing.T) {
			typ, err := planner.ParseType(typ)
			require.NoError(t, err)
			c := columnOf(t, typ, ascending)
			checkOrder(t, typ, c)
			checkOrder(t, typ, array.NewSlice(c, 2, int64(c.Len())))
			checkOrder(t, columnar.Struct(columnar.Field{Name: "x", Type: typ}), structOf(typ, c))
		})
	}
}

func checkOrder(t *testing.T, typ columnar.Type, c columnar.Column) {
	in, out := rowcode.Open(c, typ, true), rowcode.NewOutput(typ)
	var last []byte
	for row := range c.Len() {
		code := in.Append(nil, row)
		require.Equal(t, 1, bytes.Compare(code, last), "row %d: %x after %x", row, code, last)
		last = code
		require.Equal(t, []byte("rest"), out.Read(append(code, "rest"...)))
	}
	back := out.Column()
	require.True(t, arrow.TypeEqual(typ.Arrow(), back.DataType()))
	for row := range c.Len() {
		require.Equal(t, text(c, row), text(back, row))
	}
}

func text(c columnar.Column, row int) string { return string(columnar.AppendValueJSON(nil, c, row)) }

// TestEqual: what Spark takes for one value has one code, unless it is to be kept exactly.
func TestEqual(t *testing.T) {
	c := columnOf(t, columnar.Double, []string{"-0.0D", "0.0D"})
	in, exact := rowcode.Open(c, columnar.Double, false), rowcode.Open(c, columnar.Double, true)
	require.Equal(t, in.Append(nil, 0), in.Append(nil, 1))
	require.NotEqual(t, exact.Append(nil, 0), exact.Append(nil, 1))
}

func structOf(typ columnar.Type, c columnar.Column) columnar.Column {
	c.Retain()
	return columnar.NewStructColumn(columnar.Struct(columnar.Field{Name: "x", Type: typ}), []columnar.Column{c}, c.Len(), nil)
}

func columnOf(t *testing.T, typ columnar.Type, texts []string) columnar.Column {
	var parts []arrow.Array
	for _, text := range texts {
		e, err := planner.Expression(text, &columnar.Schema{})
		require.NoError(t, err, text)
		e, err = compute.Cast(e, typ, false)
		require.NoError(t, err, text)
		c, err := compute.NewDefaultEvaluator().Eval(e, columnar.NewBatch(&columnar.Schema{}, nil, 1), nil)
		require.NoError(t, err, text)
		parts = append(parts, c)
	}
	c, err := array.Concatenate(parts, memory.DefaultAllocator)
	require.NoError(t, err)
	return c
}
