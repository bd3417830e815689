package committer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// A row of the rig is its offset. What a backfill computes of it is as much more, so that it can be told which of the two is there; a batch's dead letter
// becomes as much less.
const again = 1_000_000

// span is a range of rows, [from, until).
type span struct{ from, until int64 }

// filling is a backfill of a span that replaces dead letters, too.
func (s span) filling() BackfillOptions {
	return BackfillOptions{Command: fmt.Sprint(s), Condition: planner.Expression, Plan: func(g Ground) (Intent, error) {
		until := min(s.until, g.Record.Sources["s"].Partitions[part].Next)
		return Intent{Where: fmt.Sprintf("id >= %d AND id < %d", s.from, s.until),
			From: map[string]offsets.Positions{"s": {part: s.from}}, Until: map[string]offsets.Positions{"s": {part: until}},
			Sides: []SideIntent{{Kind: "dead_letter", Where: fmt.Sprintf("id < %d AND id >= %d", -s.from, -until)}}}, nil
	}}
}

// again is filling where the rows may be those of an earlier backfill.
func (s span) again() BackfillOptions {
	o := s.filling()
	once := o.Plan
	o.Plan = func(g Ground) (Intent, error) {
		in, err := once(g)
		in.Where = fmt.Sprintf("pmod(id, %d) >= %d AND pmod(id, %d) < %d", again, s.from, again, s.until)
		in.Sides[0].Where = fmt.Sprintf("pmod(-id - 1, %d) >= %d AND pmod(-id - 1, %d) < %d", again, s.from, again, in.Until["s"][part])
		return in, err
	}
	return o
}

const partRows = 4

// fill runs a backfill to its end, from wherever an earlier one was; between is called before each step.
func fill(ctx context.Context, objects store.Store, o BackfillOptions, between func()) (Replaced, error) {
	for {
		did, err := fillOnce(ctx, objects, o, between)
		if !errors.Is(err, ErrRestart) {
			return did, err
		}
	}
}

func fillOnce(ctx context.Context, objects store.Store, o BackfillOptions, between func()) (Replaced, error) {
	between()
	b, err := OpenBackfill(ctx, options(objects, "backfill"), o)
	if err != nil {
		return Replaced{}, err
	}
	if b.Done() {
		return Replaced{}, nil
	}
	until := b.Intent().Until["s"][part]
	at := b.Intent().From["s"][part]
	if n := len(b.Parts()); n > 0 {
		at = b.Parts()[n-1].Sources["s"].Partitions[part].Next
	}
	for ; at < until; at += partRows {
		between()
		if err := stageRows(ctx, b, at, min(until, at+partRows)); err != nil {
			return Replaced{}, err
		}
	}
	between()
	did, err := b.Replace(ctx)
	if errors.Is(err, ErrRestart) {
		return did, errors.Join(err, b.Abandon(ctx))
	}
	return did, err
}

func stageRows(ctx context.Context, b *Backfill, from, until int64) error {
	out, err := b.NewOutput(ctx)
	if err != nil {
		return err
	}
	defer out.Abort()
	var rows, letters []int64
	for id := from; id < until; id++ {
		rows = append(rows, id+again)
		if id%3 == 0 {
			letters = append(letters, -id-1-again)
		}
	}
	if err := writeIDs(rows, func(b *columnar.Batch) error { return out.Write(ctx, 0, b) }); err != nil {
		return err
	}
	if err := writeIDs(letters, func(b *columnar.Batch) error { return out.WriteSide(ctx, "dead_letter", 0, b) }); err != nil {
		return err
	}
	_, err = b.Stage(ctx, Batch{Sources: progressAt(until), Output: out})
	return err
}

func nothing() {}

// requireFilled asserts that of the rows [0, n) those of the span were replaced, but for those from an offset on, and all others are as they were.
func requireFilled(t testing.TB, objects store.Store, s span, below, n int64, msg string) {
	t.Helper()
	rows, letters := map[int64]int{}, map[int64]int{}
	for id := range n {
		row := id
		if id >= s.from && id < min(s.until, below) {
			row += again
		}
		rows[row] = 1
		if id%3 == 0 {
			letters[-id-1-(row-id)] = 1
		}
	}
	require.Equal(t, rows, ids(t, objects, "t"), msg)
	require.Equal(t, letters, ids(t, objects, "dead"), msg)
}

