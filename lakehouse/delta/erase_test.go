package delta

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// erasure is one of the keys that some rows of a batch have in some columns.
func erasure(b *columnar.Batch, sel columnar.Selection, columns ...string) lakehouse.Erasure {
	var types []columnar.Type
	var keys []columnar.Column
	for _, name := range columns {
		at := b.Schema().Index(name)
		types, keys = append(types, b.Schema().Fields[at].Type), append(keys, b.Column(at))
	}
	x := group.NewIndex(types)
	x.Add(keys, sel, nil)
	return lakehouse.Erasure{Columns: columns, Keys: group.NewSet(types, x), Prefix: func(string) string { return "part-p.merged" }}
}

// erase commits an erasure, and returns what it did.
func erase(t *testing.T, tab *Table, snap lakehouse.Snapshot, e lakehouse.Erasure) (lakehouse.Snapshot, lakehouse.Erased) {
	files, err := tab.Files(t.Context(), snap)
	require.NoError(t, err)
	done, err := tab.Erase(t.Context(), snap, files, e)
	require.NoError(t, err)
	c := lakehouse.Change{Time: 1, DataChange: true, Operation: "MERGE"}
	for _, r := range done.Rewrites {
		c.Remove, c.Add = append(c.Remove, r.Remove...), append(c.Add, r.Add...)
	}
	next, err := tab.Commit(t.Context(), snap, c)
	require.NoError(t, err)
	return next, done
}

// Rows go by their keys; of the files only those are read whose statistics have room for a key, and what is left of small ones becomes one file.
func TestErase(t *testing.T) {
	tab := open(store.NewMem())
	snap := create(t, tab, 1)
	for i, values := range [][]int64{{10, 11, 12}, {20, 21, 22}, {30, 40, 50}} {
		var err error
		snap, err = tab.Commit(t.Context(), snap, change(int64(i)+1, stage(t, tab, fmt.Sprint("part-", i), values...)))
		require.NoError(t, err)
	}
	b := row(11, 20, 22, 25, 35)
	defer b.Release()
	next, done := erase(t, tab, snap, erasure(b, nil, "n"))
	require.Equal(t, 3, done.Scanned, "35 lies within the bounds of the last file, 25 in none")
	require.Len(t, done.Rewrites, 1)
	r := done.Rewrites[0]
	require.Equal(t, []any{2, 1, int64(3), int64(3)}, []any{len(r.Remove), len(r.Add), r.Gone, r.Kept})
	require.True(t, strings.HasPrefix(r.Add[0].Path, "part-p.merged-"))
	require.JSONEq(t, `{"numRecords":3,"minValues":{"n":10,"s":"v10"},"maxValues":{"n":21,"s":"v21"},"nullCount":{"n":0,"s":0}}`, r.Add[0].Stats)
	require.ElementsMatch(t, []string{`{"n":0,"s":"v0"}`, `{"n":10,"s":"v10"}`, `{"n":12,"s":"v12"}`, `{"n":21,"s":"v21"}`, `{"n":30,"s":"v30"}`, `{"n":40,"s":"v40"}`, `{"n":50,"s":"v50"}`}, inOrder(t, tab, next))

	all := row(0, 10, 12, 21)
	defer all.Release()
	next, done = erase(t, tab, next, erasure(all, nil, "s", "n"))
	require.Equal(t, 1, next.Files, "a file without rows is none")
	for _, r := range done.Rewrites {
		require.Empty(t, r.Add)
	}
	_, done = erase(t, tab, next, erasure(all, nil, "s", "n"))
	require.Empty(t, done.Rewrites, "the keys are gone")
}

// A file of several row groups and batches: rows go wherever they stand in it.
func TestEraseLargeFile(t *testing.T) {
	tab := open(store.NewMem())
	snap := create(t, tab, 1)
	values := make([]int64, 200_000)
	for i := range values {
		values[i] = int64(i) + 1
	}
	snap, err := tab.Commit(t.Context(), snap, change(1, stage(t, tab, "part", values...)))
	require.NoError(t, err)
	gone := []int64{70_001, 65_536, 65_537, 131_072, 131_073, 199_999, 200_000}
	b := row(gone...)
	defer b.Release()
	before, sum := rows(t, tab, snap)
	next, _ := erase(t, tab, snap, erasure(b, nil, "n"))
	for _, v := range gone {
		before, sum = before-1, sum-v
	}
	after, left := rows(t, tab, next)
	require.Equal(t, []any{before, sum}, []any{after, left})
}

