package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// words are different for each i below a million.
func words(i int) string { return fmt.Sprintf("word-%07d", i*7919%1_000_003) }

func openBytes(t testing.TB, s store.Store, name string) *parquet.File {
	body, _, err := s.Get(context.Background(), name)
	require.NoError(t, err)
	f, err := parquet.OpenFile(bytes.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	return f
}

func metadata(t testing.TB, s store.Store, name string) *format.FileMetaData {
	return openBytes(t, s, name).Metadata()
}

// written writes one nullable column and returns the file.
func written(t *testing.T, typ columnar.Type, build func(b array.Builder)) (File, *parquet.File) {
	ctx := context.Background()
	schema := columnar.NewSchema(columnar.Field{Name: "c", Type: typ, Nullable: true})
	builder := array.NewBuilder(memory.DefaultAllocator, typ.Arrow())
	defer builder.Release()
	build(builder)
	c := builder.NewArray()
	b := columnar.NewBatch(schema, []columnar.Column{c}, c.Len())
	defer b.Release()
	s := store.NewMem()
	w := newTestWriter(t, s, schema, 0)
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	return files[0], openBytes(t, s, files[0].Name)
}

// chunkBounds are the bounds in the footer, and the column index.
func chunkBounds(f *parquet.File) (low, high []byte, index format.ColumnIndex) {
	st := f.Metadata().RowGroups[0].Columns[0].MetaData.Statistics
	return st.MinValue, st.MaxValue, f.ColumnIndexes()[0]
}

// Texts: exact when short; a prefix and a raised prefix when long.
func TestTextBounds(t *testing.T) {
	long := strings.Repeat("é", 100)
	raised := strings.Repeat("é", 31) + "ê"
	last := "\U0010ffff"
	for name, c := range map[string]struct {
		values    []string
		low, high string
	}{
		"short":              {[]string{"b", "", "a"}, "", "b"},
		"long":               {[]string{long}, strings.Repeat("é", 32), raised},
		"repeated":           {[]string{"b", "a", "b", "a"}, "a", "b"},
		"long and repeated":  {[]string{long, long, "a", "a"}, "a", raised},
		"nothing above":      {[]string{strings.Repeat(last, 20)}, strings.Repeat(last, 16), strings.Repeat(last, 20)},
		"raised over a hole": {[]string{strings.Repeat("x", 61) + "\ud7ffyyy"}, strings.Repeat("x", 61) + "\ud7ff", strings.Repeat("x", 61) + "\ue000"},
	} {
		t.Run(name, func(t *testing.T) {
			file, pf := written(t, columnar.String, func(b array.Builder) { b.(*array.StringBuilder).AppendValues(c.values, nil) })
			low, high, _ := chunkBounds(pf)
			require.Equal(t, c.low, string(low))
			require.Equal(t, c.high, string(high))
			require.Equal(t, c.low, string(file.Stats[0].Min.ByteArray()))
			require.Equal(t, c.high, string(file.Stats[0].Max.ByteArray()))
		})
	}
}

func TestRaise(t *testing.T) {
	for in, want := range map[string]string{"a": "b", "aé": "aê", "a\U0010ffff": "b", "\ud7ff": "\ue000", "a\xff": "b", "\x7f\xfe": "\x7f\xff"} {
		up, ok := Raise([]byte(in))
		require.True(t, ok)
		require.Equal(t, want, string(up))
	}
	for _, in := range []string{"", "\U0010ffff", "\xff\xff"} {
		_, ok := Raise([]byte(in))
		require.False(t, ok)
	}
}

// A DECIMAL of more than 18 digits has a sign: -1 is below 1, in the footer, the page index and the statistics.
func TestWideDecimalBounds(t *testing.T) {
	file, pf := written(t, columnar.Decimal(38, 2), func(b array.Builder) {
		for page, v := range []int64{7, 0, -5} {
			for range pageRows {
				if page == 1 {
					b.AppendNull()
				} else {
					b.(*array.Decimal128Builder).Append(decimal128.FromI64(v))
				}
			}
		}
	})
	low, high, index := chunkBounds(pf)
	require.Equal(t, decimal128.FromI64(-5), bigEndian(low))
	require.Equal(t, decimal128.FromI64(7), bigEndian(high))
	require.Equal(t, decimal128.FromI64(-5), bigEndian(file.Stats[0].Min.ByteArray()))
	require.Equal(t, decimal128.FromI64(7), bigEndian(file.Stats[0].Max.ByteArray()))
	require.EqualValues(t, pageRows, file.Stats[0].Nulls)
	require.Equal(t, format.Unordered, index.BoundaryOrder)
	require.Equal(t, []bool{false, true, false}, []bool(index.NullPages))
	require.Len(t, index.MinValues, 3)
	require.Equal(t, decimal128.FromI64(-5), bigEndian(index.MinValues[2]))
}

// NaN lies outside of every order: a page with one is bounded by the infinities, so that no reader skips it.
func TestFloatBounds(t *testing.T) {
	for name, c := range map[string]struct {
		values    []float64
		low, high float64
		nan       bool
	}{
		"plain":          {[]float64{2, -1, 1}, -1, 2, false},
		"zero is signed": {[]float64{0, 0}, math.Copysign(0, -1), 0, false},
		"NaN":            {[]float64{1, math.NaN(), 2}, math.Inf(-1), math.Inf(1), true},
		"only NaN":       {[]float64{math.NaN()}, math.Inf(-1), math.Inf(1), true},
		"infinite":       {[]float64{math.Inf(1), 1}, 1, math.Inf(1), false},
	} {
		t.Run(name, func(t *testing.T) {
			file, pf := written(t, columnar.Double, func(b array.Builder) { b.(*array.Float64Builder).AppendValues(c.values, nil) })
			low, high, _ := chunkBounds(pf)
			require.Equal(t, parquet.DoubleValue(c.low).Bytes(), low)
			require.Equal(t, parquet.DoubleValue(c.high).Bytes(), high)
			require.Equal(t, c.nan, file.Stats[0].NaN)
		})
	}
}

// What lies under a null is no value, and a column of nulls has no bounds.
func TestNullsHaveNoBounds(t *testing.T) {
	file, _ := written(t, columnar.Double, func(b array.Builder) {
		b.(*array.Float64Builder).AppendValues([]float64{1, math.NaN()}, []bool{true, false})
	})
	require.False(t, file.Stats[0].NaN)
	require.EqualValues(t, 1, file.Stats[0].Max.Double())
	all, pf := written(t, columnar.BigInt, func(b array.Builder) { b.AppendNulls(3) })
	require.False(t, all.Stats[0].Bounded)
	require.EqualValues(t, 3, all.Stats[0].Nulls)
	low, _, index := chunkBounds(pf)
	require.Empty(t, low)
	require.Equal(t, []bool{true}, []bool(index.NullPages))
}
