package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

var everyType = columnar.NewSchema(
	columnar.Field{Name: "z_bool", Type: columnar.Boolean, Nullable: true},
	columnar.Field{Name: "tiny", Type: columnar.TinyInt, Nullable: true},
	columnar.Field{Name: "small", Type: columnar.SmallInt, Nullable: true},
	columnar.Field{Name: "int", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "big", Type: columnar.BigInt},
	columnar.Field{Name: "float", Type: columnar.Float, Nullable: true},
	columnar.Field{Name: "double", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "dec9", Type: columnar.Decimal(9, 2), Nullable: true},
	columnar.Field{Name: "dec18", Type: columnar.Decimal(18, 0), Nullable: true},
	columnar.Field{Name: "dec38", Type: columnar.Decimal(38, 10), Nullable: true},
	columnar.Field{Name: "text", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "bin", Type: columnar.Binary, Nullable: true},
	columnar.Field{Name: "date", Type: columnar.Date, Nullable: true},
	columnar.Field{Name: "a_ts", Type: columnar.Timestamp, Nullable: true},
)

func randomBatch(rng *rand.Rand, rows int, nullShare float64) *columnar.Batch {
	cols := make([]columnar.Column, everyType.Len())
	for i, f := range everyType.Fields {
		b := array.NewBuilder(memory.DefaultAllocator, f.Type.Arrow())
		for range rows {
			if f.Nullable && rng.Float64() < nullShare {
				b.AppendNull()
				continue
			}
			appendRandom(rng, b, f.Type)
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	return columnar.NewBatch(everyType, cols, rows)
}

func appendRandom(rng *rand.Rand, b array.Builder, t columnar.Type) {
	n := rng.Int64() - rng.Int64()
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(n%2 == 0)
	case *array.Int8Builder:
		b.Append(int8(n))
	case *array.Int16Builder:
		b.Append(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	case *array.Float32Builder:
		b.Append(rng.Float32())
	case *array.Float64Builder:
		b.Append(rng.NormFloat64())
	case *array.Decimal128Builder:
		v := decimal128.FromI64(n % 1_000_000_000)
		if t.Precision > 18 {
			v = v.Mul(decimal128.FromI64(1_000_000_000_000_000_000))
		}
		b.Append(v)
	case *array.StringBuilder:
		b.Append(fmt.Sprintf("%.*s", int(n&7)*20, fmt.Sprintf("é%0150d", n)))
	case *array.BinaryBuilder:
		b.Append([]byte{byte(n), 0xff, byte(n >> 8)})
	case *array.Date32Builder:
		b.Append(arrow.Date32(n % 100000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n % 4e15))
	}
}

func lines(batches ...*columnar.Batch) []string {
	var out []string
	for _, b := range batches {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
	}
	return out
}

func readAll(t *testing.T, s store.Store, name string, schema *columnar.Schema) []string {
	f, err := s.Open(context.Background(), name)
	require.NoError(t, err)
	defer f.Close()
	r, err := OpenReader(f, schema)
	require.NoError(t, err)
	var out []string
	for {
		b, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, lines(b)...)
		b.Release()
	}
}

func newTestWriter(t *testing.T, s store.Store, schema *columnar.Schema, target int64) *Writer {
	n := 0
	w, err := NewWriter(s, schema, Options{TargetBytes: target, Name: func() string { n++; return fmt.Sprintf("part-%d.parquet", n) }})
	require.NoError(t, err)
	return w
}

// Every type, any share of nulls, slices and empty batches read back as they were written, and the
// columns stand in schema order, which is not that of their names.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	ctx := context.Background()
	for _, nulls := range []float64{0, 0.1, 0.9, 1} {
		s := store.NewMem()
		w := newTestWriter(t, s, everyType, 0)
		var want []string
		for _, rows := range []int{0, 1, 1000, 7} {
			b := randomBatch(rng, rows, nulls)
			part := columnar.Slice(b, rows/3, rows)
			require.NoError(t, w.Write(ctx, 1, part))
			want = append(want, lines(part)...)
			part.Release()
			b.Release()
		}
		files, err := w.Finish(ctx)
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.EqualValues(t, len(want), files[0].Rows)
		require.Equal(t, want, readAll(t, s, files[0].Name, everyType))
		require.Equal(t, want, readAll(t, s, files[0].Name, relaxed(everyType)), "the file's own schema gives the same")
	}
}

// relaxed is what a file tells of a schema.
func relaxed(*columnar.Schema) *columnar.Schema { return nil }

