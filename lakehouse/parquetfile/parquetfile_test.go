package parquetfile

import (
	"bytes"
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
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

func readAll(t testing.TB, s store.Store, name string, schema *columnar.Schema) []string {
	f, err := s.Open(context.Background(), name)
	require.NoError(t, err)
	defer f.Close()
	r, err := OpenReader(f, schema)
	require.NoError(t, err)
	defer r.Close()
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

func newTestWriter(t testing.TB, s store.Store, schema *columnar.Schema, target int64) *Writer {
	n := 0
	w, err := NewWriter(s, schema, Options{TargetBytes: target, Name: func() string { n++; return fmt.Sprintf("part-%d.parquet", n) }})
	require.NoError(t, err)
	return w
}

// Every type, any share of nulls, slices and empty batches read back as they were written, and the
// columns stand in schema order, which is not that of their names.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		nulls := rapid.SampledFrom([]float64{0, 0.1, 0.9, 1}).Draw(rt, "nulls")
		s := store.NewMem()
		w := newTestWriter(t, s, everyType, 0)
		var want []string
		for range rapid.IntRange(0, 4).Draw(rt, "batches") {
			rows := rapid.SampledFrom([]int{0, 1, 7, 300}).Draw(rt, "rows")
			b := randomBatch(rng, rows, nulls)
			part := columnar.Slice(b, rows/3, rows)
			require.NoError(rt, w.Write(ctx, 1, part))
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
		require.EqualValues(rt, len(want), files[0].Rows)
		require.Equal(rt, want, readAll(t, s, files[0].Name, everyType))
		require.Equal(rt, want, readAll(t, s, files[0].Name, nil), "the file's own schema gives the same")
	})
}

// A row group larger than a page and than a batch that is read: nothing is lost at the seams.
func TestRoundTripOfManyPages(t *testing.T) {
	ctx := context.Background()
	s := store.NewMem()
	w := newTestWriter(t, s, everyType, 0)
	b := randomBatch(rand.New(rand.NewPCG(1, 1)), 150_001, 0.2)
	defer b.Release()
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	require.Equal(t, lines(b), readAll(t, s, files[0].Name, everyType))
}

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
	if testing.Short() {
		t.Skip("three full row groups of every type")
	}
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
		require.Len(t, readAll(t, s, f.Name, everyType), int(f.Rows))
		in, err := s.Stat(ctx, f.Name)
		require.NoError(t, err)
		require.Equal(t, in.Size, f.Bytes)
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
	require.ErrorContains(t, err, "column n: there is a NULL where none is allowed")
}

func TestWrongRows(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt}, columnar.Field{Name: "s", Type: columnar.String})
	w := newTestWriter(t, store.NewMem(), schema, 0)
	for want, s := range map[string]*columnar.Schema{
		"the rows have no column n":                  columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String}),
		"column n of the rows is DOUBLE, not BIGINT": columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.Double}),
	} {
		b := columnar.NewBatch(s, []columnar.Column{columnar.NewNullColumn(s.Fields[0].Type, 1)}, 1)
		require.ErrorContains(t, w.Write(context.Background(), 0, b), want)
		b.Release()
	}
}

// The files depend on the rows of each lane alone: not on how they were cut into batches, nor on which goroutine was first.
func TestSameRowsSameBytes(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 5))
	lanes := make([]*columnar.Batch, 3)
	for i := range lanes {
		lanes[i] = randomBatch(rng, groupRows/2*i+4000, 0.1)
		defer lanes[i].Release()
	}
	write := func(step int) []byte {
		s := store.NewMem()
		w := newTestWriter(t, s, everyType, 0)
		var group errgroup.Group
		for id, b := range lanes {
			group.Go(func() error { return writeInSteps(ctx, w, int64(id), b, step) })
		}
		require.NoError(t, group.Wait())
		files, err := w.Finish(ctx)
		require.NoError(t, err)
		body, _, err := s.Get(ctx, files[0].Name)
		require.NoError(t, err)
		return body
	}
	want := write(1 << 20)
	for _, step := range []int{997, 40_000} {
		require.True(t, bytes.Equal(want, write(step)), "step %d", step)
	}
}

func writeInSteps(ctx context.Context, w *Writer, lane int64, b *columnar.Batch, step int) error {
	for from := 0; from < b.Rows(); from += step {
		part := columnar.Slice(b, from, min(b.Rows(), from+step))
		err := w.Write(ctx, lane, part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// Columns are released, whichever way a writer ends.
func TestWriterReleases(t *testing.T) {
	ctx := context.Background()
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String})
	for name, end := range map[string]func(w *Writer, s *store.Mem){
		"finish": func(w *Writer, _ *store.Mem) { _, err := w.Finish(ctx); require.NoError(t, err) },
		"abort":  func(w *Writer, _ *store.Mem) { w.Abort(); w.Abort() },
		"finish fails": func(w *Writer, s *store.Mem) {
			s.FailWrites(errors.New("boom"))
			_, err := w.Finish(ctx)
			require.ErrorContains(t, err, "boom")
			w.Abort()
		},
		"finish is cancelled": func(w *Writer, _ *store.Mem) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			_, err := w.Finish(ctx)
			require.ErrorIs(t, err, context.Canceled)
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool := memory.NewCheckedAllocator(columnar.Heap)
			defer pool.AssertSize(t, 0)
			s := store.NewMem()
			w := newTestWriter(t, s, schema, 0)
			for lane := range int64(3) {
				builder := array.NewStringBuilder(pool)
				builder.AppendValues([]string{"a", "b"}, nil)
				b := columnar.NewBatch(schema, []columnar.Column{builder.NewArray()}, 2)
				builder.Release()
				require.NoError(t, w.Write(ctx, lane, b))
				b.Release()
			}
			end(w, s)
		})
	}
}

// Rests of many lanes with wide rows are joined into row groups of bounded size.
func TestWideRowsEndRowGroups(t *testing.T) {
	ctx := context.Background()
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String})
	s := store.NewMem()
	w := newTestWriter(t, s, schema, 0)
	texts := make([]string, 10)
	for i := range texts {
		texts[i] = fmt.Sprintf("%01000000d", i)
	}
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewStringColumn(texts)}, len(texts))
	defer b.Release()
	for lane := range int64(8) {
		require.NoError(t, w.Write(ctx, lane, b))
	}
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	groups := metadata(t, s, files[0].Name).RowGroups
	require.Len(t, groups, 2, "80 MB in row groups of at most 64 MiB")
	for _, g := range groups {
		require.LessOrEqual(t, g.TotalByteSize, int64(joinedBytes))
	}
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
