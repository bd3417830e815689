//go:build integration

package spark

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/planner"
)

const tableRows = 24

// tableSchema has a column of every type that a document can hold.
const tableSchema = "id BIGINT, b BOOLEAN, c BOOLEAN, ti TINYINT, si SMALLINT, i INT, j INT, k BIGINT, f FLOAT, x DOUBLE, y DOUBLE, d DECIMAL(12,2), e DECIMAL(38,10), g DECIMAL(38,0), " +
	"s STRING, u STRING, v STRING, num STRING, w STRING, js STRING, bin BINARY, da DATE, db DATE, ta TIMESTAMP, tb TIMESTAMP, n TIMESTAMP_NTZ, " +
	"ai ARRAY<INT>, ax ARRAY<DOUBLE>, at ARRAY<STRING>, m MAP<STRING, INT>, p STRUCT<k: STRING, v: INT>, q ARRAY<STRUCT<k: STRING, v: INT>>"

// choices are the JSON values of each column; null is added to all of them.
var choices = func() map[string][]string {
	bools := []string{"true", "false"}
	ints := []string{"0", "1", "-1", "2", "7", "-50", "100", "2147483647", "-2147483648"}
	doubles := []string{"0.0", "-0.0", "1.5", "-2.25", "1e10", "123456.789", "1e-7", "1.7976931348623157e308", "4.9e-324", `"NaN"`, `"Infinity"`, `"-Infinity"`, "0.1", "2.5", "9007199254740993"}
	texts := []string{`""`, `"a"`, `"abc"`, `"  pad "`, `"a,b,c"`, `"ABC xyz"`, `"héllo Wörld"`, `"日本語テキスト"`, `"🎉 b🎉"`, `"tab\there\n"`, `"e\u0301"`, `"ß İ ı"`, `"100%_x"`, `"a1b22"`, `"\\back\"q"`, `"12"`, `"true"`, `"k:1,l:2"`, `"\u0000"`}
	dates := []string{`"2024-02-29"`, `"1970-01-01"`, `"1969-12-31"`, `"0001-01-01"`, `"9999-12-31"`, `"2023-01-31"`, `"1900-02-28"`, `"2000-02-29"`, `"1582-10-10"`, `"2024-12-30"`}
	times := []string{`"2024-02-29T12:34:56.789123Z"`, `"1969-12-31T23:59:59.999999Z"`, `"1970-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"9999-12-31T23:59:59.999999Z"`, `"2024-03-31T02:30:00Z"`, `"2024-10-27T01:30:00Z"`, `"1900-01-01T00:00:00.000001Z"`, `"2026-07-15T08:09:10.5Z"`, `"1582-10-10T10:10:10Z"`}
	return map[string][]string{
		"b": bools, "c": bools, "ti": {"0", "1", "-1", "2", "3", "127", "-128"}, "si": {"0", "1", "-7", "32767", "-32768", "300"}, "i": ints, "j": ints,
		"k": {"0", "1", "-1", "60", "-3600", "1700000000", "-62135596800", "9223372036854775807", "-9223372036854775808", "9007199254740993", "1000000000000"},
		"f": {"0.0", "1.5", "-0.1", "3.4028235e38", "1.4e-45", `"NaN"`, "16777217", `"Infinity"`, "-0.0"}, "x": doubles, "y": doubles,
		"d": {`"0.00"`, `"0.01"`, `"-3.10"`, `"100.50"`, `"9999999999.99"`, `"-9999999999.99"`, `"2.50"`},
		"e": {`"0.0000000000"`, `"1.5000000000"`, `"-2.3333333333"`, `"9999999999999999999999999999.9999999999"`, `"-9999999999999999999999999999.9999999999"`, `"0.0000000001"`, `"123456789012.5"`},
		"g": {`"0"`, `"1"`, `"-1"`, `"99999999999999999999999999999999999999"`, `"-99999999999999999999999999999999999999"`, `"12345678901234567890123456789012345678"`, `"18446744073709551616"`},
		"s": texts, "u": texts, "v": texts,
		"num": {`""`, `"0"`, `"12"`, `"-3.5"`, `" 7 "`, `"1e3"`, `"NaN"`, `"Infinity"`, `"2147483648"`, `"9223372036854775808"`, `"0x1F"`, `"1,234.50"`, `"+5"`, `".5"`, `"5."`, `"1.5f"`, `"99999999999999999999999999999999999999"`, `"é"`, `"12-"`, `"-.5e-3"`},
		"w":   {`"2024-02-29 10:20:30"`, `"2024-2-9"`, `"29/02/2024"`, `"29/02/2024 10:20:30"`, `"10:20"`, `"x"`, `""`, `"2024-01-01T00:00:00+02:00"`, `"20240229102030500"`, `"1 02:03:04"`, `"1-2"`, `"0001-01-01"`, `"9999-12-31 23:59:59.999999"`, `"2023-02-29"`, `"Thu, 29 Feb 2024 1:02 PM"`, `"+10000-01-01"`, `"60/24"`, `"INTERVAL '1-2' YEAR TO MONTH"`},
		"js":  {`"{\"a\":1,\"b\":\"é\"}"`, `"{\"a\":1.5,\"b\":null}"`, `"[1,2,null]"`, `"[{\"k\":\"x\",\"v\":1}]"`, `"{"`, `""`, `"{\"a\":[1,{\"b\":2}],\"k\":\"🎉\"}"`, `"{\"a\":\"2024-02-29\",\"v\":\"7\"}"`, `"null"`, `"{\"a\":12345678901234567890}"`, `"{\"k\":\"\",\"v\":-1}"`, `" [\"a\", \"\"] "`, `"{'a':1}"`, `"{\"a\":NaN}"`, `"true"`},
		"bin": {`""`, `"YWJj"`, `"AP8Q"`, `"w6k="`, `"gA=="`}, "da": dates, "db": dates, "ta": times, "tb": times,
		"n":  {`"2024-02-29T12:34:56.789123"`, `"1969-12-31T23:59:59.999999"`, `"0001-01-01T00:00:00"`, `"9999-12-31T23:59:59.999999"`, `"2024-03-31T02:30:00"`},
		"ai": {"[]", "[1,2,3]", "[null]", "[5,null,-5,5]", "[2147483647,1]", "[0]"}, "ax": {"[]", `[1.5,"NaN",0.0,-0.0]`, "[null,2.5]", `["Infinity",-1e10,"NaN"]`},
		"at": {"[]", `["a","b"]`, `["",null,"é"]`, `["🎉","abc","a","a"]`, `["12","7"]`},
		"m":  {"{}", `{"a":1}`, `{"a":null,"b":2}`, `{"":-1,"é":2147483647}`}, "p": {`{"k":"a","v":1}`, `{"k":null,"v":2}`, `{"k":"🎉","v":null}`, `{"k":"","v":-1}`, "{}"},
		"q": {"[]", `[{"k":"a","v":1},{"k":"b","v":null}]`, `[null,{"k":null,"v":7}]`, `[{"k":"é","v":-1}]`},
	}
}()

