package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

var keyed = columnar.NewSchema(
	columnar.Field{Name: "place", Type: columnar.BigInt, Nullable: true}, // lane and row
	columnar.Field{Name: "k", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
)

// keyedRow is a row of keyed. A k of -1 is NULL.
type keyedRow struct {
	place int64
	k     int32
	s     string
}

func keyedRows(seed uint64, lane int64, n int) []keyedRow {
	rng := rand.New(rand.NewPCG(seed, uint64(lane)))
	out := make([]keyedRow, n)
	for i := range out {
		out[i] = keyedRow{lane<<32 | int64(i), rng.Int32N(900) - 1, words(rng.IntN(7))}
	}
	return out
}

func keyedBatch(rows []keyedRow) *columnar.Batch {
	places, keys, valid, texts := make([]int64, len(rows)), make([]int32, len(rows)), make([]bool, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		places[i], keys[i], valid[i], texts[i] = r.place, r.k, r.k >= 0, r.s
	}
	return columnar.NewBatch(keyed, []columnar.Column{columnar.NewInt64Column(places, nil), columnar.NewFixedColumn(columnar.Int, keys, valid), columnar.NewStringColumn(texts)}, len(rows))
}

// writeSorted writes lanes of rows in batches of step rows, all lanes at the same time. What fills a row group waits in memory, or, with runs,
// becomes one.
func writeSorted(t testing.TB, by []lakehouse.SortColumn, target int64, lanes [][]keyedRow, step int, runs bool) (*store.Mem, []File) {
	ctx := context.Background()
	s, n := store.NewMem(), 0
	w, err := NewWriter(s, keyed, Options{Name: func() string { n++; return fmt.Sprintf("part-%d.parquet", n) }, TargetBytes: target, Layout: lakehouse.Layout{SortBy: by}})
	require.NoError(t, err)
	if runs {
		w.sorter.held.Store(heldBytes)
	}
	var tasks errgroup.Group
	for lane, rows := range lanes {
		b := keyedBatch(rows)
		tasks.Go(func() error {
			defer b.Release()
			return writeInSteps(ctx, w, int64(lane), b, step)
		})
	}
	require.NoError(t, tasks.Wait())
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	return s, files
}

// Rows of all lanes stand in order, over all files; equal ones stand in the order of lanes and as they came. NULL is first, and, descending, last.
func TestSortBy(t *testing.T) {
	up, down := lakehouse.SortColumn{Column: "k"}, lakehouse.SortColumn{Column: "k", Descending: true}
	for name, c := range map[string]struct {
		by     []lakehouse.SortColumn
		lanes  []int // rows of each
		target int64
		runs   bool
	}{
		"a few rows":     {[]lakehouse.SortColumn{up}, []int{3, 0, 5}, 0, false},
		"descending":     {[]lakehouse.SortColumn{down}, []int{1000, 500}, 0, false},
		"two columns":    {[]lakehouse.SortColumn{{Column: "s", Descending: true}, up}, []int{1000, 500}, 0, false},
		"runs and rests": {[]lakehouse.SortColumn{up}, []int{10, groupRows + 7, 300}, 0, true},
		"several files":  {[]lakehouse.SortColumn{up, {Column: "s"}}, []int{groupRows + 1, 5}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var lanes [][]keyedRow
			for lane, n := range c.lanes {
				lanes = append(lanes, keyedRows(1, int64(lane), n))
			}
			s, files := writeSorted(t, c.by, c.target, lanes, 10_000, c.runs)
			requireInOrder(t, c.by, slices.Concat(lanes...), places(t, s, files))
			requireSortingColumns(t, c.by, metadata(t, s, files[0].Name).RowGroups)
			require.Equal(t, c.target > 0, len(files) > 1)
		})
	}
}

// requireInOrder checks that places are those of the rows, sorted, equal ones as they stand.
func requireInOrder(t *testing.T, by []lakehouse.SortColumn, rows []keyedRow, places []int64) {
	slices.SortStableFunc(rows, func(x, y keyedRow) int { return compareKeyed(by, x, y) })
	require.True(t, slices.EqualFunc(places, rows, func(place int64, r keyedRow) bool { return place == r.place }))
}

// places reads the first column of files.
func places(t testing.TB, s store.Store, files []File) (out []int64) {
	only := columnar.NewSchema(keyed.Fields[0])
	for _, file := range files {
		f, err := s.Open(t.Context(), file.Name)
		require.NoError(t, err)
		defer f.Close()
		r, err := OpenReader(f, only)
		require.NoError(t, err)
		for b, err := r.Next(t.Context()); !errors.Is(err, io.EOF); b, err = r.Next(t.Context()) {
			require.NoError(t, err)
			out = append(out, b.Column(0).(*array.Int64).Int64Values()...)
			b.Release()
		}
	}
	return out
}

func compareKeyed(by []lakehouse.SortColumn, x, y keyedRow) int {
	for _, c := range by {
		d := int(x.k) - int(y.k)
		if c.Column == "s" {
			d = slices.Compare([]byte(x.s), []byte(y.s))
		}
		if c.Descending {
			d = -d
		}
		if d != 0 {
			return d
		}
	}
	return 0
}

// requireSortingColumns checks that each row group says how it is ordered.
func requireSortingColumns(t *testing.T, by []lakehouse.SortColumn, groups []format.RowGroup) {
	var want []format.SortingColumn
	for _, c := range by {
		want = append(want, format.SortingColumn{ColumnIdx: int32(keyed.Index(c.Column)), Descending: c.Descending, NullsFirst: !c.Descending})
	}
	for _, g := range groups {
		require.Equal(t, want, []format.SortingColumn(g.SortingColumns))
	}
}

// Sorted files, too, do not depend on how rows were cut into batches, nor on which goroutine was first, nor on which rows became runs.
func TestSortedRowsSameBytes(t *testing.T) {
	lanes := [][]keyedRow{keyedRows(2, 0, groupRows+10), keyedRows(2, 1, 5_000), keyedRows(2, 2, groupRows)}
	write := func(step int, runs bool) []byte {
		s, files := writeSorted(t, []lakehouse.SortColumn{{Column: "k"}}, 0, lanes, step, runs)
		body, _, err := s.Get(context.Background(), files[0].Name)
		require.NoError(t, err)
		return body
	}
	want := write(1<<20, false)
	require.True(t, slices.Equal(want, write(997, true)))
	require.True(t, slices.Equal(want, write(65_536, false)))
}

func TestWrongLayouts(t *testing.T) {
	for want, l := range map[string]lakehouse.Layout{
		"rows cannot be sorted by nope": {SortBy: []lakehouse.SortColumn{{Column: "nope"}}},
		"no Bloom filter of nope":       {BloomFilters: []string{"nope"}},
		"no Bloom filter of double":     {BloomFilters: []string{"double"}},
		"no Bloom filter of z_bool":     {BloomFilters: []string{"z_bool"}},
	} {
		_, err := NewWriter(store.NewMem(), everyType, Options{Layout: l})
		require.ErrorContains(t, err, want)
	}
}
