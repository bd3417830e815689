package parquetfile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// randomType is a type of at most so many levels.
func randomType(rng *rand.Rand, depth int) columnar.Type {
	if depth > 0 {
		switch rng.IntN(5) {
		case 0:
			return columnar.Array(randomType(rng, depth-1))
		case 1:
			return columnar.Map(randomType(rng, 0), randomType(rng, depth-1))
		case 2, 3:
			fields := make([]columnar.Field, 1+rng.IntN(3))
			for i := range fields {
				fields[i] = columnar.Field{Name: fmt.Sprintf("f%d", len(fields)-i), Type: randomType(rng, depth-1)}
			}
			return columnar.Struct(fields...)
		}
	}
	plain := []columnar.Type{columnar.Boolean, columnar.TinyInt, columnar.SmallInt, columnar.Int, columnar.BigInt, columnar.Float, columnar.Double,
		columnar.Decimal(9, 2), columnar.Decimal(18, 0), columnar.Decimal(38, 10), columnar.String, columnar.Binary, columnar.Date, columnar.Timestamp, columnar.TimestampNTZ}
	return plain[rng.IntN(len(plain))]
}

// appendNested adds a random value of any type, NULL in a share of the places that allow it.
func appendNested(rng *rand.Rand, b array.Builder, t columnar.Type, nulls float64, nullable bool) {
	if nullable && rng.Float64() < nulls {
		b.AppendNull()
		return
	}
	some := func() int { return max(0, rng.IntN(6)-1) }
	switch b := b.(type) {
	case *array.MapBuilder:
		b.Append(true)
		for range some() {
			appendNested(rng, b.KeyBuilder(), t.KeyType(), nulls, false)
			appendNested(rng, b.ItemBuilder(), t.ValueType(), nulls, true)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range some() {
			appendNested(rng, b.ValueBuilder(), t.Elem(), nulls, true)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range t.Parts() {
			appendNested(rng, b.FieldBuilder(i), f.Type, nulls, true)
		}
	default:
		appendRandom(rng, b, t)
	}
}

func randomRows(rng *rand.Rand, schema *columnar.Schema, rows int, nulls float64) *columnar.Batch {
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields {
		b := array.NewBuilder(memory.DefaultAllocator, f.Type.Arrow())
		for range rows {
			appendNested(rng, b, f.Type, nulls, f.Nullable)
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	return columnar.NewBatch(schema, cols, rows)
}

func randomSchema(rng *rand.Rand) *columnar.Schema {
	s := &columnar.Schema{}
	for i := range 1 + rng.IntN(3) {
		s.Fields = append(s.Fields, columnar.Field{Name: fmt.Sprintf("c%d", 9-i), Type: randomType(rng, 4), Nullable: rng.IntN(4) > 0})
	}
	return s
}

// Nested columns of any shape, with NULL and empty values at each level, sliced, read back as they were written.
func TestNestedRoundTrip(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		schema := randomSchema(rng)
		rt.Log(schema)
		nulls := rapid.SampledFrom([]float64{0, 0.1, 0.7, 1}).Draw(rt, "nulls")
		s := store.NewMem()
		w := newTestWriter(t, s, schema, 0)
		var want []string
		for lane := range int64(2) {
			rows := rapid.SampledFrom([]int{0, 1, 7, 200}).Draw(rt, "rows")
			b := randomRows(rng, schema, rows, nulls)
			part := columnar.Slice(b, rows/3, rows)
			require.NoError(rt, w.Write(ctx, lane, part))
			want = append(want, lines(part)...)
			part.Release()
			b.Release()
		}
		files, err := w.Finish(ctx)
		require.NoError(rt, err)
		if len(want) == 0 {
			require.Empty(rt, files)
			return
		}
		require.Equal(rt, want, readAll(t, s, files[0].Name, schema))
		require.Equal(rt, want, readAll(t, s, files[0].Name, nil), "the file's own schema gives the same")
	})
}

// Several row groups and pages, and batches that end within both.
func TestNestedRoundTripOfManyPages(t *testing.T) {
	ctx := context.Background()
	point := columnar.Struct(columnar.Field{Name: "x", Type: columnar.Int}, columnar.Field{Name: "tags", Type: columnar.Array(columnar.String)})
	schema := columnar.NewSchema(
		columnar.Field{Name: "a", Type: columnar.Array(columnar.Array(columnar.BigInt)), Nullable: true},
		columnar.Field{Name: "m", Type: columnar.Map(columnar.String, point), Nullable: true},
		columnar.Field{Name: "p", Type: point, Nullable: true})
	s := store.NewMem()
	w := newTestWriter(t, s, schema, 0)
	b := randomRows(rand.New(rand.NewPCG(7, 7)), schema, 150_001, 0.2)
	defer b.Release()
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	want, got := lines(b), readAll(t, s, files[0].Name, schema)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i], i)
	}
}