// Files hold lanes in order, whatever the order of the calls.
func TestLanesStandInOrder(t *testing.T) {
	ctx := context.Background()
	s := store.NewMem()
	schema := columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt})
	w := newTestWriter(t, s, schema, 0)
	for _, lane := range []int64{3, 1, 2} {
		values := make([]int64, groupRows+5) // a full row group and a rest
		for i := range values {
			values[i] = lane*1_000_000 + int64(i)
		}
		b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(values, nil)}, len(values))
		require.NoError(t, w.Write(ctx, lane, b))
		b.Release()
	}
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	got := readAll(t, s, files[0].Name, schema)
	require.Len(t, got, 3*(groupRows+5))
	require.IsIncreasing(t, got)
}

func TestTargetSizeEndsAFile(t *testing.T) {
	ctx := context.Background()
	s := store.NewMem()
	rng := rand.New(rand.NewPCG(1, 2))
	w := newTestWriter(t, s, everyType, 1)
	for lane := range int64(3) {
		b := randomBatch(rng, groupRows/8, 0)
		for range 8 {
			require.NoError(t, w.Write(ctx, lane, b))
		}
		b.Release()
	}
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	require.Greater(t, len(files), 1)
	total := int64(0)
	for _, f := range files {
		total += f.Rows
	}
	require.EqualValues(t, 3*8*(groupRows/8), total)
}

func TestNoRowsNoFile(t *testing.T) {
	s := store.NewMem()
	files, err := newTestWriter(t, s, everyType, 0).Finish(context.Background())
	require.NoError(t, err)
	require.Empty(t, files)
	require.Zero(t, s.Writes())
}

func TestNullInARequiredColumn(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt})
	w := newTestWriter(t, store.NewMem(), schema, 0)
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column([]int64{1, 2}, []bool{true, false})}, 2)
	defer b.Release()
	require.NoError(t, w.Write(context.Background(), 0, b))
	_, err := w.Finish(context.Background())
	require.ErrorContains(t, err, "column n: 1 NULL values in a NOT NULL column")
}

// Statistics bound the values: exact for numbers, a prefix and a raised prefix for long texts.
func TestStats(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String, Nullable: true})
	w := newTestWriter(t, store.NewMem(), schema, 0)
	long := fmt.Sprintf("%0100d", 7)
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewStringColumn([]string{"b", long})}, 2)
	defer b.Release()
	require.NoError(t, w.Write(context.Background(), 0, b))
	files, err := w.Finish(context.Background())
	require.NoError(t, err)
	st := files[0].Stats[0]
	require.EqualValues(t, 2, st.Rows)
	require.Equal(t, long[:maxBound], string(st.Min.ByteArray()))
	require.Equal(t, "b", string(st.Max.ByteArray()))
	up, ok := raise([]byte("aé"))
	require.True(t, ok)
	require.Equal(t, "aê", string(up))
	_, ok = raise([]byte("\U0010ffff"))
	require.False(t, ok)
}

func TestBridge(t *testing.T) {
	info := libraryVersion()
	require.Contains(t, []string{"v0.32.0", ""}, info, "parquet-go changed: check that (*ColumnWriter).writeDataPage still takes a Page, then name the version here")
}

func BenchmarkWrite(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	batch := randomBatch(rng, 32<<10, 0.1)
	defer batch.Release()
	b.ReportAllocs()
	for b.Loop() {
		w, err := NewWriter(store.NewMem(), everyType, Options{Name: func() string { return "x" }})
		require.NoError(b, err)
		for range 4 {
			require.NoError(b, w.Write(context.Background(), 0, batch))
		}
		_, err = w.Finish(context.Background())
		require.NoError(b, err)
	}
	b.ReportMetric(float64(4*batch.Rows()*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// FuzzReader flips bytes of a sound file: whatever comes out, nothing panics.
func FuzzReader(f *testing.F) {
	s := store.NewMem()
	w, err := NewWriter(s, everyType, Options{Name: func() string { return "x" }})
	require.NoError(f, err)
	b := randomBatch(rand.New(rand.NewPCG(1, 1)), 20, 0.2)
	require.NoError(f, w.Write(context.Background(), 0, b))
	_, err = w.Finish(context.Background())
	require.NoError(f, err)
	body, _, err := s.Get(context.Background(), "x")
	require.NoError(f, err)
	f.Add(uint32(10), byte(1))
	f.Add(uint32(len(body)-20), byte(7))
	f.Fuzz(func(t *testing.T, at uint32, flip byte) {
		broken := append([]byte(nil), body...)
		broken[int(at)%len(broken)] ^= flip
		m := store.NewMem()
		require.NoError(t, m.Put(t.Context(), "x", broken))
		file, err := m.Open(t.Context(), "x")
		require.NoError(t, err)
		r, err := OpenReader(file, everyType)
		for err == nil {
			var b *columnar.Batch
			if b, err = r.Next(t.Context()); b != nil {
				b.Release()
			}
		}
	})
}
