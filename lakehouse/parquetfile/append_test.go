package parquetfile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// putFile writes batches to a file of its own.
func putFile(t testing.TB, s store.Store, name string, l lakehouse.Layout, batches ...*columnar.Batch) File {
	w, err := NewWriter(s, batches[0].Schema(), Options{Name: func() string { return name }, Layout: l})
	require.NoError(t, err)
	for _, b := range batches {
		require.NoError(t, w.Write(context.Background(), 0, b))
	}
	files, err := w.Finish(context.Background())
	require.NoError(t, err)
	return files[0]
}

// appended appends files to one, and says how many of them were kept open: their row groups were not encoded, or they were merged.
func appended(t testing.TB, s store.Store, schema *columnar.Schema, to string, l lakehouse.Layout, names ...string) (out File, kept int) {
	w, err := NewWriter(s, schema, Options{Name: func() string { return to }, Layout: l})
	require.NoError(t, err)
	return appendTo(t, s, w, names)
}

func appendTo(t testing.TB, s store.Store, w *Writer, names []string) (out File, kept int) {
	ctx := context.Background()
	for _, name := range names {
		f, err := s.Open(ctx, name)
		require.NoError(t, err)
		_, err = w.Append(ctx, f)
		require.NoError(t, err)
	}
	kept = len(w.inputs)
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	return files[0], kept
}

// A file that others are appended to says the same as one that the rows were written to, whether row groups were copied or encoded again: rows,
// statistics, page index, sizes, filters.
func TestAppend(t *testing.T) {
	l := lakehouse.Layout{BloomFilters: []string{"big", "text", "dec38"}}
	for name, c := range map[string]struct {
		rows   []int // of each file
		groups []int // rows of the row groups
		copied int
	}{
		"small ones are joined": {[]int{300, 1, 500}, []int{801}, 0},
		"their order stays":     {[]int{10, keptRows, 20, 30, keptRows}, []int{10, keptRows, 50, keptRows}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMem()
			var names []string
			var all []*columnar.Batch
			for i, n := range c.rows {
				b := randomBatch(rand.New(rand.NewPCG(uint64(i), 3)), n, 0.1)
				defer b.Release()
				names, all = append(names, fmt.Sprint(i)), append(all, b)
				putFile(t, s, names[i], l, b)
			}
			got, copied := appended(t, s, everyType, "got", l, names...)
			require.Equal(t, c.copied, copied)
			require.Equal(t, lines(all...), readAll(t, s, "got", everyType))
			requireGroups(t, s, c.groups)
			fresh := putFile(t, s, "fresh", l, all...)
			for i := range fresh.Stats {
				requireStats(t, fresh.Stats[i], got.Stats[i])
			}
			for _, b := range all {
				may, err := probeOf(t, s, "got").MayHold(only(b, "big", "text", "dec38"))
				require.NoError(t, err)
				require.Len(t, may, b.Rows())
			}
		})
	}
}

func requireStats(t *testing.T, want, got Stats) {
	require.Equal(t, []any{want.Rows, want.Nulls, want.Bounded}, []any{got.Rows, got.Nulls, got.Bounded})
	require.True(t, parquet.Equal(want.Min, got.Min) && parquet.Equal(want.Max, got.Max))
}

// requireGroups checks the row groups of a file, and that each column of each says all that one of a fresh file says.
func requireGroups(t *testing.T, s store.Store, rows []int) {
	f := openBytes(t, s, "got")
	require.Len(t, f.Metadata().RowGroups, len(rows))
	for i, g := range f.Metadata().RowGroups {
		require.EqualValues(t, rows[i], g.NumRows)
		for k, c := range g.Columns {
			index := f.OffsetIndexes()[i*len(g.Columns)+k]
			require.Len(t, index.PageLocations, (rows[i]+pageRows-1)/pageRows)
			require.Equal(t, c.MetaData.DataPageOffset, index.PageLocations[0].Offset)
			require.NotEmpty(t, c.MetaData.Statistics.MaxValue)
			require.Equal(t, c.MetaData.DictionaryPageOffset > 0, hasEncoding(c.MetaData, format.RLEDictionary))
		}
	}
}

