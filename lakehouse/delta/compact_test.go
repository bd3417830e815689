package delta

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func compactOptions() CompactOptions {
	return CompactOptions{Prefix: func(string) string { return "merged" }, Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

// compacted opens the table anew and compacts it.
func compacted(t *testing.T, objects store.Store) (*Table, lakehouse.Snapshot) {
	tab := Open(objects, func() string { return "fresh" })
	_, err := tab.Compact(t.Context(), compactOptions())
	require.NoError(t, err)
	snap, err := tab.replaySnapshot(t.Context())
	require.NoError(t, err)
	return tab, snap
}

// Small files become one, in the order in which they were committed, by a commit that changes no rows and keeps every position.
func TestCompact(t *testing.T) {
	ctx := t.Context()
	objects := store.NewMem()
	before := create(t, open(objects), 12)
	tab := open(objects)
	dry := compactOptions()
	dry.DryRun = true
	plan, err := tab.Compact(ctx, dry)
	require.NoError(t, err)
	require.Len(t, plan.Merges[0].In, 12)
	require.EqualValues(t, 11, plan.Version, "a dry run commits nothing")

	done, err := tab.Compact(ctx, compactOptions())
	require.NoError(t, err)
	require.EqualValues(t, 12, done.Version)
	snap, err := open(objects).replaySnapshot(ctx)
	require.NoError(t, err)
	require.Equal(t, before.Txns, snap.Txns)
	require.Equal(t, 1, snap.Files)
	want := make([]string, 12)
	for i := range want {
		want[i] = fmt.Sprintf(`{"n":%d,"s":"v%d"}`, i, i)
	}
	require.Equal(t, want, inOrder(t, tab, snap))
	entries, err := tab.History(ctx, snap, 1)
	require.NoError(t, err)
	require.Equal(t, []any{"OPTIMIZE", false, 1, 12}, []any{entries[0].Operation, entries[0].DataChange, entries[0].Adds, len(entries[0].Removes)})
	files, err := tab.Files(ctx, snap)
	require.NoError(t, err)
	require.JSONEq(t, `{"numRecords":12,"minValues":{"n":0,"s":"v0"},"maxValues":{"n":11,"s":"v9"},"nullCount":{"n":0,"s":0}}`, files[0].Stats)

	again, err := tab.Compact(ctx, compactOptions())
	require.NoError(t, err)
	require.Empty(t, again.Merges, "one file cannot become fewer")
	require.EqualValues(t, 12, again.Version)
}

// inOrder are the rows as they stand in the files.
func inOrder(t *testing.T, tab *Table, snap lakehouse.Snapshot) (out []string) {
	require.NoError(t, tab.Scan(t.Context(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	return out
}

// Which files become one.
func TestPlanMerges(t *testing.T) {
	part := func(v string) map[string]*string { return map[string]*string{"p": &v} }
	a := func(name string, size, at int64) add { return add{Path: name, Size: size, ModificationTime: at} }
	in := func(p map[string]*string, a add) add { a.PartitionValues = p; return a }
	deleted := a("deleted", 1, 0)
	deleted.DeletionVector = &deletionVector{}
	for name, c := range map[string]struct {
		live []add
		want string
	}{
		"nothing":                    {nil, ""},
		"one file":                   {[]add{a("a", 1, 0)}, ""},
		"oldest first":               {[]add{a("a", 1, 3), a("b", 1, 1), a("c", 1, 2)}, "b c a"},
		"up to the target":           {[]add{a("a", 40, 1), a("b", 60, 2), a("c", 10, 3), a("d", 10, 4)}, "a b, c d"},
		"large ones stay":            {[]add{a("a", 10, 1), a("b", 75, 2), a("c", 10, 3)}, "a c"},
		"what does not fit is alone": {[]add{a("a", 70, 1), a("b", 70, 2)}, ""},
		"partitions stay apart":      {[]add{in(part("x"), a("a", 1, 1)), in(part("y"), a("b", 1, 2)), in(part("x"), a("c", 1, 3))}, "a c"},
		"NULL is the empty text":     {[]add{in(part(""), a("a", 1, 1)), in(map[string]*string{"p": nil}, a("b", 1, 2))}, "a b"},
		"owners stay apart":          {[]add{a("q/a", 1, 1), a("b", 1, 2), a("q/c", 1, 3), a("d", 1, 4)}, "b d, q/a q/c"},
		"deletion vectors stay":      {[]add{deleted, a("a", 1, 1), a("b", 1, 2)}, "a b"},
	} {
		var got []string
		for _, m := range planMerges(c.live, 100, path.Dir) {
			var names []string
			for _, f := range m.files {
				names = append(names, f.Path)
			}
			got = append(got, strings.Join(names, " "))
		}
		require.Equal(t, c.want, strings.Join(got, ", "), name)
	}
}

// Rows of each partition stay in it, whatever its value looks like.
func TestCompactPartitions(t *testing.T) {
	ctx := t.Context()
	objects := store.NewMem()
	tab := open(objects)
	snap, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	by := []string{"s", "b", "t", "d", "x", "day", "ts", "ntz"}
	for i := range int64(3) {
		w, err := tab.Stage(ctx, everyPartition, lakehouse.WriteOptions{Prefix: "part", PartitionBy: by})
		require.NoError(t, err)
		b := everyPartitionRows(t)
		require.NoError(t, w.Write(ctx, 0, b))
		b.Release()
		files, err := w.Finish(ctx)
		require.NoError(t, err)
		c := lakehouse.Change{Time: 1_700_000_000_000 + i, Add: files, DataChange: true, Operation: "WRITE"}
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: everyPartition, PartitionBy: by}
		}
		snap, err = tab.Commit(ctx, snap, c)
		require.NoError(t, err)
	}
	want := scan(t, tab, snap)
	again, after := compacted(t, objects)
	require.Equal(t, []int{12, 4}, []int{snap.Files, after.Files})
	require.Equal(t, want, scan(t, again, after))
}

// Whatever is in the way of a compaction, each row is there once after it, and again after the next one.
func TestCompactFaults(t *testing.T) {
	const commits = 5
	made := store.NewMem()
	create(t, open(made), commits)
	once := func(objects *store.Mem, name string) {
		for range 2 {
			tab, snap := compacted(t, objects.Reopen())
			n, sum := rows(t, tab, snap)
			require.Equal(t, []any{1, commits, int64(commits * (commits - 1) / 2)}, []any{snap.Files, n, sum}, name)
		}
	}
	boom := errors.New("boom")
	for k := 0; ; k++ {
		objects := made.Clone()
		objects.CrashAfter(k)
		_, err := open(objects).Compact(t.Context(), compactOptions())
		once(objects, fmt.Sprintf("crash after write %d", k))
		if err == nil {
			require.Equal(t, 2, k, "the merged file and the entry")
			break
		}
	}
	for i := 0; ; i++ {
		objects := made.Clone()
		objects.FailAt(i, boom)
		_, err := open(objects).Compact(t.Context(), compactOptions())
		once(objects, fmt.Sprintf("operation %d fails", i))
		if err == nil && objects.Ops() <= i {
			require.Greater(t, i, 3*commits)
			break
		}
	}
	for _, outcome := range []store.Outcome{store.LoseReply, store.LoseCall, store.Late, store.Twice} {
		objects := made.Clone()
		objects.Inject(store.Meet(store.Fault{Op: store.OpPutIfAbsent, Outcome: outcome}))
		done, err := open(objects).Compact(t.Context(), compactOptions())
		require.NoError(t, err)
		require.EqualValues(t, commits, done.Version, "one version, outcome %d", outcome)
		once(objects, fmt.Sprint("outcome ", outcome))
	}
}

// Another writer takes the version in the last moment.
func TestCompactOvertaken(t *testing.T) {
	wider := columnar.NewSchema(append(slices.Clone(schema.Fields), field("more", columnar.BigInt))...)
	for name, c := range map[string]struct {
		change func(t *testing.T, tab *Table, snap lakehouse.Snapshot) lakehouse.Change
		rows   int
		err    string
	}{
		"appends": {func(t *testing.T, tab *Table, _ lakehouse.Snapshot) lakehouse.Change {
			return lakehouse.Change{Operation: "WRITE", DataChange: true, Add: stage(t, tab, "other", 100)}
		}, 6, ""},
		"deletes a file": {func(t *testing.T, tab *Table, snap lakehouse.Snapshot) lakehouse.Change {
			files, err := tab.Files(t.Context(), snap)
			require.NoError(t, err)
			return lakehouse.Change{Operation: "DELETE", DataChange: true, Remove: files[:1]}
		}, 4, "(DELETE) removed part-0-id001.parquet; nothing was changed"},
		"adds a column": {func(*testing.T, *Table, lakehouse.Snapshot) lakehouse.Change {
			return lakehouse.Change{Operation: "ADD COLUMNS", Schema: wider}
		}, 5, "(ADD COLUMNS) changed the schema"},
	} {
		objects := store.NewMem()
		create(t, open(objects), 5)
		raced := false
		objects.Inject(func(_ int, op store.Op, _ string) (store.Outcome, error) {
			if op == store.OpPutIfAbsent && !raced {
				raced = true
				other := Open(objects.Reopen(), func() string { return "other" })
				snap, err := other.Snapshot(t.Context())
				require.NoError(t, err)
				change := c.change(t, other, snap)
				change.Time = 1
				_, err = other.Commit(t.Context(), snap, change)
				require.NoError(t, err)
			}
			return store.Normal, nil
		})
		_, err := open(objects).compactOnce(t.Context(), compactOptions())
		if c.err == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, ErrOvertaken, name)
			require.ErrorContains(t, err, c.err)
			merged, err := objects.List(t.Context(), "", "merged")
			require.NoError(t, err)
			for _, in := range merged {
				require.NotContains(t, in.Name, "merged", "what was written for nothing is gone")
			}
		}
		snap, err := open(objects).Snapshot(t.Context())
		require.NoError(t, err)
		n, _ := rows(t, open(objects), snap)
		require.Equal(t, c.rows, n, name)
		_, err = open(objects).Compact(t.Context(), compactOptions())
		require.NoError(t, err, "what was in the way is not the second time: %s", name)
	}
}

// What a table needs of a writer that is not done here keeps it from being compacted.
func TestCompactRefused(t *testing.T) {
	tab := open(store.NewMem())
	_, err := tab.Compact(t.Context(), compactOptions())
	require.ErrorContains(t, err, "is not a Delta table")
	_, err = open(fixture(t, "spark-dv")).Compact(t.Context(), compactOptions())
	require.ErrorIs(t, err, lakehouse.ErrUnsupported)
}
