package delta_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/lakehouse"
	table "github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/delta"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/internal/sourcetest"
	"github.com/lakewheel/lakewheel/offsets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var want = sourcetest.Want

// rig is a query over a Delta table in memory.
type rig struct {
	*sourcetest.Rig
	in   *store.Mem
	t    *table.Table
	snap lakehouse.Snapshot
	c    delta.Config
	most int64 // files a batch
	ids  int
}

func newRig(t testing.TB) *rig {
	r := &rig{Rig: sourcetest.New(t), in: store.NewMem()}
	r.Format = "parquet"
	r.t = table.Open(r.in, func() string { r.ids++; return fmt.Sprint("id", r.ids) })
	r.snap.Version = -1
	r.Source = func(plan *exec.Pipeline, log *slog.Logger) source.Source {
		c := r.c
		c.Name, c.Table, c.Declared, c.Columns, c.Log = "events", table.Open(r.in, nil), r.Schema, plan.Reads(), log
		return files.New(files.Config{Name: "events", Kind: "delta", Feed: delta.NewFeed(c), MaxFiles: r.most, SkipLoss: r.SkipLoss, Now: r.Clock.Now, Log: log})
	}
	return r
}

// stage writes a data file with the ids [from, until).
func (r *rig) stage(from, until int) []lakehouse.DataFile {
	w, err := r.t.Stage(context.Background(), r.Schema, lakehouse.WriteOptions{Prefix: "part"})
	require.NoError(r, err)
	require.NoError(r, w.Write(context.Background(), 0, sourcetest.Rows(r, from, until)))
	list, err := w.Finish(context.Background())
	require.NoError(r, err)
	return list
}

func (r *rig) commit(c lakehouse.Change) {
	c.Time = r.Clock.Now().UnixMilli()
	if r.snap.Version < 0 {
		c.Create = &lakehouse.Creation{ID: "a-table", Schema: r.Schema}
	}
	var err error
	r.snap, err = r.t.Commit(context.Background(), r.snap, c)
	require.NoError(r, err)
}

// add commits rows with the ids [from, until).
func (r *rig) add(from, until int) []lakehouse.DataFile {
	list := r.stage(from, until)
	r.commit(lakehouse.Change{Add: list, DataChange: true, Operation: "WRITE"})
	return list
}

// The rows of the start, then those of each version, over restarts.
func TestVersionsAreBatches(t *testing.T) {
	for name, limits := range map[string]struct {
		most int64
		rows int64
	}{"all at once": {}, "a file a batch": {most: 1}, "some bytes a batch": {rows: 3}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.most, r.Limits.RowsPerBatch = limits.most, limits.rows
			r.add(0, 5)
			r.add(5, 9)
			require.NoError(t, r.Run())
			require.Equal(t, want(0, 9), r.Rows("t"))
			for i := range 4 {
				r.add(9+i, 10+i)
				if i%2 == 1 {
					require.NoError(t, r.Run())
				}
			}
			require.Equal(t, want(0, 13), r.Rows("t"))
			batches := len(r.Lines)
			require.NoError(t, r.Run())
			require.Len(t, r.Lines, batches)
		})
	}
}

// A crash after any write, and a start again: every row once.
func TestCrashesAtEveryWrite(t *testing.T) {
	for k, crashed := 0, true; crashed; k++ {
		r := newRig(t)
		r.most = 1
		for i := range 3 {
			r.add(10*i, 10*i+10)
		}
		r.Out.CrashAfter(k)
		crashed = r.Run() != nil
		r.add(30, 40)
		r.Out = r.Out.Reopen()
		require.NoError(t, r.Run(), "crash after write %d", k)
		require.Equal(t, want(0, 40), r.Rows("t"), "crash after write %d", k)
	}
}

// Where a first start begins. The table has versions 0 to 3 with ten rows each.
func TestStarts(t *testing.T) {
	times := []time.Time{}
	prepare := func() *rig {
		r := newRig(t)
		times = times[:0]
		for i := range 4 {
			r.add(10*i, 10*i+10)
			times = append(times, r.Clock.Now())
		}
		return r
	}
	prepare()
	for name, c := range map[string]struct {
		start delta.Start
		want  []string
		err   string
	}{
		"the newest version": {delta.Start{}, want(0, 50), ""},
		"the oldest":         {delta.Start{Kind: delta.Earliest}, want(0, 50), ""},
		"what comes":         {delta.Start{Kind: delta.Latest}, want(40, 50), ""},
		"a version":          {delta.Start{Kind: delta.AtVersion, Version: 2}, want(0, 50), ""},
		"no version yet":     {delta.Start{Kind: delta.AtVersion, Version: 9}, nil, "start.version: the newest version of memory is 3, there is no version 9 yet"},
		"a time":             {delta.Start{Kind: delta.AtTime, Time: times[1]}, want(0, 50), ""},
		"a time to come":     {delta.Start{Kind: delta.AtTime, Time: times[3].Add(time.Hour)}, want(0, 50), ""},
		"a time before":      {delta.Start{Kind: delta.AtTime, Time: times[0].Add(-time.Hour)}, nil, "start.time 2023-11-14T21:13:20Z: table memory: no version is as old as that; the first one is 0 (start: earliest)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := prepare()
			r.c.Start = c.start
			err := r.Run()
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			r.add(40, 50)
			require.NoError(t, r.Run())
			require.Equal(t, c.want, r.Rows("t"))
		})
	}
}