// A STRUCT is read by the names of its fields: in another order, fewer, more, and none of those that the file has.
func TestReadOtherFields(t *testing.T) {
	ctx := context.Background()
	field := func(name string, t columnar.Type) columnar.Field {
		return columnar.Field{Name: name, Type: t, Nullable: true}
	}
	written := columnar.Struct(field("a", columnar.Int), field("l", columnar.Array(columnar.Int)))
	schema := columnar.NewSchema(field("s", written), field("r", columnar.Array(written)))
	value := func(typ columnar.Type, text string) columnar.Column {
		c, _, err := array.FromJSON(memory.DefaultAllocator, typ.Arrow(), strings.NewReader(text))
		require.NoError(t, err)
		return c
	}
	b := columnar.NewBatch(schema, []columnar.Column{
		value(written, `[{"a":1,"l":[1,2]},null,{"a":null,"l":[]}]`),
		value(columnar.Array(written), `[[{"a":1,"l":[1,2]},null],null,[]]`),
	}, 3)
	defer b.Release()
	s := store.NewMem()
	w := newTestWriter(t, s, schema, 0)
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	for _, c := range []struct {
		as   columnar.Type
		want []string
	}{
		{columnar.Struct(field("a", columnar.BigInt)), []string{`{"s":{"a":1},"r":[{"a":1},null]}`, `{"s":null,"r":null}`, `{"s":{"a":null},"r":[]}`}},
		{columnar.Struct(field("l", columnar.Array(columnar.Int)), field("new", columnar.Array(columnar.String)), field("a", columnar.Int)),
			[]string{`{"s":{"l":[1,2],"new":null,"a":1},"r":[{"l":[1,2],"new":null,"a":1},null]}`, `{"s":null,"r":null}`, `{"s":{"l":[],"new":null,"a":null},"r":[]}`}},
		{columnar.Struct(field("new", columnar.Map(columnar.Int, written))), []string{`{"s":{"new":null},"r":[{"new":null},null]}`, `{"s":null,"r":null}`, `{"s":{"new":null},"r":[]}`}},
	} {
		as := columnar.NewSchema(field("s", c.as), field("r", columnar.Array(c.as)))
		require.Equal(t, c.want, readAll(t, s, files[0].Name, as), c.as)
	}
	for want, as := range map[string]columnar.Type{
		"column s: a: it is STRING here, and INT in the file":                       columnar.Struct(field("a", columnar.String)),
		"column s: l: it is INT here, and of another shape in the file":             columnar.Struct(field("l", columnar.Int)),
		"column s: a: it is ARRAY<INT> here, and of another shape in the file":      columnar.Struct(field("a", columnar.Array(columnar.Int))),
		"column s: it is MAP<INT, INT> here, and of another shape in the file":      columnar.Map(columnar.Int, columnar.Int),
		"column s: it is ARRAY<BIGINT> here, and of another shape in the file":      columnar.Array(columnar.BigInt),
		"column s: it is BIGINT here, and of another shape in the file":             columnar.BigInt,
		"column s: l: it is STRUCT<element: INT> here, and of another shape in the": columnar.Struct(field("l", columnar.Struct(field("element", columnar.Int)))),
	} {
		f, err := s.Open(ctx, files[0].Name)
		require.NoError(t, err)
		r, err := OpenReader(f, columnar.NewSchema(field("s", as)))
		require.NoError(t, err)
		_, err = r.Next(ctx)
		require.ErrorContains(t, err, want)
		r.Close()
	}
}

// What has no place in a file is refused before there is one.
func TestTypesThatCannotBeStored(t *testing.T) {
	for want, typ := range map[string]columnar.Type{
		"column c: INTERVAL DAY TO SECOND cannot be stored: CAST it to STRING, or EXTRACT a number from it": columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit),
		"column c: element: INTERVAL YEAR cannot be stored":                                                 columnar.Array(columnar.YearMonthInterval(columnar.YearUnit, columnar.YearUnit)),
		"column c: VOID cannot be stored":                                                                   columnar.Null,
		"column c: STRUCT<> has no fields":                                                                  columnar.Struct(),
	} {
		_, err := NewWriter(store.NewMem(), columnar.NewSchema(columnar.Field{Name: "c", Type: typ}), Options{})
		require.ErrorContains(t, err, want)
	}
}

// Where NULL is not allowed, it is an error.
func TestNestedNullInARequiredColumn(t *testing.T) {
	typ := columnar.Struct(columnar.Field{Name: "a", Type: columnar.Int})
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: typ})
	w := newTestWriter(t, store.NewMem(), schema, 0)
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewNullColumn(typ, 1)}, 1)
	defer b.Release()
	require.NoError(t, w.Write(context.Background(), 0, b))
	_, err := w.Finish(context.Background())
	require.ErrorContains(t, err, "column s.a: there is a NULL where none is allowed")
}

// nestedBatch looks like orders: items of a few fields each, and attributes.
func nestedBatch(rows int) *columnar.Batch {
	item := columnar.Struct(columnar.Field{Name: "sku", Type: columnar.Int}, columnar.Field{Name: "price", Type: columnar.Decimal(9, 2)})
	schema := columnar.NewSchema(
		columnar.Field{Name: "items", Type: columnar.Array(item), Nullable: true},
		columnar.Field{Name: "attributes", Type: columnar.Map(columnar.String, columnar.BigInt), Nullable: true})
	return randomRows(rand.New(rand.NewPCG(1, 1)), schema, rows, 0.1)
}

func BenchmarkWriteNested(b *testing.B) {
	batch := nestedBatch(64 << 10)
	defer batch.Release()
	b.ReportAllocs()
	b.SetBytes(Bytes(batch))
	for b.Loop() {
		w := newTestWriter(b, store.NewMem(), batch.Schema(), 0)
		require.NoError(b, w.Write(context.Background(), 0, batch))
		_, err := w.Finish(context.Background())
		require.NoError(b, err)
	}
	b.ReportMetric(float64(batch.Rows()*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkReadNested(b *testing.B) {
	batch := nestedBatch(64 << 10)
	defer batch.Release()
	benchmarkRead(b, batch, Bytes(batch))
}
