package committer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

var pairSchema = columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "v", Type: columnar.BigInt, Nullable: true})

// nullID stands for NULL.
const nullID = -1

// pair is a row of a merge; gone: it deletes.
type pair struct {
	id, v int64
	gone  bool
}

// model is a table as a map: the values of the rows of each id.
type model map[int64][]int64

func (m model) merge(rows []pair) {
	for _, r := range rows {
		delete(m, r.id)
		if !r.gone {
			m[r.id] = []int64{r.v}
		}
	}
}

func mergeOptions(objects store.Store) Options {
	o := options(objects, "driver")
	o.Schema, o.Merge, o.Side = pairSchema, &Merge{Keys: []string{"id"}}, nil
	return o
}

func pairBatch(rows []pair) *columnar.Batch {
	ids, valid, vs := make([]int64, len(rows)), make([]bool, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		ids[i], valid[i], vs[i] = r.id, r.id != nullID, r.v
	}
	return columnar.NewBatch(pairSchema, []columnar.Column{columnar.NewInt64Column(ids, valid), columnar.NewInt64Column(vs, nil)}, len(rows))
}

// mergeRows commits rows as the next batch, cut into lanes that are written in the opposite order.
func mergeRows(ctx context.Context, c *Committer, rows []pair) (Result, error) {
	out, err := c.NewOutput(ctx)
	if err != nil {
		return Result{}, err
	}
	defer out.Abort()
	half := len(rows) / 2
	writePairs(out, 2, rows[half:])
	writePairs(out, 1, rows[:half])
	batch := int64(0)
	if c.Last() != nil {
		batch = c.Last().LastBatch + 1
	}
	return c.Commit(ctx, Batch{First: batch, Last: batch, Sources: progressAt(batch + 1), Output: out})
}

func writePairs(out *Output, lane int64, rows []pair) {
	b := pairBatch(rows)
	defer b.Release()
	var gone columnar.Selection
	for i, r := range rows {
		if r.gone {
			gone = append(gone, int32(i))
		}
	}
	out.WriteSome(lane, b, gone)
}

// pairs reads a table of pairs.
func pairs(t testing.TB, objects store.Store) model {
	d := delta.Open(store.Sub(objects, "t"), nil)
	snap, err := d.Snapshot(context.Background())
	require.NoError(t, err)
	out := model{}
	require.NoError(t, d.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			id := int64(nullID)
			if b.Column(0).IsValid(i) {
				id = columnar.Int64At(b.Column(0), i)
			}
			out[id] = append(out[id], columnar.Int64At(b.Column(1), i))
		}
		return nil
	}))
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// The newest row of a key stays, within a commit and among commits; rows that are gone take theirs out; NULL is a key.
func TestMerge(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), mergeOptions(objects))
	require.NoError(t, err)
	for _, step := range []struct {
		name string
		rows []pair
		want model
		cost Cost
	}{
		{"new keys", []pair{{1, 10, false}, {2, 20, false}, {nullID, 90, false}}, model{1: {10}, 2: {20}, nullID: {90}}, Cost{}},
		{"a key comes again", []pair{{2, 21, false}}, model{1: {10}, 2: {21}, nullID: {90}}, Cost{Scanned: 1, Rewritten: 1, Rows: 2, Gone: 1}},
		{"twice in a commit", []pair{{3, 30, false}, {3, 31, false}, {3, 32, false}}, model{1: {10}, 2: {21}, 3: {32}, nullID: {90}}, Cost{}},
		{"NULL equals NULL", []pair{{nullID, 91, false}}, model{1: {10}, 2: {21}, 3: {32}, nullID: {91}}, Cost{Scanned: 1, Rewritten: 1, Rows: 1, Gone: 1}},
		{"deleted", []pair{{3, 0, true}, {7, 0, true}}, model{1: {10}, 2: {21}, nullID: {91}}, Cost{Scanned: 1, Rewritten: 1, Gone: 1}},
		{"deleted, then written", []pair{{1, 0, true}, {1, 12, false}}, model{1: {12}, 2: {21}, nullID: {91}}, Cost{Scanned: 1, Rewritten: 1, Gone: 1}},
		{"written, then deleted", []pair{{2, 22, false}, {2, 0, true}}, model{1: {12}, nullID: {91}}, Cost{Scanned: 1, Rewritten: 1, Gone: 1}},
		{"nothing", nil, model{1: {12}, nullID: {91}}, Cost{}},
	} {
		res, err := mergeRows(t.Context(), c, step.rows)
		require.NoError(t, err, step.name)
		require.Equal(t, step.want, pairs(t, objects), step.name)
		res.Cost.Bytes = 0
		require.Equal(t, step.cost, res.Cost, step.name)
	}
}

