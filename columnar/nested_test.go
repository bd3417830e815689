package columnar_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
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

// breakText makes a byte that is no letter of each "!" of a column.
func breakText(d arrow.ArrayData) {
	if d.DataType().ID() == arrow.STRING {
		text := d.Buffers()[2].Bytes()
		copy(text, bytes.ReplaceAll(text, []byte("!"), []byte("\xff")))
	}
	for _, child := range d.Children() {
		breakText(child)
	}
}

// A column is text where all bytes are UTF-8, and each value is for itself.
func TestInvalidText(t *testing.T) {
	text := func(values ...string) columnar.Column { return columnar.NewStringColumn(values) }
	broken := func(typ columnar.Type, values string) columnar.Column {
		c := nestedColumn(t, typ, values)
		breakText(c.Data())
		return c
	}
	structs := columnar.Struct(columnar.Field{Name: "s", Type: columnar.String})
	for _, test := range []struct {
		name string
		c    columnar.Column
		want []int32
	}{
		{"no rows", text(), nil},
		{"letters", text("a", "", "é", "\U0001F600"), nil},
		{"bytes", text("a", "\xff", "é", "\xc3"), []int32{1, 3}},
		{"a letter that is cut", text("x\xc3", "\xa9", "\xe2\x82", "\xac", "é"), []int32{0, 1, 2, 3}},
		{"a slice begins behind", array.NewSlice(text("\xff", "a", "\xc3", "b"), 1, 4), []int32{1}},
		{"NULL", broken(columnar.String, `["a", null, "é"]`), nil},
		{"numbers", broken(columnar.Int, `[1, 2]`), nil},
		{"elements", broken(columnar.Array(columnar.String), `[["a"], null, [], ["b", "!", "!"], ["c"], ["!"]]`), []int32{3, 5}},
		{"a slice of lists", array.NewSlice(broken(columnar.Array(columnar.String), `[["!"], ["a"], ["!"]]`), 1, 3), []int32{1}},
		{"fields", broken(structs, `[{"s": "a"}, null, {"s": "!"}, {"s": null}]`), []int32{2}},
		{"keys and values", broken(columnar.Map(columnar.String, columnar.String),
			`[[{"key": "a", "value": "b"}], null, [{"key": "!", "value": "b"}], [{"key": "a", "value": "b"}, {"key": "b", "value": "!"}]]`), []int32{2, 3}},
		{"lists of structs", broken(columnar.Array(structs), `[[{"s": "a"}, {"s": "b"}], [{"s": "c"}, {"s": "!"}]]`), []int32{1}},
	} {
		require.Equal(t, test.want, columnar.InvalidText(test.c), test.name)
	}
}