// A start at a version reads that version as it was, also where its files have gone from the table since.
func TestTheStartIsTheTableAsItWas(t *testing.T) {
	r := newRig(t)
	first := r.add(0, 5)
	r.commit(lakehouse.Change{Remove: first, Add: r.stage(100, 105), DataChange: true, Operation: "OVERWRITE"})
	r.c.Start, r.c.SkipChanges = delta.Start{Kind: delta.AtVersion, Version: 0}, true
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 5), r.Rows("t"))
	require.Contains(t, r.Logged.String(), "is left out (on_change: skip)")
	r = newRig(t)
	first = r.add(0, 5)
	r.commit(lakehouse.Change{Remove: first, Add: r.stage(100, 105), DataChange: true, Operation: "OVERWRITE"})
	require.NoError(t, r.Run())
	require.Equal(t, want(100, 105), r.Rows("t"))
}

// What only moves rows is no row of the stream; what deletes or changes rows ends the run, unless it is skipped.
func TestVersionsThatAreNoRows(t *testing.T) {
	r := newRig(t)
	a, b := r.add(0, 5), r.add(5, 10)
	require.NoError(t, r.Run())
	r.commit(lakehouse.Change{Remove: append(a, b...), Add: r.stage(0, 10), Operation: "OPTIMIZE"})
	c := r.add(10, 12)
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 12), r.Rows("t"))
	r.commit(lakehouse.Change{Remove: c, DataChange: true, Operation: "DELETE"})
	r.add(12, 14)
	require.ErrorContains(t, r.Run(), "source events: version 4 of memory deleted or changed rows (DELETE), and a stream only takes rows in: leave such versions out with on_change: skip, or read the table as a whole")
	require.Equal(t, want(0, 12), r.Rows("t"))
	r.c.SkipChanges = true
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 14), r.Rows("t"))
}

// A log that was cleaned beyond the position is data loss.
func TestCleanedLogs(t *testing.T) {
	r := newRig(t)
	r.add(0, 5)
	require.NoError(t, r.Run())
	for i := range 110 {
		r.add(5+i, 6+i)
		require.NoError(t, r.t.Maintain(context.Background(), r.snap, r.Clock.Now().UnixMilli()))
	}
	for v := range 15 {
		require.NoError(t, r.in.Delete(context.Background(), fmt.Sprintf("_delta_log/%020d.json", v)))
	}
	err := r.Run()
	require.ErrorIs(t, err, source.ErrDataLoss)
	require.ErrorContains(t, err, "source events: data loss: table memory: the log was cleaned: version 1 is gone")
	require.Equal(t, want(0, 5), r.Rows("t"))
}

// Files that a vacuum took before they were read are data loss.
func TestVacuumedFiles(t *testing.T) {
	r := newRig(t)
	gone := r.add(0, 5)
	require.NoError(t, r.in.Delete(context.Background(), gone[0].Path))
	err := r.Run()
	require.ErrorIs(t, err, source.ErrDataLoss)
	require.ErrorContains(t, err, "the file has vanished since it was listed")
}

// They can be stepped over, however many there are, and wherever they stand among those that are there.
func TestVacuumedFilesAreSteppedOver(t *testing.T) {
	for _, most := range []int64{0, 1} {
		r := newRig(t)
		r.SkipLoss, r.most = true, most
		r.add(0, 1)
		require.NoError(t, r.Run())
		for i := 1; i < 10; i++ {
			if list := r.add(i, i+1); i != 4 && i != 8 {
				require.NoError(t, r.in.Delete(context.Background(), list[0].Path))
			}
		}
		require.NoError(t, r.Run())
		require.Equal(t, []string{want(0, 1)[0], want(4, 5)[0], want(8, 9)[0]}, r.Rows("t"), "%d files a batch", most)
		r.add(10, 11)
		require.NoError(t, r.Run())
		require.Len(t, r.Rows("t"), 4)
	}
}

