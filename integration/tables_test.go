//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func nullable(name string, t columnar.Type) columnar.Field {
	return columnar.Field{Name: name, Type: t, Nullable: true}
}

// nested has each kind of nesting, and each plain type somewhere in it.
var nested = columnar.NewSchema(
	nullable("id", columnar.BigInt),
	nullable("ntz", columnar.TimestampNTZ),
	nullable("ints", columnar.Array(columnar.SmallInt)),
	nullable("grid", columnar.Array(columnar.Array(columnar.Decimal(20, 3)))),
	nullable("words", columnar.Map(columnar.String, columnar.Array(columnar.String))),
	nullable("by_id", columnar.Map(columnar.Int, columnar.Struct(nullable("on", columnar.Boolean), nullable("at", columnar.Timestamp)))),
	nullable("point", columnar.Struct(nullable("z", columnar.Double), nullable("a", columnar.Struct(nullable("day", columnar.Date), nullable("raw", columnar.Binary))),
		nullable("hops", columnar.Array(columnar.Struct(nullable("tiny", columnar.TinyInt), nullable("tags", columnar.Map(columnar.String, columnar.Decimal(5, 2)))))))),
)

// appendValue adds a random value, or in every fifth place that allows it NULL.
func appendValue(rng *rand.Rand, b array.Builder, t columnar.Type, nullable bool) {
	if nullable && rng.IntN(5) == 0 {
		b.AppendNull()
		return
	}
	n := rng.IntN(100) - 50
	switch b := b.(type) {
	case *array.MapBuilder:
		b.Append(true)
		for k := range rng.IntN(4) { // keys are told apart
			switch keys := b.KeyBuilder().(type) {
			case *array.StringBuilder:
				keys.Append(fmt.Sprint("k", k))
			case *array.Int32Builder:
				keys.Append(int32(k))
			}
			appendValue(rng, b.ItemBuilder(), t.ValueType(), true)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range rng.IntN(4) {
			appendValue(rng, b.ValueBuilder(), t.Elem(), true)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range t.Parts() {
			appendValue(rng, b.FieldBuilder(i), f.Type, true)
		}
	case *array.BooleanBuilder:
		b.Append(n > 0)
	case *array.Int8Builder:
		b.Append(int8(n))
	case *array.Int16Builder:
		b.Append(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n) << 20)
	case *array.Int64Builder:
		b.Append(int64(n))
	case *array.Float32Builder:
		b.Append(float32(n) / 8)
	case *array.Float64Builder:
		b.Append(float64(n) / 8)
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(n)))
	case *array.StringBuilder:
		b.Append(fmt.Sprint("é", n))
	case *array.BinaryBuilder:
		b.Append([]byte{0xff, byte(n)})
	case *array.Date32Builder:
		b.Append(arrow.Date32(n))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n) * 100_000_250)
	}
}

// randomRows are rows of a schema.
func randomRows(schema *columnar.Schema, rng *rand.Rand, rows int) *columnar.Batch {
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields {
		b := array.NewBuilder(memory.DefaultAllocator, f.Type.Arrow())
		for range rows {
			appendValue(rng, b, f.Type, f.Nullable)
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	return columnar.NewBatch(schema, cols, rows)
}

// writeTable makes a table of one commit in a folder, and returns its rows as JSON.
func writeTable(t *testing.T, dir string, b *columnar.Batch, by ...string) (want []string) {
	objects, err := store.NewLocal(dir)
	require.NoError(t, err)
	table := delta.Open(objects, uuid.NewString)
	base, err := table.Snapshot(t.Context())
	require.NoError(t, err)
	w, err := table.Stage(t.Context(), b.Schema(), lakehouse.WriteOptions{Prefix: "part", PartitionBy: by})
	require.NoError(t, err)
	require.NoError(t, w.Write(t.Context(), 0, b))
	files, err := w.Finish(t.Context())
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), base, lakehouse.Change{Time: 1, Add: files, DataChange: true, Operation: "WRITE",
		Create: &lakehouse.Creation{ID: uuid.NewString(), Schema: b.Schema(), PartitionBy: by}})
	require.NoError(t, err)
	for i := range b.Rows() {
		want = append(want, canonical(t, columnar.AppendRowJSON(nil, b, i)))
	}
	slices.Sort(want)
	return want
}

// plain has a column of each type that is not nested.
var plain = columnar.NewSchema(
	nullable("flag", columnar.Boolean), nullable("tiny", columnar.TinyInt), nullable("small", columnar.SmallInt), nullable("int", columnar.Int), nullable("big", columnar.BigInt),
	nullable("real", columnar.Float), nullable("wide", columnar.Double), nullable("money", columnar.Decimal(9, 2)), nullable("sum", columnar.Decimal(18, 4)),
	nullable("huge", columnar.Decimal(38, 6)), nullable("text", columnar.String), nullable("raw", columnar.Binary), nullable("day", columnar.Date), nullable("at", columnar.Timestamp),
)

