package parquetfile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// mixed are ten columns as tables of events have them.
var mixed = columnar.NewSchema(
	columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "quantity", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "ratio", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "amount", Type: columnar.Decimal(12, 2), Nullable: true},
	columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "day", Type: columnar.Date, Nullable: true},
	columnar.Field{Name: "paid", Type: columnar.Boolean, Nullable: true},
	columnar.Field{Name: "country", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "page", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "session", Type: columnar.String, Nullable: true},
)

// mixedBatch has NULL in a twentieth of the values of each column; times go up, ids and sessions are random.
func mixedBatch(seed uint64, rows int) *columnar.Batch {
	rng := rand.New(rand.NewPCG(seed, 7))
	cols := make([]columnar.Column, mixed.Len())
	for i, f := range mixed.Fields {
		b := array.NewBuilder(memory.DefaultAllocator, f.Type.Arrow())
		for row := range rows {
			if rng.IntN(20) == 0 {
				b.AppendNull()
				continue
			}
			appendMixed(rng, b, f.Name, int(seed)*rows+row)
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	return columnar.NewBatch(mixed, cols, rows)
}

func appendMixed(rng *rand.Rand, b array.Builder, name string, row int) {
	const start = 1_700_000_000_000_000
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(rng.Int64N(10_000_000))
	case *array.Int32Builder:
		b.Append(rng.Int32N(100))
	case *array.Float64Builder:
		b.Append(rng.Float64())
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(rng.Int64N(1_000_000)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(start + int64(row)*1000 + rng.Int64N(1000)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(19_675 + row/100_000))
	case *array.BooleanBuilder:
		b.Append(rng.IntN(3) == 0)
	case *array.StringBuilder:
		switch name {
		case "country":
			b.Append([]string{"DE", "FR", "US", "IN", "BR"}[rng.IntN(5)])
		case "page":
			b.Append(fmt.Sprintf("/products/%d", rng.IntN(1000)))
		default:
			b.Append(fmt.Sprintf("%016x", rng.Uint64()))
		}
	}
}

// BenchmarkWriteMixed writes a million rows of ten columns in batches of 65,536 rows to memory.
func BenchmarkWriteMixed(b *testing.B) {
	const rows, step = 1 << 20, 64 << 10
	var batches []*columnar.Batch
	for i := range rows / step {
		batches = append(batches, mixedBatch(uint64(i), step))
		defer batches[i].Release()
	}
	for name, o := range map[string]Options{
		"plain":    {},
		"sorted":   {Layout: lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "page"}, {Column: "id"}}}},
		"filtered": {Layout: lakehouse.Layout{BloomFilters: []string{"id", "session"}}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := store.NewMem()
				o.Name = func() string { return "x" }
				w, err := NewWriter(s, mixed, o)
				require.NoError(b, err)
				for _, batch := range batches {
					require.NoError(b, w.Write(context.Background(), 0, batch))
				}
				files, err := w.Finish(context.Background())
				require.NoError(b, err)
				b.ReportMetric(float64(files[0].Bytes)/rows, "bytes/row")
			}
			b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// BenchmarkAppend merges files of ten columns to one, in memory: megabytes of them per second, as they are stored.
func BenchmarkAppend(b *testing.B) {
	sorted := lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "page"}, {Column: "id"}}}
	for name, c := range map[string]struct {
		files, rows int
		layout      lakehouse.Layout
	}{
		"32 of 4 MB":            {32, 145_000, lakehouse.Layout{}},
		"32 of 4 MB, sorted":    {32, 145_000, sorted},
		"128 of 900 KB":         {128, 31_000, lakehouse.Layout{}},
		"1000 of 10 KB":         {1000, 130, lakehouse.Layout{}},
		"1000 of 10 KB, sorted": {1000, 130, sorted},
	} {
		b.Run(name, func(b *testing.B) {
			s := store.NewMem()
			size := int64(0)
			for i := range c.files {
				batch := mixedBatch(uint64(i), c.rows)
				size += putFile(b, s, fmt.Sprint(i), c.layout, batch).Bytes
				batch.Release()
			}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				w, err := NewWriter(s, mixed, Options{Name: func() string { return "merged" }, Layout: c.layout})
				require.NoError(b, err)
				for i := range c.files {
					f, err := s.Open(b.Context(), fmt.Sprint(i))
					require.NoError(b, err)
					_, err = w.Append(b.Context(), f)
					require.NoError(b, err)
				}
				_, err = w.Finish(b.Context())
				require.NoError(b, err)
			}
			b.ReportMetric(float64(size)/float64(c.files)/1e3, "KB/file")
		})
	}
}