// The rows of a range change places in one version, wherever files begin and end; the pipeline, which commits and compacts before, in between and
// afterwards, notices nothing.
func TestBackfill(t *testing.T) {
	for _, s := range []span{{0, 30}, {0, 1000}, {7, 8}, {10, 20}, {6, 12}, {29, 30}} {
		objects := store.NewMem()
		require.NoError(t, runTo(t.Context(), objects, 30))
		live, err := Open(t.Context(), options(objects, "live"))
		require.NoError(t, err)
		did, err := fill(t.Context(), objects, s.filling(), func() { commitNext(t, live) })
		require.NoError(t, err, "%v", s)
		last := min(s.until, 33)
		require.Equal(t, last-s.from, did.Gone)
		require.Equal(t, last-s.from, did.Rows)
		requireFilled(t, objects, s, 33, position(live), fmt.Sprint(s))
		for range 8 {
			commitNext(t, live)
		}
		requireFilled(t, objects, s, 33, position(live), fmt.Sprint(s))
		_, err = objects.List(t.Context(), "t/_lakewheel/p/backfills", "")
		require.NoError(t, err)
		requireNoTrace(t, objects)
		require.NoError(t, runTo(t.Context(), objects, position(live)+6), "a start goes past the entries of a backfill")
	}
}

// requireNoTrace asserts that nothing of a backfill lies about.
func requireNoTrace(t testing.TB, objects store.Store) {
	require.NoError(t, objects.Walk(context.Background(), "t/_lakewheel/p/backfills", func(in store.Info) error {
		return fmt.Errorf("%s is left", in.Name)
	}))
}

// Whoever reads a version of the table sees the rows from before or from after, never some of both.
func TestBackfillReaders(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 30))
	live, err := Open(t.Context(), options(objects, "live"))
	require.NoError(t, err)
	_, err = fill(t.Context(), objects, span{4, 26}.filling(), func() { commitNext(t, live) })
	require.NoError(t, err)
	d := delta.Open(store.Sub(objects, "t"), nil)
	newest, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	for v := int64(12); v <= newest.Version; v++ {
		at, err := d.At(t.Context(), v)
		require.NoError(t, err)
		old, made := 0, 0
		require.NoError(t, d.Scan(t.Context(), at, func(b *columnar.Batch) error {
			for i := range b.Rows() {
				switch id := columnar.Int64At(b.Column(0), i); {
				case id >= again:
					made++
				case id >= 4 && id < 26:
					old++
				}
			}
			return nil
		}))
		require.Equal(t, 22, old+made, "version %d", v)
		require.True(t, old == 0 || made == 0, "version %d", v)
	}
}

// Wherever a backfill dies, the same command finishes it, and nothing is there twice or missing.
func TestBackfillCrashes(t *testing.T) {
	made := store.NewMem()
	require.NoError(t, runTo(t.Context(), made, 30))
	s := span{5, 22}
	for k := 0; ; k++ {
		objects := made.Clone()
		objects.CrashAfter(k)
		_, err := fill(t.Context(), objects, s.again(), nothing)
		if err == nil {
			require.Greater(t, k, 20, "intent, parts, files, the end and side tables are writes")
			return
		}
		require.ErrorIs(t, err, store.ErrCrashed)
		objects = objects.Reopen()
		require.NoError(t, runTo(t.Context(), objects, 36), "the pipeline goes on whether a backfill is open or not")
		_, err = fill(t.Context(), objects, s.again(), nothing)
		require.NoError(t, err, "crash after write %d", k)
		require.NoError(t, runTo(t.Context(), objects, 39))
		requireFilled(t, objects, s, 39, 39, fmt.Sprint("crash after write ", k))
		requireNoTrace(t, objects)
	}
}

// Whatever operation fails, or is applied with its answer lost, the table is whole, and the same command finishes the backfill.
func TestBackfillFailures(t *testing.T) {
	made := store.NewMem()
	require.NoError(t, runTo(t.Context(), made, 30))
	s := span{5, 22}
	for _, lost := range []bool{false, true} {
		for i := 0; ; i++ {
			objects := made.Clone()
			if objects.FailAt(i, errBusy); lost {
				objects.FailAppliedAt(i, errBusy)
			}
			_, err := fill(t.Context(), objects, s.again(), nothing)
			if objects.Ops() <= i {
				require.NoError(t, err)
				break
			}
			objects.Inject(nil)
			require.NoError(t, runTo(t.Context(), objects, 36))
			_, err = fill(t.Context(), objects, s.again(), nothing)
			require.NoError(t, err, "operation %d, lost %v", i, lost)
			requireFilled(t, objects, s, 36, 36, fmt.Sprintf("operation %d, lost %v", i, lost))
		}
	}
}

