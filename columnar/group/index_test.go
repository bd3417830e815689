package group_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/planner"
)

// columns makes columns of a schema from rows of JSON.
func columns(t testing.TB, ddl string, rows ...string) ([]columnar.Type, []columnar.Column) {
	schema, err := planner.ParseSchema(ddl)
	require.NoError(t, err)
	var docs columnar.BinaryBuffer
	for _, row := range rows {
		docs.AppendString(row)
	}
	b, errs, err := decode.NewJSON(schema, nil).Decode(docs.Finish())
	require.NoError(t, err)
	require.Empty(t, errs)
	types, cols := make([]columnar.Type, schema.Len()), make([]columnar.Column, schema.Len())
	for k, f := range schema.Fields {
		types[k], cols[k] = f.Type, b.Column(k)
	}
	return types, cols
}

// keysOf prints the keys of an index.
func keysOf(x *group.Index, ids columnar.Selection) []string {
	cols := x.Keys(ids)
	rows := make([]string, 0, ids.Len(x.Len()))
	for i := range ids.Len(x.Len()) {
		parts := make([]string, len(cols))
		for k, c := range cols {
			parts[k] = string(columnar.AppendValueJSON(nil, c, i))
		}
		rows = append(rows, strings.Join(parts, " "))
	}
	return rows
}

