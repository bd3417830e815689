package decode

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// documentsOf makes a BINARY column; "\x00null" stands for a null value.
func documentsOf(docs ...string) columnar.Column {
	var b columnar.BinaryBuffer
	for _, doc := range docs {
		if doc == nullDocument {
			b.AppendNull()
		} else {
			b.Append([]byte(doc))
		}
	}
	return b.Finish()
}

const nullDocument = "\x00null"

// decodeAll returns each row as JSON, or "error: ...".
func decodeAll(t testing.TB, d Decoder, docs ...string) []string {
	values := documentsOf(docs...)
	defer values.Release()
	b, errs, err := d.Decode(values)
	require.NoError(t, err)
	defer b.Release()
	require.Equal(t, len(docs), b.Rows())
	out := make([]string, b.Rows())
	for i := range out {
		out[i] = string(columnar.AppendRowJSON(nil, b, i))
	}
	last := int32(-1)
	for _, e := range errs {
		require.Greater(t, e.Row, last)
		last = e.Row
		for c := range b.Schema().Len() {
			require.True(t, b.Column(c).IsNull(int(e.Row)))
		}
		out[e.Row] = "error: " + e.Err.Error()
	}
	return out
}

func field1(t columnar.Type) *columnar.Schema {
	return columnar.NewSchema(columnar.Field{Name: "v", Type: t, Nullable: true})
}

