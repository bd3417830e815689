package committer

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// rewindTo rewinds the table of the rig.
func rewindTo(t *testing.T, objects store.Store, o RewindOptions) (Rewound, error) {
	return Rewind(t.Context(), options(objects, "rewinder"), o)
}

// Rows, dead letters and position are those of the end of the batch; the pipeline goes on from there, with batch numbers that were never used, and ends where
// it would have ended.
func TestRewind(t *testing.T) {
	for _, to := range []int64{0, 3, 7, 8} {
		objects := store.NewMem()
		require.NoError(t, runTo(t.Context(), objects, 30)) // batches 0 to 9, compacted on the way
		done, err := rewindTo(t, objects, RewindOptions{ToBatch: to})
		require.NoError(t, err)
		require.EqualValues(t, 9-to, done.Commits, "to batch %d", to)
		require.EqualValues(t, map[string]SideRows{"dead_letter": {Out: 9 - to}}, done.SideRows)
		requireOnce(t, objects, 3*(to+1), 3)
		require.EqualValues(t, 10, done.Batch)
		c, err := Open(t.Context(), options(objects, "next"))
		require.NoError(t, err)
		require.EqualValues(t, 3*(to+1), position(c))
		require.EqualValues(t, 10, c.Last().LastBatch)
		require.NoError(t, runTo(t.Context(), objects, 45))
		requireOnce(t, objects, 45, 3)
		requireMonotoneEpochs(t, objects)
	}
}

// What was undone can be done again, as long as its files are there.
func TestRewindForward(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 30))
	_, err := rewindTo(t, objects, RewindOptions{ToBatch: 2})
	require.NoError(t, err)
	requireOnce(t, objects, 9, 3)
	done, err := rewindTo(t, objects, RewindOptions{ToBatch: 8})
	require.NoError(t, err)
	require.EqualValues(t, 11, done.Batch)
	requireOnce(t, objects, 27, 3)
	require.NoError(t, runTo(t.Context(), objects, 30))
	requireOnce(t, objects, 30, 3)
}

// A run that goes on is fenced by its next commit, and by nothing where the rewind is refused.
func TestRewindFences(t *testing.T) {
	objects := store.NewMem()
	live, err := Open(t.Context(), options(objects, "live"))
	require.NoError(t, err)
	for range 4 {
		commitNext(t, live)
	}
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 9})
	require.ErrorIs(t, err, ErrRefused)
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 1, DryRun: true})
	require.NoError(t, err)
	commitNext(t, live)
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 1})
	require.NoError(t, err)
	require.ErrorIs(t, commitRows(t.Context(), live, position(live), position(live)+3), ErrFenced)
	requireOnce(t, objects, 6, 3)
}

// Rows of other writers are lost only if that is asked for; what they merely rearranged does not count.
func TestRewindAndForeignCommits(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 12))
	foreignAppend(t, objects, "OPTIMIZE")
	_, err := rewindTo(t, objects, RewindOptions{ToBatch: 2, DryRun: true})
	require.NoError(t, err)
	foreignRows(t, objects, "f", 99)
	require.NoError(t, runTo(t.Context(), objects, 15))
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 2})
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "(WRITE)")
	require.ErrorContains(t, err, "--discard-foreign")
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 4})
	require.ErrorIs(t, err, ErrRefused, "there is nothing to undo")
	done, err := rewindTo(t, objects, RewindOptions{ToBatch: 2, DiscardForeign: true})
	require.NoError(t, err)
	require.Len(t, done.Foreign, 1)
	requireOnce(t, objects, 9, 3)
}

// The way back after a RESTORE of another program: rows and offsets agree again.
func TestRewindAfterRestore(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 12))
	d := delta.Open(store.Sub(objects, "t"), nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "RESTORE", DataChange: true, Remove: liveFiles(t, objects)[:1]})
	require.NoError(t, err)
	_, err = Open(t.Context(), options(objects, "driver"))
	require.ErrorIs(t, err, ErrPositionLost)
	require.ErrorContains(t, err, "rewind")
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 2, DiscardForeign: true})
	require.NoError(t, err)
	requireOnce(t, objects, 9, 3)
	require.NoError(t, runTo(t.Context(), objects, 15))
	requireOnce(t, objects, 15, 3)
}