func hasEncoding(m format.ColumnMetaData, e format.Encoding) bool {
	for _, x := range m.Encoding {
		if x == e {
			return true
		}
	}
	return false
}

// What another program wrote, has another schema, no filter that is wanted, or is to be sorted, is encoded again.
func TestAppendEncodesAgain(t *testing.T) {
	s := store.NewMem()
	b := mixedBatch(1, keptRows)
	defer b.Release()
	putFile(t, s, "plain", lakehouse.Layout{}, b)
	putFile(t, s, "filtered", lakehouse.Layout{BloomFilters: []string{"id"}}, b)
	wider := columnar.NewSchema(append(append([]columnar.Field{}, mixed.Fields...), columnar.Field{Name: "new", Type: columnar.Int, Nullable: true})...)
	for name, c := range map[string]struct {
		file   string
		schema *columnar.Schema
		layout lakehouse.Layout
		copied int
	}{
		"as it is":          {"plain", mixed, lakehouse.Layout{}, 1},
		"without a filter":  {"filtered", mixed, lakehouse.Layout{}, 1},
		"with the filter":   {"filtered", mixed, lakehouse.Layout{BloomFilters: []string{"id"}}, 1},
		"with a new filter": {"plain", mixed, lakehouse.Layout{BloomFilters: []string{"id"}}, 0},
		"with a new column": {"plain", wider, lakehouse.Layout{}, 0},
		"sorted":            {"plain", mixed, lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "id"}}}, 0},
	} {
		out, copied := appended(t, s, c.schema, "out", c.layout, c.file)
		require.Equal(t, c.copied, copied, name)
		require.EqualValues(t, keptRows, out.Rows, name)
		require.Equal(t, len(c.layout.BloomFilters) > 0, probeOf(t, s, "out").Filtered("id"), name)
	}
}

// Large files in order are merged as they are read; equal rows stand in the order of the files.
func TestAppendInOrder(t *testing.T) {
	by := lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "k", Descending: true}}}
	s := store.NewMem()
	var names []string
	var want []keyedRow
	for i, n := range []int{groupRows + 9, 1000, 50_000, 10, 40_000} {
		rows := keyedRows(9, int64(i), n)
		want = append(want, rows...)
		names = append(names, fmt.Sprint(i))
		b := keyedBatch(rows)
		putFile(t, s, names[i], by, b)
		b.Release()
	}
	w, err := NewWriter(s, keyed, Options{Name: func() string { return "out" }, Layout: by})
	require.NoError(t, err)
	w.merged = 20 << 10
	out, kept := appendTo(t, s, w, names)
	require.Equal(t, 3, kept)
	requireInOrder(t, by.SortBy, want, places(t, s, []File{out}))
	requireSortingColumns(t, by.SortBy, metadata(t, s, "out").RowGroups)
}

// Files are closed, whichever way a writer ends.
func TestAppendCloses(t *testing.T) {
	mem := store.NewMem()
	b := mixedBatch(1, keptRows)
	defer b.Release()
	putFile(t, mem, "kept", lakehouse.Layout{}, b)
	require.NoError(t, mem.Put(t.Context(), "damaged", []byte("PAR1 nothing at all PAR1")))
	for name, c := range map[string]struct {
		file   string
		finish bool
	}{"finished": {"kept", true}, "aborted": {"kept", false}, "damaged": {"damaged", false}} {
		f, err := mem.Open(t.Context(), c.file)
		require.NoError(t, err)
		closed := &closing{Reader: f}
		w := newTestWriter(t, store.NewMem(), mixed, 0)
		_, err = w.Append(t.Context(), closed)
		require.Equal(t, c.file == "damaged", err != nil)
		if c.finish {
			_, err = w.Finish(t.Context())
			require.NoError(t, err)
		}
		w.Abort()
		require.Equal(t, 1, closed.times, name)
	}
}

type closing struct {
	store.Reader
	times int
}

func (c *closing) Close() error {
	c.times++
	return c.Reader.Close()
}