// TestJSONValues: one line a value, as it stands behind "v":.
func TestJSONValues(t *testing.T) {
	dec := columnar.Decimal(12, 2)
	cases := []struct {
		typ     columnar.Type
		in, out string
	}{
		{columnar.BigInt, `9007199254740993`, `9007199254740993`},
		{columnar.BigInt, `9223372036854775807`, `9223372036854775807`},
		{columnar.BigInt, `-9223372036854775808`, `-9223372036854775808`},
		{columnar.BigInt, `9223372036854775808`, `error: field "v": expected BIGINT, got 9223372036854775808 at byte 5`},
		{columnar.BigInt, `-0`, `0`},
		{columnar.BigInt, `null`, `null`},
		{columnar.BigInt, `99999999999999999999`, `error: field "v": expected BIGINT, got 99999999999999999999 at byte 5`},
		{columnar.Int, `1.5`, `error: field "v": expected INT, got 1.5 at byte 5`},
		{columnar.Int, `1e2`, `error: field "v": expected INT, got 1e2 at byte 5`},
		{columnar.Int, `01`, `error: field "v": expected INT, got 01 at byte 5`},
		{columnar.Int, `2147483648`, `error: field "v": expected INT, got 2147483648 at byte 5`},
		{columnar.Int, `"1"`, `error: field "v": expected INT, got "1" at byte 5`},
		{columnar.Int, `[1]`, `error: field "v": expected INT, got [1 at byte 5`},
		{columnar.TinyInt, `-128`, `-128`},
		{columnar.TinyInt, `128`, `error: field "v": expected TINYINT, got 128 at byte 5`},
		{columnar.SmallInt, `32767`, `32767`},
		{dec, `1.50`, `"1.50"`},
		{dec, `"1.25"`, `"1.25"`},
		{dec, `1.005`, `"1.01"`},
		{dec, `-1.005`, `"-1.01"`},
		{dec, `1e3`, `"1000.00"`},
		{dec, `9999999999.99`, `"9999999999.99"`},
		{dec, `10000000000`, `error: field "v": expected DECIMAL(12,2), got 10000000000 at byte 5`},
		{dec, `9999999999.995`, `error: field "v": expected DECIMAL(12,2), got 9999999999.995 at byte 5`},
		{dec, `"abc"`, `error: field "v": expected DECIMAL(12,2), got "abc" at byte 5`},
		{columnar.Decimal(38, 0), `99999999999999999999999999999999999999`, `"99999999999999999999999999999999999999"`},
		{columnar.Double, `0.1`, `0.1`},
		{columnar.Double, `1.7976931348623157e308`, `1.7976931348623157e+308`},
		{columnar.Double, `1e309`, `error: field "v": expected DOUBLE, got 1e309 at byte 5`},
		{columnar.Double, `123456789012345678901234567890`, `1.2345678901234568e+29`},
		{columnar.Double, `"NaN"`, `"NaN"`},
		{columnar.Double, `"-INF"`, `"-Infinity"`},
		{columnar.Double, `NaN`, `error: field "v": expected DOUBLE, got NaN at byte 5`},
		{columnar.Double, `1.`, `error: field "v": expected DOUBLE, got 1. at byte 5`},
		{columnar.Float, `0.1`, `0.1`},
		{columnar.Float, `1e39`, `error: field "v": expected FLOAT, got 1e39 at byte 5`},
		{columnar.Boolean, `true`, `true`},
		{columnar.Boolean, `false`, `false`},
		{columnar.Boolean, `"true"`, `error: field "v": expected BOOLEAN, got "true" at byte 5`},
		{columnar.String, `"a\"\\\/\b\f\n\r\té\ud83d\ude00"`, `"a\"\\/\u0008\u000c\n\r\té😀"`},
		{columnar.String, `"é日本"`, `"é日本"`},
		{columnar.String, `1.50`, `"1.50"`},
		{columnar.String, `{"a": [1, 2]}`, `"{\"a\": [1, 2]}"`},
		{columnar.String, `true`, `"true"`},
		{columnar.String, `""`, `""`},
		{columnar.String, `"\ud800"`, `error: field "v": expected an escape sequence, got \ud800" at byte 6`},
		{columnar.String, `"\ud800\u0041"`, `error: field "v": expected an escape sequence, got \ud800\u0041" at byte 6`},
		{columnar.String, `"\x"`, `error: field "v": expected an escape sequence, got \x" at byte 6`},
		{columnar.String, "\"a\nb\"", `error: field "v": the string holds a control character that is not escaped at byte 7`},
		{columnar.String, "\"a\xff\"", `error: field "v": the string is not UTF-8 at byte 6`},
		{columnar.Date, `"2024-02-29"`, `"2024-02-29"`},
		{columnar.Date, `"2023-02-29"`, `error: field "v": expected DATE, got "2023-02-29" at byte 5`},
		{columnar.Date, `19000`, `error: field "v": expected DATE, got 19000 at byte 5`},
		{columnar.Timestamp, `"2024-02-29T12:34:56.789Z"`, `"2024-02-29T12:34:56.789Z"`},
		{columnar.Timestamp, `"2024-02-29T12:34:56.789123"`, `"2024-02-29T12:34:56.789123Z"`},
		{columnar.Timestamp, `"2024-02-29 12:34:56+02:00"`, `"2024-02-29T10:34:56.000Z"`},
		{columnar.Timestamp, `"2024-02-29"`, `"2024-02-29T00:00:00.000Z"`},
		{columnar.Timestamp, `1709210096`, `"2024-02-29T12:34:56.000Z"`},
		{columnar.Timestamp, `"2024-02-30T12:34:56Z"`, `error: field "v": expected TIMESTAMP, got "2024-02-30T12:34:56Z" at byte 5`},
		{columnar.Timestamp, `"2024-02-29T24:00:00Z"`, `error: field "v": expected TIMESTAMP, got "2024-02-29T24:00:00Z" at byte 5`},
		{columnar.Timestamp, `"2024-02-2 T12:00:00Z"`, `error: field "v": expected TIMESTAMP, got "2024-02-2 T12:00:00Z" at byte 5`},
		{columnar.Binary, `"aGk="`, `"6869"`},
		{columnar.Binary, `"aGk"`, `error: field "v": expected BINARY, got "aGk" at byte 5`},
	}
	for _, c := range cases {
		want := c.out
		if !strings.HasPrefix(want, "error") {
			want = `{"v":` + want + `}`
		}
		require.Equal(t, []string{want}, decodeAll(t, NewJSON(field1(c.typ), nil), `{"v":`+c.in+`}`), "%s %s", c.typ, c.in)
	}
}