// The keys of groups that put out no row any more are taken out alone.
func TestErasedKeys(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), mergeOptions(objects))
	require.NoError(t, err)
	_, err = mergeRows(t.Context(), c, []pair{{1, 10, false}, {2, 20, false}})
	require.NoError(t, err)
	out, err := c.NewOutput(t.Context())
	require.NoError(t, err)
	defer out.Abort()
	both, second := pairBatch([]pair{{1, 0, false}, {2, 0, false}}), pairBatch([]pair{{2, 21, false}})
	defer both.Release()
	defer second.Release()
	out.Erase(0, both)
	require.NoError(t, out.Write(t.Context(), 0, second))
	_, err = c.Commit(t.Context(), Batch{First: 1, Last: 1, Sources: progressAt(2), Output: out})
	require.NoError(t, err)
	require.Equal(t, model{2: {21}}, pairs(t, objects))
}

// DESCRIBE HISTORY shows a merge with its cost, and never a blind append.
func TestMergeHistory(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), mergeOptions(objects))
	require.NoError(t, err)
	_, err = mergeRows(t.Context(), c, []pair{{1, 10, false}, {2, 20, false}})
	require.NoError(t, err)
	_, err = mergeRows(t.Context(), c, []pair{{2, 21, false}, {3, 30, false}})
	require.NoError(t, err)
	entries, err := c.opts.Table.History(t.Context(), c.base, 2)
	require.NoError(t, err)
	for _, e := range entries {
		require.Equal(t, []any{"MERGE", false, true}, []any{e.Operation, e.Info["isBlindAppend"], e.DataChange})
	}
	metrics := entries[0].Info["operationMetrics"].(map[string]any)
	require.Equal(t, []any{"2", "1", "1", "3", "2", "1"}, []any{metrics["numTargetRowsInserted"], metrics["numTargetRowsDeleted"],
		metrics["numTargetRowsCopied"], metrics["numOutputRows"], metrics["numTargetFilesAdded"], metrics["numTargetFilesRemoved"]})
}

// batchOf makes the rows of a batch of the history with a seed: some of 20 keys, some twice, some deleted.
func batchOf(seed uint64, batch int64) []pair {
	rng := rand.New(rand.NewPCG(seed, uint64(batch)))
	rows := make([]pair, 1+rng.IntN(8))
	for i := range rows {
		rows[i] = pair{rng.Int64N(20) - 1, 100*batch + int64(i), rng.IntN(4) == 0}
	}
	return rows
}

func modelOf(seed uint64, batches int64) model {
	m := model{}
	for b := range batches {
		m.merge(batchOf(seed, b))
	}
	return m
}