// randomRows makes the documents of a table.
func randomRows(t *testing.T, r *rand.Rand, schema *columnar.Schema, n int) []string {
	rows := make([]string, n)
	for i := range rows {
		row := map[string]json.RawMessage{}
		for _, f := range schema.Fields {
			switch values := choices[f.Name]; {
			case f.Name == "id":
				row["id"], _ = json.Marshal(i)
			case r.IntN(8) > 0:
				row[f.Name] = json.RawMessage(pick(r, values))
			}
		}
		text, err := json.Marshal(row)
		require.NoError(t, err)
		rows[i] = string(text)
	}
	return rows
}

// bothRead makes random rows the table t of Spark and returns them as a batch.
func bothRead(t *testing.T, r *rand.Rand, ddl string, n int) (*columnar.Batch, []string) {
	schema, err := planner.ParseSchema(ddl)
	require.NoError(t, err)
	rows := randomRows(t, r, schema, n)
	var count int
	ask(t, &count, map[string]any{"do": "table", "schema": ddl, "rows": rows})
	require.Equal(t, n, count)
	var docs columnar.BinaryBuffer
	for _, row := range rows {
		docs.AppendString(row)
	}
	in := docs.Finish()
	defer in.Release()
	b, bad, err := decode.NewJSON(schema, nil).Decode(in)
	require.NoError(t, err)
	require.Empty(t, bad)
	return b, rows
}