// TestJSONDocuments: the grammar around the values.
func TestJSONDocuments(t *testing.T) {
	schema := columnar.NewSchema(
		columnar.Field{Name: "a", Type: columnar.BigInt},
		columnar.Field{Name: "b", Type: columnar.String, Nullable: true})
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	cases := []struct{ in, out string }{
		{`{"a":1,"b":"x"}`, `{"a":1,"b":"x"}`},
		{` { "b" : "x" , "a" : 1 } `, `{"a":1,"b":"x"}`},
		{`{"\u0061":1}`, `{"a":1,"b":null}`},
		{`{"a":1,"u":{"x":[1,{"y":null}],"z":"\n"},"w":-1.5e-3}`, `{"a":1,"b":null}`},
		{`{"a":1,"A":2}`, `{"a":1,"b":null}`},
		{nullDocument, `{"a":null,"b":null}`},
		{`{"b":"x"}`, `error: field "a": a value is needed (NOT NULL), but the field is missing at byte 9`},
		{`{"a":null}`, `error: field "a": a value is needed (NOT NULL), got null at byte 5`},
		{`{"a":1,"a":2}`, `error: field "a": the field appears twice at byte 7`},
		{`{"a":1,"b":null,"b":"x"}`, `error: field "b": the field appears twice at byte 16`},
		{``, `error: expected an object, got nothing at byte 0`},
		{`[1]`, `error: expected an object, got [1 at byte 0`},
		{`{"a":1`, `error: the document ends within an object at byte 6`},
		{`{"a"`, `error: expected : after a key, got the end of the document at byte 4`},
		{`{"a":`, `error: the document ends before a value at byte 5`},
		{`{"a":1} x`, `error: expected the end of the document, got x at byte 8`},
		{`{"a":1}{"a":2}`, `error: expected the end of the document, got {"a":2 at byte 7`},
		{`{"a":1,}`, `error: expected a key in double quotes, got } at byte 7`},
		{`{,"a":1}`, `error: expected a key in double quotes, got , at byte 1`},
		{`{"a":1 "b":"x"}`, `error: expected , or }, got "b" at byte 7`},
		{`{"a":1,"u":[1,]}`, `error: expected a value, got ] at byte 14`},
		{`{"a":1,"u":tru}`, `error: expected true, got tru at byte 11`},
		{`{"a":1,"u":"x` + "\x01" + `"}`, `error: the string holds a control character that is not escaped at byte 13`},
		{`{"a":1,"u":` + deep + `}`, `error: the value is nested too deep at byte 1010`},
		{`{"a":1,"b":"` + strings.Repeat("y", 100), `error: field "b": the document ends within a string at byte 112`},
		{`{"a":"` + strings.Repeat("y", 100) + `"}`, `error: field "a": expected BIGINT, got "` + strings.Repeat("y", 47) + `... at byte 5`},
	}
	docs, want := make([]string, len(cases)), make([]string, len(cases))
	for i, c := range cases {
		docs[i], want[i] = c.in, c.out
	}
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	d := NewJSON(schema, mem)
	for range 2 { // a decoder forgets the batch before
		require.Equal(t, want, decodeAll(t, d, docs...))
	}
	require.Empty(t, decodeAll(t, d))
}

// TestJSONSlice: the documents may be a slice of a larger column.
func TestJSONSlice(t *testing.T) {
	values := documentsOf(`{"v":1}`, `{"v":2}`, nullDocument, `{"v":4}`)
	b := columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "d", Type: columnar.Binary, Nullable: true}), []columnar.Column{values}, 4)
	defer b.Release()
	part := columnar.Slice(b, 1, 4)
	defer part.Release()
	out, errs, err := NewJSON(field1(columnar.Int), nil).Decode(part.Column(0))
	require.NoError(t, err)
	defer out.Release()
	require.Empty(t, errs)
	require.Equal(t, `{"v":2}`, string(columnar.AppendRowJSON(nil, out, 0)))
	require.Equal(t, `{"v":4}`, string(columnar.AppendRowJSON(nil, out, 2)))
}

func TestRaw(t *testing.T) {
	require.Equal(t, []string{`{"_value":"6869"}`, `{"_value":null}`}, decodeAll(t, NewRaw(), "hi", nullDocument))
}

// TestJSONTypeOfValues: only BINARY comes in.
func TestJSONTypeOfValues(t *testing.T) {
	c := columnar.NewStringColumn([]string{"{}"})
	defer c.Release()
	_, _, err := NewJSON(field1(columnar.Int), nil).Decode(c)
	require.Error(t, err)
}