// mergeTo commits the batches of a history that are not in the table yet.
func mergeTo(ctx context.Context, o Options, seed uint64, n int64) error {
	c, err := Open(ctx, o)
	if err != nil {
		return err
	}
	for at := position(c); at < n; at++ {
		if _, err := mergeRows(ctx, c, batchOf(seed, at)); err != nil {
			return err
		}
		if err := c.Maintain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// For each durable write: the process dies after it, another one goes on, and the table is that of an uninterrupted run.
func TestMergeCrashes(t *testing.T) {
	for k := 0; ; k++ {
		objects := store.NewMem()
		objects.CrashAfter(k)
		err := mergeTo(t.Context(), mergeOptions(objects), 1, 6)
		if err == nil {
			require.Greater(t, k, 15)
			return
		}
		require.ErrorIs(t, err, store.ErrCrashed)
		again := objects.Reopen()
		require.NoError(t, mergeTo(t.Context(), mergeOptions(again), 1, 6), "crash after write %d", k)
		require.Equal(t, modelOf(1, 6), pairs(t, again), "crash after write %d", k)
	}
}

func TestMergeFaults(t *testing.T) {
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	for i := 0; ; i++ {
		objects := store.NewMem()
		fired := failOperation(objects, i, full)
		err := mergeTo(t.Context(), mergeOptions(objects), 2, 4)
		if !*fired {
			require.NoError(t, err)
			return
		}
		objects.Inject(nil)
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC, "operation %d", i)
			require.NoError(t, mergeTo(t.Context(), mergeOptions(objects), 2, 4), "operation %d", i)
		}
		require.Equal(t, modelOf(2, 4), pairs(t, objects), "operation %d", i)
	}
}

func TestMergeUnknownOutcomes(t *testing.T) {
	for _, outcome := range []store.Outcome{store.LoseReply, store.LoseCall, store.Late, store.Twice} {
		for nth := range 6 {
			objects := store.NewMem()
			objects.Inject(store.Meet(store.Fault{Op: store.OpPutIfAbsent, Nth: nth, Outcome: outcome}))
			require.NoError(t, mergeTo(t.Context(), mergeOptions(objects), 3, 5))
			require.Equal(t, modelOf(3, 5), pairs(t, objects), "outcome %d of put %d", outcome, nth)
		}
	}
}

// racing lets others come first.
type racing struct {
	*delta.Table
	before func()
}

func (r racing) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	r.before()
	return r.Table.Commit(ctx, base, c)
}

// foreigner is another program at the same table. What it does it does to the model, too.
type foreigner struct {
	t       *testing.T
	objects store.Store
	rng     *rand.Rand
	m       model
	serial  int64
}

func (f *foreigner) table() (*delta.Table, lakehouse.Snapshot) {
	d := delta.Open(store.Sub(f.objects, "t"), func() string { return fmt.Sprint("foreign", serial.Add(1)) })
	snap, err := d.Snapshot(context.Background())
	require.NoError(f.t, err)
	return d, snap
}

// act does one thing: rows are appended, some with our keys; rows are deleted; files are merged, to our names or to others.
func (f *foreigner) act() {
	d, snap := f.table()
	if snap.Version < 0 {
		return
	}
	f.serial++
	switch f.rng.IntN(4) {
	case 0:
		f.append(d, snap, []pair{{f.rng.Int64N(25), -f.serial, false}, {1000 + f.serial, f.serial, false}})
	case 1:
		f.delete(d, snap, []pair{{f.rng.Int64N(20), 0, true}, {1000 + f.rng.Int64N(f.serial+1), 0, true}})
	case 2:
		f.compact(d, MergePrefix(snap.Txns))
	case 3:
		f.compact(d, func(string) string { return "part-00000" })
	}
}

func (f *foreigner) append(d *delta.Table, snap lakehouse.Snapshot, rows []pair) {
	w, err := d.Stage(context.Background(), pairSchema, lakehouse.WriteOptions{Prefix: "foreign"})
	require.NoError(f.t, err)
	b := pairBatch(rows)
	defer b.Release()
	require.NoError(f.t, w.Write(context.Background(), 0, b))
	files, err := w.Finish(context.Background())
	require.NoError(f.t, err)
	_, err = d.Commit(context.Background(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "WRITE", DataChange: true, Add: files})
	require.NoError(f.t, err)
	for _, r := range rows {
		f.m[r.id] = append(f.m[r.id], r.v)
	}
}