// A large file whose Bloom filters know none of the keys is not read, though they lie within its bounds.
func TestEraseAsksBloomFilters(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	snap := create(t, tab, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]int64, 200_000)
	for i := range values {
		values[i] = rng.Int64() &^ 1 // even
	}
	w, err := parquetfile.NewWriter(objects, schema, parquetfile.Options{Name: func() string { return "filtered.parquet" }, Layout: lakehouse.Layout{BloomFilters: []string{"n"}}})
	require.NoError(t, err)
	b := row(values...)
	defer b.Release()
	require.NoError(t, w.Write(t.Context(), 0, b))
	files, err := finishFiles(t.Context(), w, schema, defaultStats, nil)
	require.NoError(t, err)
	require.Greater(t, files[0].Bytes, int64(probedFrom))
	snap, err = tab.Commit(t.Context(), snap, change(1, files))
	require.NoError(t, err)
	absent := row(values[0]|1, values[1]|1, values[2]|1)
	defer absent.Release()
	snap, done := erase(t, tab, snap, erasure(absent, nil, "n"))
	require.Equal(t, lakehouse.Erased{Rewrites: []lakehouse.Rewrite{}}, done)
	snap, done = erase(t, tab, snap, erasure(absent, nil, "s", "n"))
	require.Zero(t, done.Scanned, "one of two key columns has a filter")
	one := row(values[0]|1, values[7])
	defer one.Release()
	_, done = erase(t, tab, snap, erasure(one, nil, "n"))
	require.Equal(t, []any{1, int64(1), int64(len(values) - 1)}, []any{done.Scanned, done.Rewrites[0].Gone, done.Rewrites[0].Kept})
}

// Without key columns every row has the only key.
func TestEraseAll(t *testing.T) {
	tab := open(store.NewMem())
	snap := create(t, tab, 3)
	b := row(1)
	defer b.Release()
	next, _ := erase(t, tab, snap, erasure(b, columnar.Selection{0}))
	require.Zero(t, next.Files)
}

// In tables of other writers too, with partitions and their own statistics, each row is found by each of its values.
func TestEraseForeign(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	tables := 0
	for _, folder := range folders {
		if !folder.IsDir() || folder.Name() == "fuzz" {
			continue
		}
		tab := open(fixture(t, folder.Name()))
		snap, err := tab.Snapshot(t.Context())
		if err != nil || snap.Version < 0 || snap.Unusable != nil {
			continue
		}
		tables++
		t.Run(folder.Name(), func(t *testing.T) { eraseEach(t, tab, snap) })
	}
	require.Greater(t, tables, 2)
}

// In tables of ours too, a file for each row, whose statistics are cut and rounded.
func TestEraseEveryType(t *testing.T) {
	tab := open(store.NewMem())
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	all := everyPartitionRows(t)
	defer all.Release()
	for i := range all.Rows() {
		w, err := tab.Stage(t.Context(), everyPartition, lakehouse.WriteOptions{Prefix: fmt.Sprint("part", i)})
		require.NoError(t, err)
		one := columnar.Slice(all, i, i+1)
		require.NoError(t, w.Write(t.Context(), 0, one))
		one.Release()
		files, err := w.Finish(t.Context())
		require.NoError(t, err)
		c := change(int64(i), files)
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: "i", Schema: everyPartition}
		}
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
	}
	eraseEach(t, tab, snap)
}

func eraseEach(t *testing.T, tab *Table, snap lakehouse.Snapshot) {
	files, err := tab.Files(t.Context(), snap)
	require.NoError(t, err)
	whole := inOrder(t, tab, snap)
	for at, f := range snap.Schema.Fields {
		if f.Type.Kind == columnar.MapKind {
			continue
		}
		require.NoError(t, tab.Scan(t.Context(), snap, func(b *columnar.Batch) error {
			for i := range min(b.Rows(), 20) {
				value := string(columnar.AppendValueJSON(nil, b.Column(at), i))
				done, err := tab.Erase(t.Context(), snap, files, erasure(b, columnar.Selection{int32(i)}, f.Name))
				require.NoError(t, err)
				var gone, kept, untouched int64
				touched := map[string]bool{}
				for _, r := range done.Rewrites {
					gone, kept = gone+r.Gone, kept+r.Kept
					for _, f := range r.Remove {
						touched[f.Path] = true
					}
				}
				for _, f := range files {
					if !touched[f.Path] {
						untouched += rowsIn(t, tab, snap, f)
					}
				}
				require.EqualValues(t, countOf(whole, f.Name, value), gone, "%s = %s", f.Name, value)
				require.EqualValues(t, len(whole), gone+kept+untouched, "%s = %s", f.Name, value)
			}
			return nil
		}))
	}
}

func rowsIn(t *testing.T, tab *Table, snap lakehouse.Snapshot, f lakehouse.DataFile) int64 {
	inFile := columnsInFiles(snap.Schema, snap.PartitionBy)
	whole, err := partition.NewColumns(inFile, nil, nil)
	require.NoError(t, err)
	n, err := tab.readFile(t.Context(), f, whole, func(*columnar.Batch) error { return nil })
	require.NoError(t, err)
	return n
}

// countOf counts the rows, as JSON, that have a value in a column.
func countOf(rows []string, name, value string) (n int) {
	for _, row := range rows {
		if strings.Contains(row, fmt.Sprintf("%q:%s,", name, value)) || strings.HasSuffix(row, fmt.Sprintf("%q:%s}", name, value)) {
			n++
		}
	}
	return n
}

