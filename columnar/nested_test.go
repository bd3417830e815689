package columnar_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// TestNestedTypes: equal parts are one type, whatever their nullability.
func TestNestedTypes(t *testing.T) {
	point := columnar.Struct(columnar.Field{Name: "x", Type: columnar.Int}, columnar.Field{Name: "on-time", Type: columnar.Decimal(5, 2), Nullable: true})
	again := columnar.Struct(columnar.Field{Name: "x", Type: columnar.Int, Nullable: true}, columnar.Field{Name: "on-time", Type: columnar.Decimal(5, 2)})
	require.True(t, point == again)
	require.Equal(t, "STRUCT<x: INT, `on-time`: DECIMAL(5,2)>", point.String())
	require.Equal(t, "MAP<STRING, ARRAY<STRUCT<x: INT, `on-time`: DECIMAL(5,2)>>>", columnar.Map(columnar.String, columnar.Array(point)).String())
	require.NotEqual(t, columnar.Array(columnar.Int), columnar.Array(columnar.BigInt))
	require.Equal(t, 1, point.FieldIndex("ON-TIME"))
	require.Equal(t, -1, point.FieldIndex("y"))
	require.Equal(t, "INTERVAL DAY TO SECOND", columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit).String())
	require.Equal(t, "INTERVAL YEAR", columnar.YearMonthInterval(columnar.YearUnit, columnar.YearUnit).String())
}

// nestedColumn makes a column of a nested type from JSON; a MAP is a list of key and value pairs.
func nestedColumn(t *testing.T, typ columnar.Type, values string) columnar.Column {
	c, _, err := array.FromJSON(memory.DefaultAllocator, typ.Arrow(), strings.NewReader(values))
	require.NoError(t, err)
	return c
}

// TestMovesOfNestedRows: slice, gather and concatenation keep nested values, nulls at each level included.
func TestMovesOfNestedRows(t *testing.T) {
	inner := columnar.Struct(columnar.Field{Name: "a", Type: columnar.Int}, columnar.Field{Name: "s", Type: columnar.String})
	for _, test := range []struct {
		typ    columnar.Type
		values string
		rows   []string
	}{
		{columnar.Array(columnar.Int), `[[1,2],null,[],[3,null]]`, []string{`[1,2]`, `null`, `[]`, `[3,null]`}},
		{inner, `[{"a":1,"s":"x"},null,{"a":null,"s":null},{"a":2,"s":""}]`, []string{`{"a":1,"s":"x"}`, `null`, `{"a":null,"s":null}`, `{"a":2,"s":""}`}},
		{columnar.Map(columnar.BigInt, columnar.Array(inner)), `[[{"key":1,"value":[{"a":1,"s":"x"}]}],null,[],[{"key":2,"value":null},{"key":3,"value":[null]}]]`,
			[]string{`[[1,[{"a":1,"s":"x"}]]]`, `null`, `[]`, `[[2,null],[3,[null]]]`}},
	} {
		c := nestedColumn(t, test.typ, test.values)
		b := columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "v", Type: test.typ, Nullable: true}), []columnar.Column{c}, 4)
		want := make([]string, 4)
		for i, r := range test.rows {
			want[i] = `{"v":` + r + `}`
		}
		require.Equal(t, want, print(b))
		tail := columnar.Slice(b, 1, 4)
		picked := columnar.GatherBatch(tail, columnar.Selection{0, 2})
		require.Equal(t, []string{want[1], want[3]}, print(picked), test.typ)
		all, err := columnar.Concat([]*columnar.Batch{picked, tail})
		require.NoError(t, err)
		require.Equal(t, []string{want[1], want[3], want[1], want[2], want[3]}, print(all), test.typ)
		require.Positive(t, b.Bytes())
	}
}
