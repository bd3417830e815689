package delta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// A checkpoint is an optimisation: whatever is wrong with one, or with the hint, the table is the same as long as the entries are there.
func TestBadCheckpoints(t *testing.T) {
	ctx := context.Background()
	hint := func(text string) func(m *store.Mem) {
		return func(m *store.Mem) { _ = m.Put(ctx, lastCheckpointName, []byte(text)) }
	}
	for name, damage := range map[string]func(m *store.Mem){
		"none":                        func(*store.Mem) {},
		"no hint":                     func(m *store.Mem) { _ = m.Delete(ctx, lastCheckpointName) },
		"hint is no JSON":             hint("{"),
		"hint is older":               hint(`{"version":100,"size":1}`),
		"hint names a missing one":    hint(`{"version":150,"size":1}`),
		"hint is beyond the log":      hint(`{"version":100000,"size":1}`),
		"hint is negative":            hint(`{"version":-3,"size":1}`),
		"the newest is cut":           func(m *store.Mem) { cut(t, m, checkpointName(200)) },
		"both are cut":                func(m *store.Mem) { cut(t, m, checkpointName(200)); cut(t, m, checkpointName(100)) },
		"the newest is gone":          func(m *store.Mem) { _ = m.Delete(ctx, checkpointName(200)) },
		"the newest is of half a set": func(m *store.Mem) { half(t, m) },
		"a stranger's file":           func(m *store.Mem) { _ = m.Put(ctx, logFolder+"/00000000000000000300.checkpoint.parquet.tmp", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			objects := store.NewMem()
			objects.SetClock(func() int64 { return 1_700_000_000_000 }) // no entry is old
			want := create(t, open(objects), 230)
			damage(objects)
			got, err := open(objects).replaySnapshot(ctx)
			require.NoError(t, err)
			require.Equal(t, want, got)
			n, _ := rows(t, open(objects), got)
			require.Equal(t, 230, n)
		})
	}
}

func cut(t *testing.T, m *store.Mem, name string) {
	body, _, err := m.Get(context.Background(), name)
	require.NoError(t, err)
	require.NoError(t, m.Put(context.Background(), name, body[:len(body)/2]))
}

func half(t *testing.T, m *store.Mem) {
	body, _, err := m.Get(context.Background(), checkpointName(200))
	require.NoError(t, err)
	require.NoError(t, m.Put(context.Background(), fmt.Sprintf("%s/%020d.checkpoint.%010d.%010d.parquet", logFolder, 220, 1, 2), body))
}

// Entries that are gone need a checkpoint that can be read; without one the error says what is missing.
func TestLostEntries(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	objects.SetClock(func() int64 { return 1_700_000_000_000 })
	want := create(t, open(objects), 130)
	for v := range int64(100) {
		require.NoError(t, objects.Delete(ctx, entryName(v)))
	}
	got, err := open(objects).replaySnapshot(ctx)
	require.NoError(t, err)
	require.Equal(t, want, got)
	cut(t, objects, checkpointName(100))
	_, err = open(objects).replaySnapshot(ctx)
	require.ErrorContains(t, err, "version 0 is missing, 100 is there")
	require.ErrorContains(t, err, checkpointName(100))
}

// A restart reads no statistics, and lists the log from the newest checkpoint on.
func TestRestartIsCheap(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	create(t, open(objects), 205)
	reads := map[store.Op]int{}
	objects.Inject(func(_ int, op store.Op, _ string) (store.Outcome, error) { reads[op]++; return store.Normal, nil })
	_, err := open(objects).replaySnapshot(ctx)
	require.NoError(t, err)
	require.Equal(t, map[store.Op]int{store.OpGet: 1 + 4, store.OpList: 1, store.OpOpen: 1}, reads, "the hint, four entries, one checkpoint")
	clear(reads)
	_, err = open(objects).Snapshot(ctx)
	require.NoError(t, err)
	require.Equal(t, map[store.Op]int{store.OpGet: 1 + 1, store.OpList: 1}, reads, "the hint and one entry, which has a note")
}

// Any read that fails fails the snapshot: a table is never taken for an older or an empty one.
func TestSnapshotFailsWithItsReads(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	want := create(t, open(objects), 105)
	boom := errors.New("boom")
	for i := 0; ; i++ {
		handle := objects.Reopen()
		handle.FailAt(i, boom)
		got, err := open(handle).replaySnapshot(ctx)
		if handle.Ops() <= i {
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Greater(t, i, 5)
			return
		}
		require.ErrorIs(t, err, boom)
	}
}

// Crashes anywhere in commits, checkpoints and clean-up leave the table as of the last commit that was put.
func TestCrashes(t *testing.T) {
	ctx := context.Background()
	const commits = 9
	var now int64
	clock := func() int64 { return now }
	for k := 0; ; k++ {
		objects := store.NewMem()
		objects.SetClock(clock)
		now = 1_700_000_000_000
		objects.CrashAfter(k)
		done := int64(-1)
		for i := range int64(commits) {
			if err := step(ctx, objects, i, now); err != nil {
				require.ErrorIs(t, err, store.ErrCrashed)
				break
			}
			done = i
			now += 40 * 24 * 3600 * 1000 // the next checkpoint cleans what lies before it
		}
		again := open(objects.Reopen())
		snap, err := again.Snapshot(ctx)
		require.NoError(t, err)
		require.GreaterOrEqual(t, snap.Version, done)
		require.LessOrEqual(t, snap.Version, done+1)
		n, sum := rows(t, again, snap)
		require.EqualValues(t, snap.Version+1, n)
		require.EqualValues(t, (snap.Version+1)*snap.Version/2, sum)
		if !objects.Crashed() {
			require.Greater(t, k, 3*commits)
			return
		}
	}
}

