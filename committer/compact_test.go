package committer

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// compactNow merges the files of the table as `lakewheel compact` does.
func compactNow(t *testing.T, objects store.Store) delta.Compaction {
	o := options(objects, "")
	table := o.Table.(*delta.Table)
	snap, err := table.Snapshot(t.Context())
	require.NoError(t, err)
	done, err := table.Compact(t.Context(), delta.CompactOptions{Prefix: MergePrefix(snap.Txns), Now: o.Now, Sleep: o.Sleep})
	require.NoError(t, err)
	return done
}

// Files of a pipeline stay its own when they are merged, again and again; no name is taken for another's.
func TestMergePrefix(t *testing.T) {
	txns := map[string]lakehouse.Txn{"lakewheel/p": {}, "lakewheel/p-e1": {}, "lakewheel/merged": {}, "other": {}}
	for file, want := range map[string]string{
		"part-p-e3-id.parquet":         "part-p.merged",
		"part-p.merged-id.parquet":     "part-p.merged",
		"day=1/part-p-e3-id.parquet":   "part-p.merged",
		"part-p-e1-e3-id.parquet":      "part-p-e1.merged",
		"part-p-e1.merged-id.parquet":  "part-p-e1.merged",
		"part-merged-e1-id.parquet":    "part-merged.merged",
		"merged-e1.parquet":            "merged",
		"part-q-e1-id.parquet":         "merged",
		"part-00000-id.snappy.parquet": "merged",
	} {
		require.Equal(t, want, MergePrefix(txns)(file), file)
	}
}

// A driver that runs goes on after its files were merged between two batches, and so does the next one.
func TestRunGoesOnAfterCompaction(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	for at := int64(0); at < 30; at += 3 {
		require.NoError(t, commitRows(t.Context(), c, at, at+3))
		if at%9 == 0 && at > 0 {
			require.NotEmpty(t, compactNow(t, objects).Merges)
		}
	}
	require.NoError(t, runTo(t.Context(), objects, 36))
	requireOnce(t, objects, 36, 3)
	require.NotEmpty(t, compactNow(t, objects).Merges)
	requireOnce(t, objects, 36, 3)
}

// A compaction takes the version that a batch was going to have.
func TestCompactionOvertakesBatch(t *testing.T) {
	for _, whole := range []bool{false, true} {
		objects := store.NewMem()
		c, err := Open(t.Context(), options(objects, "driver"))
		require.NoError(t, err)
		require.NoError(t, commitRows(t.Context(), c, 0, 3))
		require.NoError(t, commitRows(t.Context(), c, 3, 6))
		raced := false
		objects.Inject(func(_ int, op store.Op, name string) (store.Outcome, error) {
			if op == store.OpPutIfAbsent && !raced {
				raced = true
				require.Len(t, compactNow(t, objects.Reopen()).Merges, 1, name)
			}
			return store.Normal, nil
		})
		if !whole {
			require.NoError(t, commitRows(t.Context(), c, 6, 9))
			requireOnce(t, objects, 9, 3)
			continue
		}
		require.NoError(t, commitWhole(t.Context(), c, 2, 7, 8))
		require.Equal(t, map[int64]int{7: 1, 8: 1}, ids(t, objects, "t"))
	}
}

// A complete result replaces its own rows in merged files, and no others.
func TestReplaceMergedFiles(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 0, 3))
	require.NoError(t, commitRows(t.Context(), c, 3, 6))
	require.NotEmpty(t, compactNow(t, objects).Merges)
	require.NoError(t, commitWhole(t.Context(), c, 2, 7))
	require.Equal(t, map[int64]int{7: 1}, ids(t, objects, "t"))

	foreignRows(t, objects, "f", 98, 99)
	foreignRows(t, objects, "g", 97)
	require.NotEmpty(t, compactNow(t, objects).Merges)
	require.ErrorIs(t, commitWhole(t.Context(), c, 3, 2), ErrRefused)
	require.Equal(t, map[int64]int{7: 1, 97: 1, 98: 1, 99: 1}, ids(t, objects, "t"))
}

// A batch in which a compaction dies or fails anywhere, and a driver that goes on: each row is there once.
func TestCompactionCrashes(t *testing.T) {
	for k := 0; ; k++ {
		objects := store.NewMem()
		require.NoError(t, runTo(t.Context(), objects, 9))
		mortal := objects.Reopen()
		mortal.CrashAfter(k)
		o := options(mortal, "")
		_, err := o.Table.(*delta.Table).Compact(t.Context(), delta.CompactOptions{
			Prefix: MergePrefix(map[string]lakehouse.Txn{"lakewheel/p": {}}), Now: o.Now, Sleep: func(context.Context, time.Duration) error { return nil }})
		require.NoError(t, runTo(t.Context(), objects, 15), "crash after write %d", k)
		requireOnce(t, objects, 15, 3)
		if err == nil {
			require.Positive(t, k)
			return
		}
	}
}