func (f *foreigner) delete(d *delta.Table, snap lakehouse.Snapshot, rows []pair) {
	x := group.NewIndex([]columnar.Type{columnar.BigInt})
	b := pairBatch(rows)
	defer b.Release()
	x.Add(b.Columns()[:1], nil, nil)
	files, err := d.Files(context.Background(), snap)
	require.NoError(f.t, err)
	done, err := d.Erase(context.Background(), snap, files, lakehouse.Erasure{Columns: []string{"id"}, Keys: group.NewSet([]columnar.Type{columnar.BigInt}, x), Prefix: func(string) string { return "part-00000" }})
	require.NoError(f.t, err)
	c := lakehouse.Change{Time: serial.Add(1), Operation: "DELETE", DataChange: true}
	for _, r := range done.Rewrites {
		c.Remove, c.Add = append(c.Remove, r.Remove...), append(c.Add, r.Add...)
	}
	_, err = d.Commit(context.Background(), snap, c)
	require.NoError(f.t, err)
	f.m.merge(rows)
}

func (f *foreigner) compact(d *delta.Table, prefix func(string) string) {
	o := mergeOptions(f.objects)
	_, err := d.Compact(context.Background(), delta.CompactOptions{Prefix: prefix, Now: o.Now, Sleep: o.Sleep})
	require.NoError(f.t, err)
}

// Others append, delete and merge files before and between our puts: the table is what the same steps make of a map, and no rewritten file is
// left over that is not live or was not live once.
func TestMergeRaces(t *testing.T) {
	for seed := range often(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { mergeRace(t, seed) })
	}
}

func mergeRace(t *testing.T, seed uint64) {
	objects := store.NewMem()
	f := &foreigner{t: t, objects: objects, rng: rand.New(rand.NewPCG(seed, 99)), m: model{}}
	o := mergeOptions(objects)
	o.Append = true
	o.Table = racing{o.Table.(*delta.Table), func() {
		for f.rng.IntN(3) == 0 {
			f.act()
		}
	}}
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	for batch := range int64(12) {
		_, err := mergeRows(t.Context(), c, batchOf(seed, batch))
		require.NoError(t, err)
		f.m.merge(batchOf(seed, batch))
		for _, list := range f.m {
			slices.Sort(list)
		}
		require.Equal(t, f.m, pairs(t, objects), "batch %d", batch)
		if f.rng.IntN(4) == 0 { // the process ends, and another one goes on
			c, err = Open(t.Context(), o)
			require.NoError(t, err)
		}
	}
	requireNoLeftovers(t, objects)
}

