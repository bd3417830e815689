package committer

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// liveFiles of the main table.
func liveFiles(t *testing.T, objects store.Store) []lakehouse.DataFile {
	d := delta.Open(store.Sub(objects, "t"), nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	files, err := d.Files(t.Context(), snap)
	require.NoError(t, err)
	return files
}

// Compaction makes no version of its own, keeps the files few and the rows as they are, over restarts, too.
func TestCompactionRidesOnCommits(t *testing.T) {
	objects := store.NewMem()
	for until := int64(60); until <= 300; until += 60 {
		require.NoError(t, runTo(t.Context(), objects, until))
	}
	requireOnce(t, objects, 300, 3)
	require.LessOrEqual(t, len(liveFiles(t, objects)), 10)
	snap, err := delta.Open(store.Sub(objects, "t"), nil).Snapshot(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 100+5-1, snap.Version, "one version a batch and one a start")
}

// slowMerges is a table whose merges wait to be let go.
type slowMerges struct {
	*delta.Table
	begun, let chan struct{}
	err        error
	onCommit   func()
}

func (h *slowMerges) MergeFiles(ctx context.Context, base lakehouse.Snapshot, files []lakehouse.DataFile, prefix string) ([]lakehouse.DataFile, error) {
	h.begun <- struct{}{}
	select {
	case <-h.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if h.err != nil {
		return nil, h.err
	}
	return h.Table.MergeFiles(ctx, base, files, prefix)
}

func (h *slowMerges) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	if h.onCommit != nil {
		hook := h.onCommit
		h.onCommit = nil
		hook()
	}
	return h.Table.Commit(ctx, base, c)
}

// slowRun is a driver that compacts beside its commits, with three batches in the table and their merging under way.
func slowRun(t *testing.T) (*store.Mem, *slowMerges, *Committer) {
	objects := store.NewMem()
	o := options(objects, "driver")
	h := &slowMerges{Table: o.Table.(*delta.Table), begun: make(chan struct{}, 1), let: make(chan struct{}, 1)}
	o.Table, o.Compaction = h, CompactionPolicy{Files: 3}
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	for at := int64(0); at < 9; at += 3 {
		commitNext(t, c)
	}
	<-h.begun
	return objects, h, c
}

func commitNext(t *testing.T, c *Committer) {
	require.NoError(t, commitRows(t.Context(), c, position(c), position(c)+3))
	require.NoError(t, c.Maintain(t.Context()))
}

// letGo lets the merging end and waits until a commit can take it.
func letGo(t *testing.T, h *slowMerges, c *Committer) {
	h.let <- struct{}{}
	require.Eventually(t, func() bool { return len(c.compaction.running) > 0 }, 10*time.Second, time.Millisecond)
}

// Commits do not wait for a merging; the first one after its end carries it.
func TestCommitsDoNotWaitForPacks(t *testing.T) {
	objects, h, c := slowRun(t)
	commitNext(t, c)
	commitNext(t, c)
	require.Len(t, liveFiles(t, objects), 5)
	letGo(t, h, c)
	require.NoError(t, commitRows(t.Context(), c, 15, 18))
	require.Len(t, liveFiles(t, objects), 4, "three became one, three came since")
	requireOnce(t, objects, 18, 3)
}

// foreignRemove takes a live file out of the table, as a DELETE of another program does.
func foreignRemove(t *testing.T, objects store.Store, f lakehouse.DataFile) {
	d := delta.Open(store.Sub(objects, "t"), nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "DELETE", DataChange: true, Remove: []lakehouse.DataFile{f}})
	require.NoError(t, err)
}

// Rows that another writer deletes while their file is merged stay deleted, whenever that is noticed. The batch gets in all the same, and
// the merged file goes.
func TestMergingStepsBack(t *testing.T) {
	for _, when := range []string{"while it is merged", "before the commit", "between commit and put"} {
		t.Run(when, func(t *testing.T) {
			objects, h, c := slowRun(t)
			victim := liveFiles(t, objects)[1]
			switch when {
			case "while it is merged":
				foreignRemove(t, objects, victim)
				commitNext(t, c)
				letGo(t, h, c)
			case "before the commit":
				letGo(t, h, c)
				foreignRemove(t, objects, victim)
			default:
				letGo(t, h, c)
				h.onCommit = func() { foreignRemove(t, objects, victim) }
			}
			commitNext(t, c)
			commitNext(t, c)
			rows := ids(t, objects, "t")
			require.Len(t, rows, int(position(c))-3, "the deleted rows do not come back")
			for id, times := range rows {
				require.Equal(t, 1, times, "id %d", id)
			}
			found, err := store.Sub(objects, "t").List(t.Context(), "", "")
			require.NoError(t, err)
			require.NotEmpty(t, found)
			for _, f := range found {
				require.NotContains(t, f.Name, "merged1", "what nobody needs is gone")
			}
		})
	}
}

// A merging that fails is reported and costs nothing else.
func TestFailedMergingFailsNoCommit(t *testing.T) {
	objects, h, c := slowRun(t)
	h.err = errors.New("disk is full")
	letGo(t, h, c)
	require.NoError(t, commitRows(t.Context(), c, 9, 12))
	h.err = nil
	err := c.Maintain(t.Context())
	require.ErrorContains(t, err, "disk is full")
	<-h.begun
	letGo(t, h, c)
	require.NoError(t, commitRows(t.Context(), c, 12, 15))
	require.Len(t, liveFiles(t, objects), 2, "the next round does it")
	requireOnce(t, objects, 15, 3)
}

// After a round as much time passes without one as the share of the processor asks for.
func TestCompactionRests(t *testing.T) {
	k := compaction{policy: CompactionPolicy{Files: 3, Share: 0.25}, now: func() time.Time { return time.UnixMilli(0) }, cancel: func() {}}
	k.ended(roundEnd{took: time.Second})
	require.Equal(t, time.UnixMilli(3000), k.rests)
}