// TestIndex: keys and their numbers, one line a type.
func TestIndex(t *testing.T) {
	for _, c := range []struct {
		ddl  string
		rows []string
		ids  []int32
		keys []string
	}{
		{"a BIGINT", []string{`{"a":7}`, `{}`, `{"a":0}`, `{"a":7}`, `{}`, `{"a":-1}`}, []int32{0, 1, 2, 0, 1, 3}, []string{"7", "null", "0", "-1"}},
		{"a TINYINT", []string{`{"a":-7}`, `{"a":7}`, `{"a":-7}`}, []int32{0, 1, 0}, []string{"-7", "7"}},
		{"a SMALLINT", []string{`{"a":-7}`, `{"a":7}`, `{"a":-7}`}, []int32{0, 1, 0}, []string{"-7", "7"}},
		{"a INT", []string{`{"a":-7}`, `{"a":7}`, `{"a":-7}`}, []int32{0, 1, 0}, []string{"-7", "7"}},
		{"a BOOLEAN", []string{`{"a":true}`, `{"a":false}`, `{}`, `{"a":true}`}, []int32{0, 1, 2, 0}, []string{"true", "false", "null"}},
		{"a DOUBLE", []string{`{"a":-0.0}`, `{"a":0}`, `{"a":1.5}`}, []int32{0, 0, 1}, []string{"0", "1.5"}},
		{"a FLOAT", []string{`{"a":-0.0}`, `{"a":0}`, `{"a":1.5}`}, []int32{0, 0, 1}, []string{"0", "1.5"}},
		{"a DECIMAL(38,2)", []string{`{"a":-1.5}`, `{}`, `{"a":184467440737095516160}`, `{"a":-1.50}`}, []int32{0, 1, 2, 0}, []string{`"-1.50"`, "null", `"184467440737095516160.00"`}},
		{"a DATE", []string{`{"a":"2024-01-02"}`, `{"a":"1969-12-31"}`}, []int32{0, 1}, []string{`"2024-01-02"`, `"1969-12-31"`}},
		{"a TIMESTAMP", []string{`{"a":"2024-01-02T00:00:00Z"}`}, []int32{0}, []string{`"2024-01-02T00:00:00.000Z"`}},
		{"a STRING", []string{`{"a":"x"}`, `{}`, `{"a":""}`, `{"a":"x"}`, `{}`}, []int32{0, 1, 2, 0, 1}, []string{`"x"`, "null", `""`}},
		{"a BINARY", []string{`{"a":"AAA="}`, `{"a":""}`, `{"a":"AAA="}`}, []int32{0, 1, 0}, []string{`"0000"`, `""`}},
		{"a BIGINT, b INT", []string{`{"a":1,"b":2}`, `{"b":2}`, `{"a":0,"b":2}`, `{"a":1}`, `{}`, `{"a":1,"b":2}`}, []int32{0, 1, 2, 3, 4, 0}, []string{"1 2", "null 2", "0 2", "1 null", "null null"}},
		{"a BIGINT, b STRING", []string{`{"a":1,"b":"x"}`, `{"a":1}`, `{"b":"x"}`, `{"a":1,"b":"x"}`}, []int32{0, 1, 2, 0}, []string{`1 "x"`, "1 null", `null "x"`}},
		{"a STRING, b STRING", []string{`{"a":"x","b":"yz"}`, `{"a":"xy","b":"z"}`}, []int32{0, 1}, []string{`"x" "yz"`, `"xy" "z"`}},
		{"a BIGINT, b INT, c BOOLEAN", []string{`{"a":1,"b":2,"c":true}`, `{"a":1,"b":2,"c":true}`, `{}`}, []int32{0, 0, 1}, []string{"1 2 true", "null null null"}},
		{"a STRUCT<x: INT, y: ARRAY<STRING>>", []string{`{"a":{"x":1,"y":["p","q"]}}`, `{"a":{"x":1,"y":["pq"]}}`, `{"a":{}}`, `{}`, `{"a":{"y":["p","q"],"x":1}}`}, []int32{0, 1, 2, 3, 0},
			[]string{`{"x":1,"y":["p","q"]}`, `{"x":1,"y":["pq"]}`, `{"x":null,"y":null}`, "null"}},
		{"a INT, b STRING, c STRING, d INT, e INT", []string{`{"a":1,"b":"x","c":"y","d":2,"e":3}`, `{"a":1,"b":"x","d":2}`, `{"a":1,"b":"x","c":"y","d":2,"e":3}`}, []int32{0, 1, 0}, []string{`1 "x" "y" 2 3`, `1 "x" null 2 null`}},
		{"a STRING, b STRING, c STRING, d STRING, e STRING, f STRING, g STRING, h STRING, i INT, j STRING", []string{`{"i":1}`, `{}`, `{"j":"z"}`, `{"i":1}`}, []int32{0, 1, 2, 0},
			[]string{"null null null null null null null null 1 null", "null null null null null null null null null null", `null null null null null null null null null "z"`}},
		{"a DECIMAL(20,0), b INT", []string{`{"a":1,"b":2}`, `{"b":2}`, `{"a":1}`, `{"a":1,"b":2}`}, []int32{0, 1, 2, 0}, []string{`"1" 2`, "null 2", `"1" null`}},
		{"a ARRAY<DOUBLE>", []string{`{"a":[0.0]}`, `{"a":[-0.0]}`, `{"a":[]}`}, []int32{0, 0, 1}, []string{"[0]", "[]"}},
	} {
		t.Run(c.ddl, func(t *testing.T) {
			types, cols := columns(t, c.ddl, c.rows...)
			x := group.NewIndex(types)
			require.Equal(t, c.ids, x.Add(cols, nil, nil))
			require.Equal(t, c.keys, keysOf(x, nil))
			require.Equal(t, c.ids, x.Find(cols, nil, []int32{99}))
			last := columnar.Selection{int32(len(c.rows) - 1)}
			require.Equal(t, c.ids[len(c.ids)-1:], x.Find(cols, last, nil))
			for k := range cols {
				cols[k] = array.NewSlice(cols[k], 1, int64(len(c.rows)))
			}
			require.Equal(t, c.ids[1:], append([]int32{}, x.Find(cols, nil, nil)...), "of a slice")
			require.Equal(t, len(c.keys), x.Len())
		})
	}
}

// TestNoColumns: without columns there is one key, if there is a row.
func TestNoColumns(t *testing.T) {
	x := group.NewIndex(nil)
	require.Equal(t, []int32{-1, -1}, x.Find(nil, columnar.Selection{3, 4}, nil))
	require.Empty(t, x.Add(nil, columnar.Selection{}, nil))
	require.Zero(t, x.Len())
	require.Equal(t, []int32{0, 0}, x.Add(nil, columnar.Selection{3, 4}, nil))
	require.Equal(t, 1, x.Len())
	require.Empty(t, x.Keys(nil))
	x.Keep(columnar.Selection{})
	require.Zero(t, x.Len())
}