// Columns that come are NULL before; columns that change are told.
func TestSchemaChanges(t *testing.T) {
	r := newRig(t)
	r.add(0, 2)
	require.NoError(t, r.Run())
	wider := sourcetest.Schema(t, "id BIGINT, name STRING, x BIGINT")
	r.commit(lakehouse.Change{Schema: wider, DataChange: true, Operation: "ADD COLUMNS"})
	r.add(2, 4)
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 4), r.Rows("t"))
	r = newRig(t)
	r.add(0, 2)
	r.commit(lakehouse.Change{Schema: wider, DataChange: true, Operation: "ADD COLUMNS"})
	r.Schema, r.Query, r.c.Start = wider, "SELECT id, x FROM events", delta.Start{Kind: delta.Earliest}
	require.NoError(t, r.Run())
	require.Equal(t, []string{`{"id":0,"x":null}`, `{"id":1,"x":null}`}, r.Rows("t"))
	r = newRig(t)
	r.add(0, 2)
	r.Schema = sourcetest.Schema(t, "id STRING, name STRING")
	require.ErrorContains(t, r.Run(), "version 0 of memory has column id as BIGINT, and the query was planned with STRING: look at the query, then start again")
}

// A query of all columns takes no row in without a column that came while it ran, and has it after a start.
func TestAllColumns(t *testing.T) {
	r := newRig(t)
	r.c.TakesNew = true
	r.add(0, 2)
	q := r.Build()
	wider := sourcetest.Schema(t, "id BIGINT, name STRING, x BIGINT")
	_, err := q.Inputs[0].Source.Available(t.Context(), offsets.Progress{Identity: map[string]string{}, Partitions: offsets.Marks{}})
	require.NoError(t, err)
	r.commit(lakehouse.Change{Schema: wider, DataChange: true, Operation: "ADD COLUMNS"})
	r.Clock.Move(time.Minute)
	_, err = q.Inputs[0].Source.Available(t.Context(), offsets.Progress{Kind: "delta", Identity: map[string]string{}, Partitions: offsets.Marks{}})
	require.ErrorContains(t, err, "version 1 of memory came with column x, which the query takes by its *: start again, and it is there")
	require.NoError(t, r.Run(), "a start after it has planned with it, or with what was declared")
}

// Another table in the same place is not gone on with.
func TestAnotherTable(t *testing.T) {
	r := newRig(t)
	r.add(0, 2)
	r.add(2, 4)
	require.NoError(t, r.Run())
	require.NoError(t, r.in.Walk(context.Background(), "", func(in store.Info) error { return r.in.Delete(context.Background(), in.Name) }))
	require.ErrorContains(t, r.Run(), "another table is in its place: there is none any more, and its version 1 was read")
	r.t, r.snap = table.Open(r.in, func() string { r.ids++; return fmt.Sprint("id", r.ids) }), lakehouse.Snapshot{Version: -1}
	for versions := range 3 {
		w := r.stage(0, 9)
		c := lakehouse.Change{Add: w, DataChange: true, Operation: "WRITE", Time: r.Clock.Now().UnixMilli()}
		if r.snap.Version < 0 {
			c.Create = &lakehouse.Creation{ID: "another", Schema: r.Schema}
		}
		var err error
		r.snap, err = r.t.Commit(context.Background(), r.snap, c)
		require.NoError(t, err)
		err = r.Run()
		require.ErrorIs(t, err, source.ErrDataLoss)
		require.ErrorContains(t, err, map[bool]string{true: "another table is in its place: its newest version is 0, and version 1 was read",
			false: "the table in memory is another one now (id another, not a-table)"}[versions == 0], "%d newer versions", versions)
	}
}

// There has to be a table.
func TestNoTable(t *testing.T) {
	require.ErrorContains(t, newRig(t).Run(), "source events: there is no Delta table in memory: correct path, or make the table first")
}

// Partition columns, and rows that a filter leaves out with their row groups.
func TestPartitionedTables(t *testing.T) {
	r := newRig(t)
	w, err := r.t.Stage(context.Background(), r.Schema, lakehouse.WriteOptions{Prefix: "part", PartitionBy: []string{"name"}})
	require.NoError(t, err)
	require.NoError(t, w.Write(context.Background(), 0, sourcetest.Rows(t, 0, 4)))
	list, err := w.Finish(context.Background())
	require.NoError(t, err)
	r.snap, err = r.t.Commit(context.Background(), r.snap, lakehouse.Change{Add: list, DataChange: true, Create: &lakehouse.Creation{ID: "a", Schema: r.Schema, PartitionBy: []string{"name"}}})
	require.NoError(t, err)
	r.Query = "SELECT id, name FROM events WHERE id >= 2"
	require.NoError(t, r.Run())
	require.Equal(t, want(2, 4), r.Rows("t"))
}