// Rows of other writers in the range stop a backfill before it begins, unless they are to go; elsewhere they do not matter.
func TestBackfillAndForeignRows(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 30))
	foreignRows(t, objects, "f", 8, 99)
	_, _, err := FindBackfill(t.Context(), options(objects, "b"), span{5, 10}.filling())
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "foreign-f.parquet")
	require.ErrorContains(t, err, "--replace-foreign")
	_, found, err := FindBackfill(t.Context(), options(objects, "b"), span{10, 20}.filling())
	require.NoError(t, err)
	require.EqualValues(t, 10, found.Gone)
	o := span{5, 10}.filling()
	o.ReplaceForeign = true
	did, err := fill(t.Context(), objects, o, nothing)
	require.NoError(t, err)
	require.EqualValues(t, 6, did.Gone)
	got := ids(t, objects, "t")
	require.Len(t, got, 31)
	require.Equal(t, 1, got[99])
}

// One backfill of a pipeline is open at a time; it can be ended without a trace.
func TestCancelBackfill(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 30))
	before := files(t, objects)
	o := span{5, 22}.filling()
	_, open, err := CancelBackfill(t.Context(), options(objects, "c"), o)
	require.NoError(t, err)
	require.False(t, open)
	b, err := OpenBackfill(t.Context(), options(objects, "b"), o)
	require.NoError(t, err)
	require.NoError(t, stageRows(t.Context(), b, 5, 9))
	_, err = OpenBackfill(t.Context(), options(objects, "other"), span{1, 2}.filling())
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "--cancel")
	staged, err := StagedFiles(t.Context(), store.Sub(objects, "t"), b.c.base.Txns)
	require.NoError(t, err)
	require.Len(t, staged, 2, "a row file and a dead letter file are not garbage")
	in, open, err := CancelBackfill(t.Context(), options(objects, "c"), o)
	require.NoError(t, err)
	require.True(t, open)
	require.Equal(t, o.Command, in.Command)
	_, err = b.Replace(t.Context())
	require.ErrorIs(t, err, ErrFenced)
	requireNoTrace(t, objects)
	require.Equal(t, before, files(t, objects))
	requireFilled(t, objects, span{}, 0, 30, "nothing has changed")
	_, err = fill(t.Context(), objects, span{1, 2}.filling(), nothing)
	require.NoError(t, err)
	requireFilled(t, objects, span{1, 2}, 30, 30, "")
}

// files are the data files that lie in the table and its side table, whether they are named or not.
func files(t testing.TB, objects store.Store) (out []string) {
	for _, table := range []string{"t", "dead"} {
		list, err := objects.List(t.Context(), table, "")
		require.NoError(t, err)
		for _, in := range list {
			out = append(out, in.Name)
		}
	}
	return out
}

// Two processes at the same backfill: one of them ends it, the other one says so, and rows are there once.
func TestTwoBackfills(t *testing.T) {
	for turn := range 4 {
		objects := store.NewMem()
		require.NoError(t, runTo(t.Context(), objects, 30))
		s, n := span{5, 22}, 0
		_, err := fill(t.Context(), objects, s.filling(), func() {
			if n++; n == turn+2 {
				_, err := fill(t.Context(), objects, s.filling(), nothing)
				require.NoError(t, err)
			}
		})
		require.ErrorIs(t, err, ErrFenced, "turn %d", turn)
		requireFilled(t, objects, s, 30, 30, "")
	}
}

// A rewind of the pipeline while a backfill is open takes rows and offsets back: it begins again with what is there then.
func TestBackfillAndRewind(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 30))
	n := 0
	s := span{5, 1000}
	did, err := fill(t.Context(), objects, s.filling(), func() {
		if n++; n == 3 {
			_, err := rewindTo(t, objects, RewindOptions{ToBatch: 4})
			require.NoError(t, err)
			require.NoError(t, runTo(t.Context(), objects, 24))
		}
	})
	require.NoError(t, err)
	require.EqualValues(t, 24-5, did.Rows)
	requireFilled(t, objects, s, 24, 24, "")
}