// step is what one process does in its life: open the table, add a row, do the chores.
func step(ctx context.Context, objects *store.Mem, i, now int64) error {
	tab := Open(objects, func() string { return fmt.Sprint("id", i) })
	snap, err := tab.Snapshot(ctx)
	if err != nil {
		return err
	}
	w, err := tab.Stage(ctx, schema, lakehouse.WriteOptions{Prefix: "part"})
	if err != nil {
		return err
	}
	b := row(i)
	defer b.Release()
	if err := w.Write(ctx, 0, b); err != nil {
		return err
	}
	files, err := w.Finish(ctx)
	if err != nil {
		return err
	}
	c := change(i, files)
	if i == 0 {
		c.Create = &lakehouse.Creation{ID: "x", Schema: schema, Properties: map[string]string{"delta.checkpointInterval": "2"}}
	}
	if snap, err = tab.Commit(ctx, snap, c); err != nil {
		return err
	}
	return tab.Maintain(ctx, snap, now)
}

// Clean-up lists the log, so it rests for an hour after it was done, and it can be switched off.
func TestCleanupRestsAndStops(t *testing.T) {
	ctx := context.Background()
	for _, off := range []bool{false, true} {
		objects := store.NewMem()
		tab := open(objects)
		snap := create(t, tab, 5)
		snap.Properties = map[string]string{"delta.checkpointInterval": "1"}
		if off {
			snap.Properties["delta.enableExpiredLogCleanup"] = "False"
		}
		now := int64(1_800_000_000_000)
		lists := 0
		objects.Inject(func(_ int, op store.Op, name string) (store.Outcome, error) {
			if op == store.OpDelete {
				lists++
			}
			return store.Normal, nil
		})
		deleted := func(at int64) int {
			lists = 0
			require.NoError(t, tab.cleanLog(ctx, snap, at))
			return lists
		}
		require.NoError(t, tab.checkpoint(ctx, snap, now))
		if off {
			require.Zero(t, deleted(now))
			continue
		}
		require.Equal(t, 4, deleted(now))
		require.NoError(t, objects.Put(ctx, entryName(2), nil))
		require.Zero(t, deleted(now+1000))
		require.Equal(t, 1, deleted(now+cleanEvery.Milliseconds()))
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{"interval 30 days": "720h0m0s", "INTERVAL 1 week": "168h0m0s", "2 hours": "2h0m0s", "interval 90 seconds": "1m30s",
		"": "1ns", "interval 1 month": "1ns", "interval -1 days": "1ns", "interval x days": "1ns", "interval 1 day 2 hours": "1ns", "interval 99999999999 days": "1ns"} {
		require.Equal(t, want, duration(text, 1).String(), text)
	}
}

func FuzzParseCheckpoint(f *testing.F) {
	for _, name := range []string{"testdata/ours/_delta_log/00000000000000000002.checkpoint.parquet", "testdata/delta-rs/_delta_log/00000000000000000002.checkpoint.parquet",
		"testdata/two-parts/_delta_log/00000000000000000002.checkpoint.0000000001.0000000002.parquet"} {
		body, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Fuzz(func(_ *testing.T, body []byte) {
		s := newState()
		if parseCheckpoint(bytesReader{bytes.NewReader(body)}, everything, func(a []action) { s.apply(1, a) }) == nil {
			_, _ = s.snapshot()
		}
	})
}

type bytesReader struct{ *bytes.Reader }

func (bytesReader) Close() error { return nil }

// BenchmarkSnapshot restarts on a table with 10,000 files and a checkpoint.
func BenchmarkSnapshot(b *testing.B) {
	ctx := context.Background()
	objects := store.NewMem()
	tab := open(objects)
	snap, err := tab.Snapshot(ctx)
	require.NoError(b, err)
	c := change(0, nil)
	c.Create = &lakehouse.Creation{ID: "x", Schema: schema}
	for i := range 10_000 {
		c.Add = append(c.Add, lakehouse.DataFile{Path: fmt.Sprintf("part-%08d.parquet", i), Bytes: 1, Stats: `{"numRecords":1,"minValues":{"n":1,"s":"a"},"maxValues":{"n":1,"s":"a"},"nullCount":{"n":0,"s":0}}`})
	}
	snap, err = tab.Commit(ctx, snap, c)
	require.NoError(b, err)
	require.NoError(b, tab.checkpoint(ctx, snap, 0))
	b.ReportAllocs()
	for b.Loop() {
		_, err := open(objects).replaySnapshot(ctx)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(snap.Files*b.N)/b.Elapsed().Seconds(), "files/s")
}