// Random erasures of a partitioned table leave what a map has left.
func TestEraseRandom(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { eraseRandom(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func eraseRandom(t *testing.T, rng *rand.Rand) {
	tab := open(store.NewMem())
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	left := map[string]bool{}
	for commit := range 12 {
		values := make([]int64, 1+rng.IntN(40))
		for i := range values {
			values[i] = int64(commit*100 + i)
		}
		c := change(int64(commit), stagePartitioned(t, tab, values))
		if commit == 0 {
			c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema, PartitionBy: []string{"s"}}
		}
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
		for _, v := range values {
			left[rowText(v)] = true
		}
		gone := make([]int64, 1+rng.IntN(30))
		for i := range gone {
			gone[i] = rng.Int64N(1200)
			delete(left, rowText(gone[i]))
		}
		b := thirds(gone)
		snap, _ = erase(t, tab, snap, erasure(b, nil, "s", "n"))
		b.Release()
		got := inOrder(t, tab, snap)
		slices.Sort(got)
		require.Len(t, got, len(left), "commit %d", commit)
		for _, text := range got {
			require.True(t, left[text], text)
		}
	}
}

func rowText(v int64) string { return fmt.Sprintf(`{"n":%d,"s":"p%d"}`, v, v%3) }

// thirds are rows in three partitions.
func thirds(values []int64) *columnar.Batch {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint("p", v%3)
	}
	return columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(values, nil), columnar.NewStringColumn(texts)}, len(values))
}

func stagePartitioned(t *testing.T, tab *Table, values []int64) []lakehouse.DataFile {
	w, err := tab.Stage(t.Context(), schema, lakehouse.WriteOptions{Prefix: "part", PartitionBy: []string{"s"}})
	require.NoError(t, err)
	b := thirds(values)
	defer b.Release()
	require.NoError(t, w.Write(t.Context(), 0, b))
	files, err := w.Finish(t.Context())
	require.NoError(t, err)
	return files
}

// Of 10,000 files the statistics are asked.
func BenchmarkCanHold(b *testing.B) {
	files := make([]lakehouse.DataFile, 10_000)
	for i := range files {
		files[i] = lakehouse.DataFile{Path: fmt.Sprint(i), Stats: fmt.Sprintf(`{"numRecords":10,"minValues":{"n":%d,"s":"v"},"maxValues":{"n":%d,"s":"w"},"nullCount":{"n":0,"s":0}}`, i*1000, i*1000+9)}
	}
	values := make([]int64, 10_000)
	for i := range values {
		values[i] = int64(i)*1000 + 500
	}
	keys := row(values...)
	defer keys.Release()
	h, err := open(store.NewMem()).newHunt(lakehouse.Snapshot{Schema: schema}, erasure(keys, nil, "n"))
	require.NoError(b, err)
	p, err := partition.NewColumns(h.keys, nil, nil)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if h.canHold(f, p) {
				b.Fatal("no key lies within its bounds")
			}
		}
	}
}

// 10,000 keys go out of 10 files of a million rows each.
func BenchmarkErase(b *testing.B) {
	const files, perFile, keys = 10, 1_000_000, 10_000
	objects, err := store.NewLocal(b.TempDir())
	require.NoError(b, err)
	n := 0
	tab := Open(objects, func() string { n++; return fmt.Sprintf("id%06d", n) })
	snap, err := tab.Snapshot(b.Context())
	require.NoError(b, err)
	values := make([]int64, perFile)
	for f := range files {
		for i := range values {
			values[i] = int64(i*files + f)
		}
		snap, err = tab.Commit(b.Context(), snap, benchChange(b, tab, f, values))
		require.NoError(b, err)
	}
	for i := range keys {
		values[i] = int64(i) * files * perFile / keys
	}
	gone := row(values[:keys]...)
	defer gone.Release()
	live, err := tab.Files(b.Context(), snap)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		done, err := tab.Erase(b.Context(), snap, live, erasure(gone, nil, "n"))
		require.NoError(b, err)
		for _, r := range done.Rewrites {
			require.NoError(b, objects.Delete(b.Context(), r.Add[0].Path))
		}
	}
	b.ReportMetric(float64(b.N)*files*perFile/b.Elapsed().Seconds(), "rows/s")
}

func benchChange(b *testing.B, tab *Table, f int, values []int64) lakehouse.Change {
	w, err := tab.Stage(b.Context(), schema, lakehouse.WriteOptions{Prefix: fmt.Sprint("part-", f)})
	require.NoError(b, err)
	batch := row(values...)
	defer batch.Release()
	require.NoError(b, w.Write(b.Context(), 0, batch))
	added, err := w.Finish(b.Context())
	require.NoError(b, err)
	c := change(int64(f), added)
	if f == 0 {
		c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema}
	}
	return c
}
