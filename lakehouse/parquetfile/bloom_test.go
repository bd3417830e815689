package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// writeFiltered writes batches, a lane each, to one file with filters.
func writeFiltered(t testing.TB, names []string, batches ...*columnar.Batch) *store.Mem {
	s := store.NewMem()
	w, err := NewWriter(s, batches[0].Schema(), Options{Name: func() string { return "x" }, Layout: lakehouse.Layout{BloomFilters: names}})
	require.NoError(t, err)
	for lane, b := range batches {
		require.NoError(t, w.Write(t.Context(), int64(lane), b))
	}
	_, err = w.Finish(t.Context())
	require.NoError(t, err)
	return s
}

func probeOf(t testing.TB, s store.Store, name string) *Probe {
	f, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	p, err := openProbe(f)
	require.NoError(t, err)
	return p
}

// filterableColumns are the columns of everyType that can have filters.
func filterableColumns() (names []string) {
	for _, f := range everyType.Fields {
		if Filterable(f.Type) {
			names = append(names, f.Name)
		}
	}
	return names
}

func only(b *columnar.Batch, names ...string) *columnar.Batch {
	schema := &columnar.Schema{}
	for _, name := range names {
		schema.Fields = append(schema.Fields, b.Schema().Fields[b.Schema().Index(name)])
	}
	out, err := Project(b, schema)
	if err != nil {
		panic(err)
	}
	return out
}

// No filter of any type denies a value that is there, or NULL; few say maybe to one that is not.
func TestFiltersOfEveryType(t *testing.T) {
	const rows = 5000
	for _, nulls := range []float64{0, 0.3, 1} {
		there := randomBatch(rand.New(rand.NewPCG(1, 1)), rows, nulls)
		others := randomBatch(rand.New(rand.NewPCG(2, 2)), rows, 0)
		p := probeOf(t, writeFiltered(t, filterableColumns(), there), "x")
		for _, name := range filterableColumns() {
			require.True(t, p.Filtered(name))
			all, err := p.MayHold(only(there, name))
			require.NoError(t, err)
			require.Len(t, all, rows, name)
			maybe, err := p.MayHold(only(others, name))
			require.NoError(t, err)
			if kind := everyType.Fields[everyType.Index(name)].Type.Kind; kind != columnar.TinyIntKind && kind != columnar.SmallIntKind && name != "text" && name != "bin" && name != "date" {
				require.Less(t, len(maybe), rows/50, name)
			}
		}
		require.False(t, p.Filtered("double"))
		all, err := p.MayHold(only(others, "double", "z_bool"))
		require.NoError(t, err)
		require.Len(t, all, rows, "nothing is known of these")
		there.Release()
		others.Release()
	}
}

func texts2(from, n int) *columnar.Batch {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text-%d", from+i)
	}
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String, Nullable: true})
	return columnar.NewBatch(schema, []columnar.Column{columnar.NewStringColumn(texts)}, n)
}

// Keys of several columns are looked for in one row group: each value alone may be somewhere.
func TestKeysOfOneRowGroup(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "a", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "b", Type: columnar.BigInt, Nullable: true})
	pairs := func(a, b int64, n int) *columnar.Batch {
		return columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(slices.Repeat([]int64{a}, n), nil), columnar.NewInt64Column(slices.Repeat([]int64{b}, n), nil)}, n)
	}
	p := probeOf(t, writeFiltered(t, []string{"a", "b"}, pairs(1, 10, groupRows), pairs(2, 20, groupRows)), "x")
	keys, err := columnar.Concat([]*columnar.Batch{pairs(1, 10, 1), pairs(1, 20, 1), pairs(2, 20, 1), pairs(3, 10, 1)})
	require.NoError(t, err)
	got, err := p.MayHold(keys)
	require.NoError(t, err)
	require.Equal(t, columnar.Selection{0, 2}, got)
}

// A filter is sized by how many different values there are, and holds one maybe in a hundred.
func TestFilterSize(t *testing.T) {
	for _, c := range []struct{ rows, different, size int }{
		{1000, 1, 32},
		{1000, 1000, 2048},
		{100_000, 1000, 2048},
		{100_000, 100_000, 256 << 10},
	} {
		b := texts2(0, c.different)
		parts := slices.Repeat([]*columnar.Batch{b}, c.rows/c.different)
		s := writeFiltered(t, []string{"s"}, parts...)
		chunk := openBytes(t, s, "x").RowGroups()[0].ColumnChunks()[0].(*parquet.FileColumnChunk)
		require.EqualValues(t, c.size, chunk.BloomFilter().Size(), "%d of %d", c.different, c.rows)
		for i := range c.different {
			there, err := chunk.BloomFilter().Check(parquet.ByteArrayValue(fmt.Appendf(nil, "text-%d", i)))
			require.NoError(t, err)
			require.True(t, there)
		}
		others := texts2(c.different, 20_000)
		maybe, err := probeOf(t, s, "x").MayHold(others)
		require.NoError(t, err)
		require.Less(t, len(maybe), 200)
	}
}

