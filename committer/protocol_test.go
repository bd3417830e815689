package committer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// runTo commits batches of three ids until the position is n, opening the committer first.
func runTo(ctx context.Context, objects store.Store, n int64) error {
	c, err := Open(ctx, options(objects, "driver"))
	if err != nil {
		return err
	}
	for at := position(c); at < n; at += 3 {
		if err := commitRows(ctx, c, at, at+3); err != nil {
			return err
		}
		if err := c.Maintain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// For each durable write: the process dies after it, another one goes on, and the tables are those of an uninterrupted run. The first writes are those
// of a table that does not exist yet; every batch has dead letters.
func TestCrashAfterEveryWrite(t *testing.T) { overFormats(t, crashAfterEveryWrite) }

func crashAfterEveryWrite(t *testing.T) {
	for k := 0; ; k++ {
		objects := store.NewMem()
		objects.CrashAfter(k)
		err := runTo(t.Context(), objects, 15)
		if err == nil {
			require.Greater(t, k, 15, "a run has more durable writes than that")
			break
		}
		require.ErrorIs(t, err, store.ErrCrashed, "crash after write %d", k)
		again := objects.Reopen()
		require.NoError(t, runTo(t.Context(), again, 15), "crash after write %d", k)
		requireOnce(t, again, 15, 3)
		requireMonotoneEpochs(t, again)
	}
}

// dying is a store on disk whose process dies before the k-th write.
type dying struct {
	store.Store
	left *int
}

var errDead = errors.New("dead")

func (d dying) die() error {
	if *d.left--; *d.left < 0 {
		return errDead
	}
	return nil
}

func (d dying) PutIfAbsent(ctx context.Context, name string, body []byte) (store.Info, error) {
	if err := d.die(); err != nil {
		return store.Info{}, err
	}
	return d.Store.PutIfAbsent(ctx, name, body)
}

func (d dying) Put(ctx context.Context, name string, body []byte) error {
	if err := d.die(); err != nil {
		return err
	}
	return d.Store.Put(ctx, name, body)
}

func (d dying) Rename(ctx context.Context, from, to string) error {
	if err := d.die(); err != nil {
		return err
	}
	return d.Store.Rename(ctx, from, to)
}

func (d dying) Create(ctx context.Context, name string) (store.Writer, error) {
	if err := d.die(); err != nil {
		return nil, err
	}
	return d.Store.Create(ctx, name)
}

func TestCrashAfterEveryWriteOnDisk(t *testing.T) { overFormats(t, crashAfterEveryWriteOnDisk) }

func crashAfterEveryWriteOnDisk(t *testing.T) {
	for k := 0; ; k++ {
		disk, err := store.NewLocal(t.TempDir())
		require.NoError(t, err)
		left := k
		err = runTo(t.Context(), dying{disk, &left}, 12)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errDead)
		require.NoError(t, runTo(t.Context(), disk, 12), "crash after write %d", k)
		requireOnce(t, disk, 12, 3)
	}
}

// failOperation lets the i-th operation from now on fail. True afterwards: there was one.
func failOperation(objects *store.Mem, i int, with error) *bool {
	fired := new(bool)
	objects.Inject(func(n int, _ store.Op, _ string) (store.Outcome, error) {
		if n != i {
			return store.Normal, nil
		}
		*fired = true
		return store.Fail, with
	})
	return fired
}

// The i-th operation fails instead, for each i: the run ends with that error or goes on, and the next one makes the tables whole.
func TestEveryOperationFails(t *testing.T) { overFormats(t, everyOperationFails) }

func everyOperationFails(t *testing.T) {
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	for i := 0; ; i++ {
		objects := store.NewMem()
		fired := failOperation(objects, i, full)
		err := runTo(t.Context(), objects, 15)
		if !*fired {
			require.NoError(t, err)
			break
		}
		objects.Inject(nil)
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC, "operation %d", i)
			require.NoError(t, runTo(t.Context(), objects, 15), "operation %d", i)
		}
		requireOnce(t, objects, 15, 3)
	}
}

// Whatever becomes of a put, applied, lost, late, or answered with 412 for our own object, on the table or on the side table: no batch is lost or doubled.
func TestUnknownOutcomes(t *testing.T) { overFormats(t, unknownOutcomes) }

func unknownOutcomes(t *testing.T) {
	for _, outcome := range []store.Outcome{store.LoseReply, store.LoseCall, store.Late, store.Twice} {
		for nth := range 14 {
			objects := store.NewMem()
			objects.Inject(store.Meet(store.Fault{Op: store.OpPutIfAbsent, Nth: nth, Outcome: outcome}))
			require.NoError(t, runTo(t.Context(), objects, 15), "outcome %d of put %d", outcome, nth)
			requireOnce(t, objects, 15, 3)
		}
	}
}