// Each refusal says what is in the way, and changes nothing.
func TestRewindRefused(t *testing.T) {
	for want, damage := range map[string]func(t *testing.T, objects *store.Mem){
		"there is no batch 7 to go back to": func(*testing.T, *store.Mem) {},
		"were vacuumed, and nothing was changed": func(t *testing.T, objects *store.Mem) {
			snap, err := delta.Open(store.Sub(objects, "t"), nil).At(t.Context(), 2)
			require.NoError(t, err)
			files, err := delta.Open(store.Sub(objects, "t"), nil).Files(t.Context(), snap)
			require.NoError(t, err)
			for _, f := range files {
				require.NoError(t, objects.Delete(t.Context(), "t/"+f.Path))
			}
		},
		"is the oldest to go back to": func(t *testing.T, objects *store.Mem) {
			c, err := Open(t.Context(), boundedOptions(objects))
			require.NoError(t, err)
			require.NoError(t, objects.Delete(t.Context(), "t/"+recordName("p", c.Last().Parent)))
		},
	} {
		t.Run(want, func(t *testing.T) {
			objects := store.NewMem()
			require.NoError(t, runTo(t.Context(), objects, 15))
			damage(t, objects)
			to := int64(1)
			if want == "there is no batch 7 to go back to" {
				to = 7
			}
			before, err := delta.Open(store.Sub(objects, "t"), nil).Snapshot(t.Context())
			require.NoError(t, err)
			_, err = rewindTo(t, objects, RewindOptions{ToBatch: to})
			require.ErrorIs(t, err, ErrRefused)
			require.ErrorContains(t, err, want)
			after, err := delta.Open(store.Sub(objects, "t"), nil).Snapshot(t.Context())
			require.NoError(t, err)
			require.Equal(t, before.Version, after.Version)
		})
	}
}

func boundedOptions(objects store.Store) Options {
	o := options(objects, "bounded")
	o.Bounded = true
	return o
}

// Batches that were folded into one commit are undone together or not at all.
func TestRewindBorders(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	for _, last := range []int64{2, 5, 6} {
		_, err := c.Commit(t.Context(), Batch{First: last, Last: last, Sources: progressAt(last)})
		require.NoError(t, err)
	}
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 4})
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "no commit ends with batch 4: go back to batch 2, or to 5")
}

// Wherever a rewind dies or fails, the table has the rows of before or of after it, and goes on from there.
func TestRewindFaults(t *testing.T) {
	made := store.NewMem()
	require.NoError(t, runTo(t.Context(), made, 15))
	finish := func(objects *store.Mem, what string, i int) {
		require.NoError(t, runTo(t.Context(), objects, 18), "%s %d", what, i)
		requireOnce(t, objects, 18, 3)
	}
	for k := 0; ; k++ {
		objects := made.Clone()
		objects.CrashAfter(k)
		_, err := rewindTo(t, objects, RewindOptions{ToBatch: 1})
		if err == nil {
			require.Greater(t, k, 3, "epoch, record, entry and side table are writes")
			break
		}
		finish(objects.Reopen(), "crash after write", k)
	}
	for i := 0; ; i++ {
		objects := made.Clone()
		objects.FailAt(i, context.DeadlineExceeded)
		_, err := rewindTo(t, objects, RewindOptions{ToBatch: 1})
		if objects.Ops() <= i {
			require.NoError(t, err)
			break
		}
		finish(objects.Reopen(), "failed operation", i)
	}
}

// A commit that slips in before the epoch of a rewind is undone with its dead letters, though this run has not published them.
func TestRewindUndoesWhatSlipsIn(t *testing.T) {
	objects := store.NewMem()
	live, err := Open(t.Context(), options(objects, "live"))
	require.NoError(t, err)
	for range 6 {
		commitNext(t, live)
	}
	o := options(objects, "rewinder")
	slipped := 0
	o.Table = &busyTable{Table: o.Table.(*delta.Table), before: func(c lakehouse.Change) {
		if c.Operation == "STREAMING EPOCH" && slipped < 3 {
			slipped++
			commitNext(t, live)
		}
	}}
	_, err = Rewind(t.Context(), o, RewindOptions{ToBatch: 2})
	require.NoError(t, err)
	require.Equal(t, 3, slipped)
	requireOnce(t, objects, 9, 3)
	require.NoError(t, runTo(t.Context(), objects, 30))
	requireOnce(t, objects, 30, 3)
}

// busyTable is a table beside whose commits others come first.
type busyTable struct {
	*delta.Table
	before func(c lakehouse.Change)
}

func (b *busyTable) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	b.before(c)
	return b.Table.Commit(ctx, base, c)
}

// What was taken back once is not held against later rewinds.
func TestRewindForgetsWhatItDiscarded(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 12))
	foreignRows(t, objects, "f", 99)
	_, err := rewindTo(t, objects, RewindOptions{ToBatch: 2, DiscardForeign: true})
	require.NoError(t, err)
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 1})
	require.NoError(t, err, "the foreign rows are gone already")
	foreignRows(t, objects, "g", 98)
	_, err = rewindTo(t, objects, RewindOptions{ToBatch: 0})
	require.ErrorIs(t, err, ErrRefused)
	require.Equal(t, 1, strings.Count(err.Error(), "(WRITE)"), "%s", err)
}