// A filter of a field in a STRUCT is there for others to use.
func TestFilterInAStruct(t *testing.T) {
	typ := columnar.Struct(columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true})
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: typ, Nullable: true})
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewStructColumn(typ, []columnar.Column{columnar.NewInt64Column([]int64{7, 0, 9}, []bool{true, true, false})}, 3, []bool{true, false, true})}, 3)
	s := writeFiltered(t, []string{"s.n"}, b)
	filter := openBytes(t, s, "x").RowGroups()[0].ColumnChunks()[0].(*parquet.FileColumnChunk).BloomFilter()
	for v, want := range map[int64]bool{7: true, 0: false, 9: false} {
		there, err := filter.Check(parquet.Int64Value(v))
		require.NoError(t, err)
		require.Equal(t, want, there, "%d", v)
	}
}

// Of files of other writers only columns are asked whose values are stored as the same bytes.
func TestProbeOfOtherTypes(t *testing.T) {
	type row struct {
		N int32
		T int64 `parquet:"t,timestamp(millisecond)"`
		S string
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.BloomFilters(parquet.SplitBlockFilter(10, "N"), parquet.SplitBlockFilter(10, "t"), parquet.SplitBlockFilter(10, "S")))
	_, err := w.Write([]row{{1, 1000, "a"}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	s := store.NewMem()
	require.NoError(t, s.Put(t.Context(), "other", b.Bytes()))
	p := probeOf(t, s, "other")
	for _, c := range []struct {
		name string
		typ  columnar.Type
		json string // of a value that is not there
		may  bool
	}{
		{"N", columnar.Int, "2", false},
		{"N", columnar.BigInt, "2", true},
		{"t", columnar.Timestamp, "2", true},
		{"S", columnar.String, `"b"`, false},
		{"S", columnar.Binary, `"Yg=="`, false},
		{"gone", columnar.String, `"b"`, true},
	} {
		got, err := p.MayHold(oneValue(t, c.name, c.typ, c.json))
		require.NoError(t, err)
		require.Equal(t, c.may, len(got) == 1, "%s %s", c.name, c.typ)
	}
}

// oneValue is a batch of one column and row.
func oneValue(t *testing.T, name string, typ columnar.Type, json string) *columnar.Batch {
	b := array.NewBuilder(memory.DefaultAllocator, typ.Arrow())
	defer b.Release()
	require.NoError(t, b.UnmarshalJSON([]byte("["+json+"]")))
	return columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: name, Type: typ, Nullable: true}), []columnar.Column{b.NewArray()}, 1)
}

// FuzzProbe flips bytes of a file with filters: whatever comes out, nothing panics, and no filter is larger than the file.
func FuzzProbe(f *testing.F) {
	keys := randomBatch(rand.New(rand.NewPCG(1, 1)), 20, 0.2)
	s := writeFiltered(f, filterableColumns(), keys)
	body, _, err := s.Get(context.Background(), "x")
	require.NoError(f, err)
	for _, g := range metadata(f, s, "x").RowGroups {
		for _, c := range g.Columns {
			f.Add(uint32(c.MetaData.BloomFilterOffset+1), byte(7))
		}
	}
	f.Add(uint32(len(body)-20), byte(7))
	f.Fuzz(func(t *testing.T, at uint32, flip byte) {
		broken := slices.Clone(body)
		broken[int(at)%len(broken)] ^= flip
		m := store.NewMem()
		require.NoError(t, m.Put(t.Context(), "x", broken))
		file, err := m.Open(t.Context(), "x")
		require.NoError(t, err)
		if p, err := openProbe(file); err == nil {
			_, _ = p.MayHold(keys)
		}
	})
}

// openProbe asks a file alone, whatever its schema.
func openProbe(r store.Reader) (*Probe, error) {
	f, err := Open(r)
	if err != nil {
		return nil, err
	}
	return &Probe{from: r, file: f}, nil
}
