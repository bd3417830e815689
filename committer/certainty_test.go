package committer

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

var errBusy = errors.New("503 slow down")

// started is a driver with one committed batch.
func started(t *testing.T, objects store.Store, o Options) *Committer {
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 0, 3))
	return c
}

// A record that could not be read this time is not a record that is gone: whichever operation of a start fails, no position is lost.
func TestFailedReadLosesNoPosition(t *testing.T) { overFormats(t, failedReadLosesNoPosition) }

func failedReadLosesNoPosition(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 3))
	for i := 0; ; i++ {
		fired := failOperation(objects, i, errBusy)
		_, err := Open(t.Context(), options(objects, "driver"))
		if !*fired {
			require.NoError(t, err)
			return
		}
		require.NotErrorIs(t, err, ErrPositionLost, "operation %d", i)
	}
}

// A put whose answer was lost stays unknown, though the next try fails for certain: the first may still land.
func TestCertainFailureAfterUnknownIsUnknown(t *testing.T) {
	overFormats(t, certainFailureAfterUnknownIsUnknown)
}

func certainFailureAfterUnknownIsUnknown(t *testing.T) {
	objects := store.NewMem()
	c := started(t, objects, options(objects, "driver"))
	puts := 0
	objects.Inject(func(_ int, op store.Op, _ string) (store.Outcome, error) {
		if op != store.OpPutIfAbsent {
			return store.Normal, nil
		}
		if puts++; puts == 1 {
			return store.LoseCall, nil
		}
		return store.Fail, errBusy
	})
	require.ErrorIs(t, commitRows(t.Context(), c, 3, 6), ErrOutcomeUnknown)
	objects.Inject(nil)
	require.ErrorIs(t, commitRows(t.Context(), c, 3, 6), ErrOutcomeUnknown, "another body never follows under the same key")
	require.NoError(t, runTo(t.Context(), objects, 9))
	requireOnce(t, objects, 9, 3)
}

// bodies notes every body that is put, by name.
type bodies struct {
	store.Store
	seen map[string]map[string]bool
}

func (b bodies) PutIfAbsent(ctx context.Context, name string, body []byte) (store.Info, error) {
	if b.seen[name] == nil {
		b.seen[name] = map[string]bool{}
	}
	b.seen[name][string(body)] = true
	return b.Store.PutIfAbsent(ctx, name, body)
}

// However often a put is repeated, of a new side table too, it is one body under one key.
func TestRepeatedPutHasOneBody(t *testing.T) { overFormats(t, repeatedPutHasOneBody) }

func repeatedPutHasOneBody(t *testing.T) {
	mem := store.NewMem()
	mem.Inject(func(n int, op store.Op, _ string) (store.Outcome, error) {
		if op == store.OpPutIfAbsent && n%3 > 0 {
			return store.LoseCall, nil
		}
		return store.Normal, nil
	})
	objects := bodies{mem, map[string]map[string]bool{}}
	require.NoError(t, runTo(t.Context(), objects, 6))
	for name, seen := range objects.seen {
		require.Len(t, seen, 1, name)
	}
}

// A batch that is in the table and not published ends the run: the next entry would overtake its dead letters.
func TestUnpublishedBatchEndsTheRun(t *testing.T) { overFormats(t, unpublishedBatchEndsTheRun) }

func unpublishedBatchEndsTheRun(t *testing.T) {
	objects := store.NewMem()
	c := started(t, objects, options(objects, "driver"))
	objects.Inject(func(_ int, op store.Op, name string) (store.Outcome, error) {
		if op == store.OpPutIfAbsent && name == entryOf("dead", 1) {
			return store.Fail, errBusy
		}
		return store.Normal, nil
	})
	require.ErrorIs(t, commitRows(t.Context(), c, 3, 6), errBusy)
	objects.Inject(nil)
	require.ErrorIs(t, commitRows(t.Context(), c, 6, 9), errBusy)
	require.NoError(t, runTo(t.Context(), objects, 9))
	requireOnce(t, objects, 9, 3)
}

// A side table that another made after the start is not written to.
func TestSideTableMadeByAnotherSinceTheStart(t *testing.T) {
	overFormats(t, sideTableMadeByAnotherSinceTheStart)
}

func sideTableMadeByAnotherSinceTheStart(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	d := format.open(store.Sub(objects, "dead"), "p", "", nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Operation: "CREATE TABLE", Create: &lakehouse.Creation{ID: "other", Schema: rowSchema}})
	require.NoError(t, err)
	require.ErrorIs(t, commitRows(t.Context(), c, 0, 3), ErrRefused)
	require.Empty(t, ids(t, objects, "dead"))
}