// An outcome that cannot be asked about ends the run; the next start settles it.
func TestOutcomeThatStaysUnknown(t *testing.T) { overFormats(t, outcomeThatStaysUnknown) }

func outcomeThatStaysUnknown(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 3))
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	objects.Inject(func(_ int, op store.Op, name string) (store.Outcome, error) {
		switch {
		case op == store.OpPutIfAbsent:
			return store.LoseReply, nil
		case op == store.OpGet:
			return store.Fail, errors.New("network is down")
		}
		return store.Normal, nil
	})
	require.ErrorIs(t, commitRows(t.Context(), c, 3, 6), ErrOutcomeUnknown)
	objects.Inject(nil)
	require.NoError(t, runTo(t.Context(), objects, 9))
	requireOnce(t, objects, 9, 3)
}

// Two drivers on one table for 200 batches. Whoever is fenced starts again, and so takes over: each row once, epochs never go down, and the
// message says who took over.
func TestTwoDriversRace(t *testing.T) { overFormats(t, twoDriversRace) }

func twoDriversRace(t *testing.T) {
	objects := store.NewMem()
	const n = 600
	var group sync.WaitGroup
	for _, name := range []string{"alpha", "beta"} {
		group.Go(func() {
			for {
				c, err := Open(t.Context(), options(objects, name))
				if err != nil {
					t.Error(err)
					return
				}
				for err == nil && position(c) < n {
					err = commitRows(t.Context(), c, position(c), position(c)+3)
				}
				if err == nil {
					return
				}
				if !errors.Is(err, ErrFenced) {
					t.Error(err)
					return
				}
				if text := err.Error(); !(contains(text, "alpha") || contains(text, "beta")) || !contains(text, "epoch") {
					t.Error(text)
				}
			}
		})
	}
	group.Wait()
	requireOnce(t, objects, n, 3)
	requireMonotoneEpochs(t, objects)
}

func contains(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

// A zombie wakes after another driver and five foreign commits: it is fenced, and everything that is alive stays.
func TestZombie(t *testing.T) { overFormats(t, zombie) }

func zombie(t *testing.T) {
	objects := store.NewMem()
	zombie, err := Open(t.Context(), options(objects, "zombie"))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), zombie, 0, 3))
	require.NoError(t, runTo(t.Context(), objects, 9))
	for range 5 {
		foreignAppend(t, objects, "WRITE")
	}
	err = commitRows(t.Context(), zombie, 3, 6)
	require.ErrorIs(t, err, ErrFenced)
	require.ErrorContains(t, err, "driver (epoch 2) took over pipeline p")
	requireOnce(t, objects, 9, 3)
}

// Foreign commits between batches are gone past; those that take rows or change the schema are not.
func TestForeignCommitsBetweenBatches(t *testing.T) { overFormats(t, foreignCommitsBetweenBatches) }

func foreignCommitsBetweenBatches(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 0, 3))
	foreignAppend(t, objects, "WRITE")
	foreignAppend(t, objects, "OPTIMIZE")
	require.NoError(t, commitRows(t.Context(), c, 3, 6))
	requireOnce(t, objects, 6, 3)
	foreignAppend(t, objects, "RESTORE")
	require.ErrorIs(t, commitRows(t.Context(), c, 6, 9), ErrPositionLost)
	_, err = Open(t.Context(), options(objects, "driver"))
	require.ErrorIs(t, err, ErrPositionLost)
	accepted := options(objects, "driver")
	accepted.AcceptLoss = true
	_, err = Open(t.Context(), accepted)
	require.NoError(t, err)
}

// The table is dropped, or made again, under a running pipeline.
func TestReplacedTable(t *testing.T) { overFormats(t, replacedTable) }

func replacedTable(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 0, 3))
	for v := range 2 {
		require.NoError(t, objects.Delete(t.Context(), entryOf("t", int64(v))))
	}
	require.ErrorIs(t, commitRows(t.Context(), c, 3, 6), ErrPositionLost)
	_, err = Open(t.Context(), options(objects, "driver"))
	require.ErrorIs(t, err, ErrPositionLost, "the records prove an earlier commit")
}

func TestVanishedRecord(t *testing.T) { overFormats(t, vanishedRecord) }

func vanishedRecord(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 0, 3))
	require.NoError(t, objects.Delete(t.Context(), "t/"+recordName("p", c.Last().Token)))
	_, err = Open(t.Context(), options(objects, "driver"))
	require.ErrorIs(t, err, ErrPositionLost)
	require.ErrorContains(t, err, "restore the folder _lakewheel")
}

// A side table belongs to one pipeline of one table.
func TestSideTableOfAnother(t *testing.T) { overFormats(t, sideTableOfAnother) }