// laidOut makes a table of three commits, each of a file that is sorted and has filters, and compacts it if that is wanted.
func laidOut(t *testing.T, dir string, compact bool) {
	layout := lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "text"}, {Column: "big", Descending: true}}, BloomFilters: filteredColumns}
	objects, err := store.NewLocal(dir)
	require.NoError(t, err)
	table := delta.Open(objects, uuid.NewString)
	base, err := table.Snapshot(t.Context())
	require.NoError(t, err)
	for i := range int64(3) {
		w, err := table.Stage(t.Context(), plain, lakehouse.WriteOptions{Prefix: "part", Layout: layout})
		require.NoError(t, err)
		b := randomRows(plain, rand.New(rand.NewPCG(uint64(i), 0)), 500)
		require.NoError(t, w.Write(t.Context(), 0, b))
		b.Release()
		files, err := w.Finish(t.Context())
		require.NoError(t, err)
		c := lakehouse.Change{Time: 1 + i, Add: files, DataChange: true, Operation: "WRITE"}
		if i == 0 {
			c.Create, c.Layout = &lakehouse.Creation{ID: uuid.NewString(), Schema: plain}, &layout
		}
		base, err = table.Commit(t.Context(), base, c)
		require.NoError(t, err)
	}
	if compact {
		require.Zero(t, lakewheel(t, "compact", dir).code)
	}
}

var filteredColumns = []string{"small", "int", "big", "text", "raw", "day", "at", "money", "sum"}

// Statistics, page indexes and filters never hide a row from a reader: at the least and the greatest value of each column, predicates find what a
// search of all rows finds. Files say how they are sorted, and filters exclude what is not there.
func TestLayoutOfTables(t *testing.T) {
	for _, compact := range []bool{false, true} {
		dir := t.TempDir()
		laidOut(t, dir, compact)
		var found struct {
			Wrong []string
			Tried int
		}
		ask(t, &found, "predicates", dir)
		require.Empty(t, found.Wrong)
		require.Equal(t, plain.Len()*2*5*4, found.Tried)
		var files []struct {
			Order                    [][][]any
			Indexed                  bool
			Hidden, Others, Excluded int
		}
		ask(t, &files, append([]string{"layout", dir}, filteredColumns...)...)
		require.Len(t, files, map[bool]int{false: 3, true: 1}[compact])
		for _, f := range files {
			require.Equal(t, [][][]any{{{10.0, false, true}, {4.0, true, false}}}, f.Order)
			require.True(t, f.Indexed)
			require.Zero(t, f.Hidden)
			require.Greater(t, f.Others, 50)
			require.Greater(t, f.Excluded, f.Others*9/10)
		}
	}
}

// canonical orders the names in JSON.
func canonical(t *testing.T, text []byte) string {
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// Nested columns are what we wrote to every other reader, and to our own cat.
func TestNestedColumns(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	b := randomRows(nested, rand.New(rand.NewPCG(seed, 0)), 2000)
	defer b.Release()
	dir := t.TempDir()
	want := writeTable(t, dir, b)
	var found map[string][]string
	ask(t, &found, "rows", dir)
	cat := lakewheel(t, "cat", dir)
	require.Zero(t, cat.code, cat.stderr)
	found["lakewheel"] = strings.Split(strings.TrimSpace(cat.stdout), "\n")
	for reader, rows := range found {
		require.Equal(t, want, canonicalAll(t, rows), reader)
	}
}

func canonicalAll(t *testing.T, rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = canonical(t, []byte(r))
	}
	slices.Sort(out)
	return out
}

// Partition columns of each type that can be one, with NULL and names that must be escaped.
func TestPartitionColumns(t *testing.T) {
	by := []string{"text", "flag", "tiny", "money", "day", "at", "ntz", "real"}
	schema := columnar.NewSchema(nullable("id", columnar.BigInt), nullable("text", columnar.String), nullable("flag", columnar.Boolean), nullable("tiny", columnar.TinyInt),
		nullable("money", columnar.Decimal(20, 3)), nullable("day", columnar.Date), nullable("at", columnar.Timestamp), nullable("ntz", columnar.TimestampNTZ), nullable("real", columnar.Double))
	rng := rand.New(rand.NewPCG(3, 3))
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields {
		b := array.NewBuilder(memory.DefaultAllocator, f.Type.Arrow())
		for row := range 40 {
			if texts, ok := b.(*array.StringBuilder); ok && row%2 == 0 {
				texts.Append([]string{"a/b=c %", "é:*?\"", "__HIVE_DEFAULT_PARTITION__", "x\ty~+&#", "'{}[]^"}[row%5])
				continue
			}
			appendValue(rng, b, f.Type, true)
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	b := columnar.NewBatch(schema, cols, 40)
	defer b.Release()
	dir := t.TempDir()
	want := writeTable(t, dir, b, by...)
	var found []string
	ask(t, &found, "scan", dir)
	require.Equal(t, want, canonicalAll(t, found), "delta-rs")
	cat := lakewheel(t, "cat", dir)
	require.Zero(t, cat.code, cat.stderr)
	require.Equal(t, want, canonicalAll(t, strings.Split(strings.TrimSpace(cat.stdout), "\n")), "lakewheel")
}