// requireNoLeftovers asserts that every data file of the pipeline was named by some entry.
func requireNoLeftovers(t *testing.T, objects *store.Mem) {
	named := map[string]bool{}
	d := delta.Open(store.Sub(objects, "t"), nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	for v := int64(0); v <= snap.Version; v++ {
		at, err := d.At(t.Context(), v)
		require.NoError(t, err)
		files, err := d.Files(t.Context(), at)
		require.NoError(t, err)
		for _, f := range files {
			named[f.Path] = true
		}
	}
	require.NoError(t, store.Sub(objects, "t").Walk(t.Context(), "", func(in store.Info) error {
		if strings.HasSuffix(in.Name, ".parquet") && !strings.HasPrefix(in.Name, "_") && !named[in.Name] {
			return errors.New(in.Name + " was never live")
		}
		return nil
	}))
}

// A lost race costs no more than it must: what is still right of the rewrites stays.
func TestMergeKeepsRewrites(t *testing.T) {
	objects := store.NewMem()
	o := mergeOptions(objects)
	o.Append = true
	f := &foreigner{t: t, objects: objects, m: model{}}
	races := 0
	o.Table = racing{o.Table.(*delta.Table), func() {
		if races > 0 {
			races--
			d, snap := f.table()
			f.append(d, snap, []pair{{500, 1, false}})
		}
	}}
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	_, err = mergeRows(t.Context(), c, []pair{{1, 10, false}, {2, 20, false}})
	require.NoError(t, err)
	races = 3
	res, err := mergeRows(t.Context(), c, []pair{{2, 21, false}})
	require.NoError(t, err)
	require.Equal(t, []any{1, 1}, []any{res.Cost.Scanned, res.Cost.Rewritten})
	require.Equal(t, model{1: {10}, 2: {21}, 500: {1, 1, 1}}, pairs(t, objects))
}

// Rows of other writers are replaced only if the pipeline was told to add to what exists; it is refused before anything is written, in a race, too.
func TestMergeRefusesForeignRows(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), mergeOptions(objects))
	require.NoError(t, err)
	_, err = mergeRows(t.Context(), c, []pair{{1, 10, false}})
	require.NoError(t, err)
	f := &foreigner{t: t, objects: objects, m: model{}}
	d, snap := f.table()
	f.append(d, snap, []pair{{7, 70, false}})
	for range 2 {
		_, err = mergeRows(t.Context(), c, []pair{{2, 20, false}})
		require.ErrorIs(t, err, ErrRefused)
		require.ErrorContains(t, err, "sink.existing: append")
		require.Equal(t, model{1: {10}, 7: {70}}, pairs(t, objects))
		c, err = Open(t.Context(), mergeOptions(objects))
		require.NoError(t, err)
	}
	told := mergeOptions(objects)
	told.Append = true
	c, err = Open(t.Context(), told)
	require.NoError(t, err)
	_, err = mergeRows(t.Context(), c, []pair{{7, 71, false}, {2, 20, false}})
	require.NoError(t, err)
	require.Equal(t, model{1: {10}, 2: {20}, 7: {71}}, pairs(t, objects))
}

// What is left of the files of another pipeline stays that pipeline's.
func TestMergeKeepsNames(t *testing.T) {
	objects := store.NewMem()
	other := mergeOptions(objects)
	other.Name, other.Append = "q", true
	require.NoError(t, mergeTo(t.Context(), other, 4, 3))
	told := mergeOptions(objects)
	told.Append = true
	require.NoError(t, mergeTo(t.Context(), told, 5, 3))
	d, snap := (&foreigner{t: t, objects: objects}).table()
	files, err := d.Files(t.Context(), snap)
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, bears(f.Path, "p") || bears(f.Path, "q"), f.Path)
	}
}

// Tables that cannot be merged into are refused at the start.
func TestMergeRefusedTables(t *testing.T) {
	objects := store.NewMem()
	o := mergeOptions(objects)
	d := o.Table.(*delta.Table)
	_, err := d.Commit(t.Context(), lakehouse.Snapshot{Version: -1}, lakehouse.Change{Time: 1, Create: &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: pairSchema, Properties: map[string]string{"delta.appendOnly": "true"}}})
	require.NoError(t, err)
	_, err = Open(t.Context(), o)
	require.ErrorContains(t, err, "delta.appendOnly=true, and this pipeline replaces rows")
}

// In a partition column the empty text is NULL: both are one key.
func TestMergeEmptyPartition(t *testing.T) {
	objects := store.NewMem()
	o := mergeOptions(objects)
	o.Schema = columnar.NewSchema(columnar.Field{Name: "k", Type: columnar.String, Nullable: true}, columnar.Field{Name: "v", Type: columnar.BigInt, Nullable: true})
	o.PartitionBy, o.Merge = []string{"k"}, &Merge{Keys: []string{"k"}}
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	for v := range int64(3) {
		out, err := c.NewOutput(t.Context())
		require.NoError(t, err)
		b := columnar.NewBatch(o.Schema, []columnar.Column{columnar.NewStringColumn([]string{"", "a"}), columnar.NewInt64Column([]int64{v, v}, nil)}, 2)
		require.NoError(t, out.Write(t.Context(), 0, b))
		b.Release()
		_, err = c.Commit(t.Context(), Batch{First: v, Last: v, Sources: progressAt(v + 1), Output: out})
		require.NoError(t, err)
	}
	require.Len(t, liveFiles(t, objects), 2)
}