// A change of name is a take-over: neither name goes on after the other has.
func TestRenameFences(t *testing.T) { overFormats(t, renameFences) }

func renameFences(t *testing.T) {
	renamed := func(objects store.Store) Options {
		return named(options(objects, "new writer"), objects, "q", "p")
	}
	t.Run("the old name, still running", func(t *testing.T) {
		objects := store.NewMem()
		old := started(t, objects, options(objects, "old writer"))
		c, err := Open(t.Context(), renamed(objects))
		require.NoError(t, err)
		err = commitRows(t.Context(), old, 3, 6)
		require.ErrorIs(t, err, ErrFenced)
		require.ErrorContains(t, err, "new writer (epoch 2)")
		require.NoError(t, commitRows(t.Context(), c, 3, 6))
		requireOnce(t, objects, 6, 3)
	})
	t.Run("the new name, when the old one was quicker", func(t *testing.T) {
		objects := store.NewMem()
		old := started(t, objects, options(objects, "old writer"))
		o := renamed(objects)
		o.Bounded = true
		c, err := Open(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, commitRows(t.Context(), old, 3, 6))
		require.ErrorIs(t, commitRows(t.Context(), c, 3, 6), ErrFenced)
		requireOnce(t, objects, 6, 3)
	})
}

// overtaken runs a hook once, right after the first snapshot was read.
type overtaken struct {
	lakehouse.Table
	hook func()
}

func (o *overtaken) Snapshot(ctx context.Context) (lakehouse.Snapshot, error) {
	s, err := o.Table.Snapshot(ctx)
	if hook := o.hook; hook != nil {
		o.hook = nil
		hook()
	}
	return s, err
}

// A starter that read "no table" and then sees the records of a quicker one has lost nothing: it reads again, and as the newest takes over.
func TestStarterOvertakenWhileReading(t *testing.T) { overFormats(t, starterOvertakenWhileReading) }

func starterOvertakenWhileReading(t *testing.T) {
	objects := store.NewMem()
	o := options(objects, "slow")
	o.Table = &overtaken{Table: o.Table, hook: func() { require.NoError(t, runTo(t.Context(), objects, 6)) }}
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	require.EqualValues(t, 6, position(c))
	require.EqualValues(t, 2, c.Epoch())
}

// busy is a table beside which a running driver commits before each of the first so many commits here.
type busy struct {
	lakehouse.Table
	times, snapshots int
	commit           func()
}

func (b *busy) Snapshot(ctx context.Context) (lakehouse.Snapshot, error) {
	b.snapshots++
	return b.Table.Snapshot(ctx)
}

func (b *busy) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	if b.times > 0 {
		b.times--
		b.commit()
	}
	return b.Table.Commit(ctx, base, c)
}

func (b *busy) Publish(ctx context.Context, s lakehouse.Snapshot) error {
	if p, ok := b.Table.(lakehouse.Publisher); ok {
		return p.Publish(ctx, s)
	}
	return nil
}

// A driver that commits more often than a start can read the table does not hold the start off: it goes on from each commit that it meets.
func TestTakeOverOfABusyDriver(t *testing.T) { overFormats(t, takeOverOfABusyDriver) }

func takeOverOfABusyDriver(t *testing.T) {
	objects := store.NewMem()
	running := started(t, objects, options(objects, "running"))
	next := position(running)
	o := options(objects, "newcomer")
	b := &busy{Table: o.Table, times: 7, commit: func() {
		require.NoError(t, commitRows(t.Context(), running, next, next+3))
		next += 3
	}}
	o.Table = b
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, next, position(c))
	require.Equal(t, 1, b.snapshots, "the table was read once")
	require.ErrorIs(t, commitRows(t.Context(), running, next, next+3), ErrFenced)
	require.NoError(t, commitRows(t.Context(), c, next, next+3))
	requireOnce(t, objects, next+3, 3)
	requireMonotoneEpochs(t, objects)
}

// A stop while an outcome is asked about leaves it unknown.
func TestStopWhileAsking(t *testing.T) { overFormats(t, stopWhileAsking) }

func stopWhileAsking(t *testing.T) {
	objects := store.NewMem()
	ctx, cancel := context.WithCancel(t.Context())
	o := options(objects, "driver")
	o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	c := started(t, objects, o)
	objects.Inject(func(_ int, op store.Op, _ string) (store.Outcome, error) {
		if op == store.OpPutIfAbsent {
			return store.LoseCall, nil
		}
		return store.Normal, nil
	})
	require.ErrorIs(t, commitRows(ctx, c, 3, 6), ErrOutcomeUnknown)
}