func sideTableOfAnother(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 3))
	other := named(options(objects, "driver"), objects, "q", "")
	other.Append = true
	_, err := Open(t.Context(), other)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "give this pipeline a side table of its own")
}

// A first run that failed before its first batch leaves an empty table; the corrected query gives it its schema. Once there are batches, a
// schema that differs is refused.
func TestCorrectedSchemaOfAnUnfilledTable(t *testing.T) {
	overFormats(t, correctedSchemaOfAnUnfilledTable)
}

func correctedSchemaOfAnUnfilledTable(t *testing.T) {
	objects := store.NewMem()
	wrong := options(objects, "driver")
	wrong.Schema = columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.Boolean, Nullable: true})
	_, err := Open(t.Context(), wrong)
	require.NoError(t, err)
	require.NoError(t, runTo(t.Context(), objects, 6))
	requireOnce(t, objects, 6, 3)
	requireMonotoneEpochs(t, objects)
	_, err = Open(t.Context(), wrong)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "column id is BIGINT in the table and BOOLEAN in the query")
}

// After a change of name the new one goes on, also without previous_name, and the old one is refused.
func TestRenamedPipeline(t *testing.T) { overFormats(t, renamedPipeline) }

func renamedPipeline(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 3))
	c, err := Open(t.Context(), named(options(objects, "driver"), objects, "q", "p"))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 3, 6))
	c, err = Open(t.Context(), named(options(objects, "driver"), objects, "q", ""))
	require.NoError(t, err)
	require.NoError(t, commitRows(t.Context(), c, 6, 9))
	requireOnce(t, objects, 9, 3)
	_, err = Open(t.Context(), options(objects, "driver"))
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "pipeline p of memory/t was renamed and goes on as q")
}

// Side tables get checkpoints, too: a publication must not replay a log that only grows.
func TestSideTablesAreMaintained(t *testing.T) { overFormats(t, sideTablesAreMaintained) }

func sideTablesAreMaintained(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 330))
	_, err := objects.Stat(t.Context(), "dead/"+format.hint)
	require.NoError(t, err)
	requireOnce(t, objects, 330, 3)
}

// A bounded run takes its epoch with its first commit, and commits nothing if there is nothing to do.
func TestBoundedRun(t *testing.T) { overFormats(t, boundedRun) }

func boundedRun(t *testing.T) {
	objects := store.NewMem()
	bounded := options(objects, "bounded")
	bounded.Bounded = true
	c, err := Open(t.Context(), bounded)
	require.NoError(t, err)
	require.EqualValues(t, -1, c.Version())
	require.Zero(t, objects.Writes())
	require.NoError(t, commitRows(t.Context(), c, 0, 3))
	require.EqualValues(t, 0, c.Version())
}

// Records go when 100 newer ones exist and a day is over, and not before.
// A run whose query does not fit is refused before it takes anything over: the process before it goes on.
func TestUnfitRunTakesNothingOver(t *testing.T) { overFormats(t, unfitRunTakesNothingOver) }

func unfitRunTakesNothingOver(t *testing.T) {
	ctx, objects := t.Context(), store.NewMem()
	running, err := Open(ctx, options(objects, "running"))
	require.NoError(t, err)
	require.NoError(t, commitRows(ctx, running, 0, 3))
	unfit := options(objects, "unfit")
	unfit.Fits = func(last *Record) error { return fmt.Errorf("batch %d: %w", last.LastBatch, ErrRefused) }
	_, err = Open(ctx, unfit)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "batch 0")
	require.NoError(t, commitRows(ctx, running, 3, 6))
	requireOnce(t, objects, 6, 3)
}

func TestRetention(t *testing.T) { overFormats(t, recordRetention) }

func recordRetention(t *testing.T) {
	objects, c := store.NewMem(), &clock{}
	objects.SetClock(func() int64 { return c.now().UnixMilli() })
	o := options(objects, "driver")
	o.Now = c.now
	driver, err := Open(t.Context(), o)
	require.NoError(t, err)
	records := func() int {
		list, err := objects.List(t.Context(), "t/"+recordsFolder("p"), "")
		require.NoError(t, err)
		return len(list)
	}
	for i := range int64(120) {
		require.NoError(t, commitRows(t.Context(), driver, i*3, i*3+3))
		require.NoError(t, driver.Maintain(t.Context()))
	}
	require.Equal(t, 121, records(), "one of the epoch, 120 batches, all younger than a day")
	c.millis.Add((25 * time.Hour).Milliseconds())
	for i := int64(120); i < 125; i++ {
		require.NoError(t, commitRows(t.Context(), driver, i*3, i*3+3))
		require.NoError(t, driver.Maintain(t.Context()))
	}
	require.Equal(t, 100, records())
	require.NoError(t, runTo(t.Context(), objects, 125*3+3))
}