// TestHash: what is stored by hash is found again. These numbers must never change.
func TestHash(t *testing.T) {
	for _, c := range []struct {
		ddl, row string
		hash     uint64
	}{
		{"a BIGINT", `{"a":1}`, 0xf83c1ce8e4664a77},
		{"a BIGINT", `{}`, 0x9dcc2de4dc139e23},
		{"a INT", `{"a":1}`, 0xf83c1ce8e4664a77},
		{"a DOUBLE", `{"a":1}`, 0x656463d1d6b194b7},
		{"a DECIMAL(12,2)", `{"a":1}`, 0xb7252636c1294189},
		{"a BIGINT, b INT", `{"a":1,"b":2}`, 0x50a4eaa1e85afb45},
		{"a BIGINT, b INT", `{"a":1}`, 0xe5f8e393a184f98e},
		{"a STRING", `{"a":"x"}`, 0x1474a099a3d2aa6},
		{"a STRING", `{}`, 0xa998473f9f460dd3},
		{"a STRING, b BIGINT", `{"a":"x","b":1}`, 0xde0171dd67025a5f},
		{"a STRUCT<x: INT>", `{"a":{"x":1}}`, 0xd80d48ce2a561dd9},
	} {
		types, cols := columns(t, c.ddl, c.row)
		x := group.NewIndex(types)
		x.Add(cols, nil, nil)
		require.Equal(t, fmt.Sprintf("%#x", c.hash), fmt.Sprintf("%#x", x.Hash(0)), c.ddl+" "+c.row)
	}
}

// TestAgainstMap: an index does what a map of printed keys does, through growth and Keep.
func TestAgainstMap(t *testing.T) {
	for _, ddl := range []string{"a INT", "a INT, b INT", "a STRING", "a STRING, b INT"} {
		t.Run(ddl, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				schema, err := planner.ParseSchema(ddl)
				require.NoError(t, err)
				types := make([]columnar.Type, schema.Len())
				for k, f := range schema.Fields {
					types[k] = f.Type
				}
				x, known := group.NewIndex(types), []string{}
				for range rapid.IntRange(1, 6).Draw(r, "steps") {
					known = step(t, r, x, types, known)
				}
			})
		})
	}
}

// step adds rows or forgets keys, of which known are the printed ones.
func step(t *testing.T, r *rapid.T, x *group.Index, types []columnar.Type, known []string) []string {
	if rapid.Bool().Draw(r, "keep") {
		ids := columnar.Selection{}
		for i := range known {
			if rapid.IntRange(0, 2).Draw(r, "stays") > 0 {
				ids = append(ids, int32(i))
			}
		}
		x.Keep(ids)
		left := make([]string, len(ids))
		for i, id := range ids {
			left[i] = known[id]
		}
		require.Equal(t, left, keysOf(x, nil))
		return left
	}
	cols := randomColumns(r, types)
	printed := printedRows(cols)
	for i, id := range x.Add(cols, nil, nil) {
		if int(id) == len(known) {
			known = append(known, printed[i])
		}
		require.Equal(t, known[id], printed[i])
	}
	seen := map[string]bool{}
	for _, k := range known {
		require.False(t, seen[k], "%s twice", k)
		seen[k] = true
	}
	require.Equal(t, known, keysOf(x, nil))
	return known
}

func randomColumns(r *rapid.T, types []columnar.Type) []columnar.Column {
	n := rapid.IntRange(1, 3000).Draw(r, "rows")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
	spread := int64(rapid.SampledFrom([]int{2, 50, 3000}).Draw(r, "keys"))
	cols := make([]columnar.Column, len(types))
	for k, t := range types {
		var ints []int32
		var valid []bool
		var texts columnar.BinaryBuffer
		for range n {
			v := random.Int64N(spread)
			ints, valid = append(ints, int32(v)), append(valid, v != 1)
			if v == 1 {
				texts.AppendNull()
			} else {
				texts.AppendString(strings.Repeat("k", int(v%7)) + fmt.Sprint(v))
			}
		}
		if cols[k] = texts.FinishString(); t == columnar.Int {
			cols[k] = columnar.NewFixedColumn(t, ints, valid)
		}
	}
	return cols
}

func printedRows(cols []columnar.Column) []string {
	out := make([]string, cols[0].Len())
	for i := range out {
		parts := make([]string, len(cols))
		for k, c := range cols {
			parts[k] = string(columnar.AppendValueJSON(nil, c, i))
		}
		out[i] = strings.Join(parts, " ")
	}
	return out
}