// A compaction that a pipeline runs leaves the files alone that a backfill goes by, and merges what is younger.
func TestCompactionDuringBackfill(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 33)) // two files wait for a third one
	live, err := Open(t.Context(), options(objects, "live"))
	require.NoError(t, err)
	b, err := OpenBackfill(t.Context(), options(objects, "b"), span{5, 22}.filling())
	require.NoError(t, err)
	old := liveFiles(t, objects)
	for range 12 {
		commitNext(t, live)
	}
	now := map[string]bool{}
	for _, f := range liveFiles(t, objects) {
		now[f.Path] = true
	}
	for _, f := range old {
		require.True(t, now[f.Path], f.Path)
	}
	require.Less(t, len(now), len(old)+12, "younger files are merged")
	require.NoError(t, b.Abandon(t.Context()))
	for range 9 {
		commitNext(t, live)
	}
	for _, f := range liveFiles(t, objects) {
		require.NotContains(t, old, f, "and the old ones when it is over")
	}
}

// At random: a pipeline that commits and compacts, restarts and goes back, another writer that rewrites files, and backfills that die. At the end the rows
// of the ranges are those of a direct computation, and all others as they were.
func TestBackfillRaces(t *testing.T) {
	for seed := range uint64(40) {
		raceBackfill(t, rand.New(rand.NewPCG(seed, 7)), fmt.Sprint("seed ", seed))
	}
}

func raceBackfill(t *testing.T, rng *rand.Rand, msg string) {
	objects := store.NewMem()
	objects.SetClock(func() int64 { return (&clock{}).now().UnixMilli() }) // logs are not cleaned
	require.NoError(t, runTo(t.Context(), objects, 30+3*rng.Int64N(5)))
	live, err := Open(t.Context(), options(objects, "live"))
	require.NoError(t, err)
	s := span{from: rng.Int64N(30)}
	s.until = s.from + 1 + rng.Int64N(60)
	budget := 25 // a backfill that is disturbed for ever begins again for ever
	between := func() {
		for range rng.IntN(4) {
			if budget--; budget < 0 {
				return
			}
			switch rng.IntN(9) {
			case 0:
				live, err = Open(t.Context(), options(objects, "live again"))
				require.NoError(t, err, msg)
			case 1:
				optimize(t, objects, rng)
			case 2:
				rewriteOne(t, objects, rng)
			case 3:
				if rng.IntN(3) > 0 || live.Last().LastBatch < 4 {
					continue
				}
				_, err := rewindTo(t, objects, RewindOptions{ToBatch: live.Last().LastBatch - 1, DiscardForeign: true})
				if !errors.Is(err, ErrRefused) {
					require.NoError(t, err, msg)
				}
				live, err = Open(t.Context(), options(objects, "live after a rewind"))
				require.NoError(t, err, msg)
			default:
				commitNext(t, live)
			}
		}
	}
	var below int64
	for {
		handle := objects.Reopen()
		if budget > 0 && rng.IntN(3) > 0 {
			handle.CrashAfter(rng.IntN(60))
		}
		o := s.again()
		o.ReplaceForeign = true
		plan := o.Plan
		o.Plan = func(g Ground) (Intent, error) {
			in, err := plan(g)
			below = g.Record.Sources["s"].Partitions[part].Next
			return in, err
		}
		_, err := fill(t.Context(), handle, o, between)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, store.ErrCrashed, msg)
	}
	commitNext(t, live)
	requireRows(t, objects, s, below, position(live), msg)
}

// requireRows is requireFilled of the table alone.
func requireRows(t testing.TB, objects store.Store, s span, below, n int64, msg string) {
	want := map[int64]int{}
	for id := range n {
		row := id
		if id >= s.from && id < min(s.until, below) {
			row += again
		}
		want[row] = 1
	}
	require.Equal(t, want, ids(t, objects, "t"), msg)
}

// optimize is another program that merges some files without a look at backfills.
func optimize(t *testing.T, objects store.Store, rng *rand.Rand) {
	d := delta.Open(store.Sub(objects, "t"), func() string { return fmt.Sprint("o", serial.Add(1)) })
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	all, err := d.Files(t.Context(), snap)
	require.NoError(t, err)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	in := all[:min(len(all), 2+rng.IntN(3))]
	out, err := d.MergeFiles(t.Context(), snap, in, "optimized")
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "OPTIMIZE", Remove: in, Add: out})
	require.NoError(t, err)
}

// rewriteOne is another program that writes a file again, as an UPDATE of some of its rows does.
func rewriteOne(t *testing.T, objects store.Store, rng *rand.Rand) {
	d := delta.Open(store.Sub(objects, "t"), func() string { return fmt.Sprint("u", serial.Add(1)) })
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	all, err := d.Files(t.Context(), snap)
	require.NoError(t, err)
	in := all[rng.IntN(len(all)):][:1]
	out, err := d.MergeFiles(t.Context(), snap, in, "updated")
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "UPDATE", DataChange: true, Remove: in, Add: out})
	require.NoError(t, err)
}