var modelSeed = flag.Uint64("seed", 0, "seed of the randomised model; 0: a new one")

// The randomised model: three drivers that crash and stall, a foreign writer, and puts that are applied with the answer lost, lost, late, or answered with 412 for our own
// object. Whatever happens, every row and every dead letter is there once, and epochs never go down.
func TestRandomisedModel(t *testing.T) { overFormats(t, randomisedModel) }

func randomisedModel(t *testing.T) {
	seed := *modelSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for run := range often(20) {
		runModel(t, seed+run, false)
	}
}

// The model can fail: over a store that ignores put-if-absent it finds lost or doubled rows.
func TestRandomisedModelFindsABrokenStore(t *testing.T) {
	overFormats(t, randomisedModelFindsABrokenStore)
}

func randomisedModelFindsABrokenStore(t *testing.T) {
	for run := range uint64(20) {
		if runModel(t, 1+run, true) {
			return
		}
	}
	t.Fatal("a store that ignores put-if-absent went unnoticed")
}

// careless replaces what is there: a store that ignores the condition.
type careless struct{ store.Store }

func (c careless) PutIfAbsent(ctx context.Context, name string, body []byte) (store.Info, error) {
	if err := c.Put(ctx, name, body); err != nil {
		return store.Info{}, err
	}
	return c.Stat(ctx, name)
}

// runModel runs one history. With a broken store it reports whether the history shows it.
func runModel(t *testing.T, seed uint64, broken bool) (violated bool) {
	rng := newRNG(t, seed)
	const n = 60 * 3
	mem := store.NewMem()
	var objects store.Store = mem
	if broken {
		objects = careless{mem}
	}
	mem.Inject(func(_ int, op store.Op, _ string) (store.Outcome, error) {
		if op != store.OpPutIfAbsent || rng.IntN(5) > 0 {
			return store.Normal, nil
		}
		return []store.Outcome{store.LoseReply, store.LoseCall, store.Late, store.Twice}[rng.IntN(4)], nil
	})
	drivers := make([]*Committer, 3)
	for step := 0; step < 5000; step++ {
		i := rng.IntN(len(drivers))
		switch {
		case drivers[i] == nil:
			c, err := Open(t.Context(), options(objects, fmt.Sprint("driver ", i)))
			if err == nil {
				drivers[i] = c
			} else if broken {
				return true
			} else {
				require.NoError(t, err)
			}
		case rng.IntN(20) == 0:
			drivers[i] = nil // crashed
		case rng.IntN(20) == 0:
			modelForeign(t, objects)
		default:
			at := position(drivers[i])
			if at >= n {
				drivers[i] = nil
				if finished(t, objects, n) {
					mem.Inject(nil)
					if broken {
						return !onceOnly(ids(t, objects, "t"), n)
					}
					requireOnce(t, objects, n, 3)
					requireMonotoneEpochs(t, objects)
					return false
				}
				continue
			}
			if err := commitRows(t.Context(), drivers[i], at, at+3); err != nil {
				drivers[i] = nil
				if !broken {
					require.True(t, errors.Is(err, ErrFenced) || errors.Is(err, ErrOutcomeUnknown), "%v", err)
				}
			}
		}
	}
	return broken
}

func modelForeign(t *testing.T, objects store.Store) {
	d := format.open(store.Sub(objects, "t"), "p", "", nil)
	snap, err := d.Snapshot(context.Background())
	if err == nil && snap.Version >= 0 {
		_, err = d.Commit(context.Background(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "OPTIMIZE"})
	}
	if err != nil && !errors.Is(err, lakehouse.ErrConflict) && !errors.Is(err, lakehouse.ErrUnknown) {
		t.Log(err)
	}
}

// finished reports whether the newest record stands at n.
func finished(t *testing.T, objects store.Store, n int64) bool {
	o := options(objects, "reader")
	o.Bounded = true
	c, err := Open(t.Context(), o)
	return err == nil && position(c) >= n
}

func onceOnly(rows map[int64]int, n int64) bool {
	for _, times := range rows {
		if times != 1 {
			return false
		}
	}
	return int64(len(rows)) == n
}

// A table that this run makes gets the properties that are asked for; one that is there keeps its own.
func TestPropertiesOfANewTable(t *testing.T) {
	objects := store.NewMem()
	for _, days := range []string{"interval 1 days", "interval 2 days"} {
		o := options(objects, "driver")
		o.Properties = map[string]string{"delta.logRetentionDuration": days}
		_, err := Open(t.Context(), o)
		require.NoError(t, err)
		snap, err := o.Table.Snapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]string{"delta.logRetentionDuration": "interval 1 days"}, snap.Properties)
	}
}
