package microbatch_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/planner"
)

// newIdleRig counts the seconds of each partition's rows in windows. An input or partition without rows is idle after 30 seconds, and each
// batch takes longer than that.
func newIdleRig(t *testing.T, objects *store.Mem, perPartition bool) *rig {
	schema := columnar.NewSchema(columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true})
	events := planner.Table{Schema: schema, EventTime: &planner.EventTime{Column: "ts", Delay: 0}}
	r := newRigOf(t, objects, "SELECT window.start AS w, count(*) AS n FROM events GROUP BY window(ts, '10 seconds')", events, planner.Append)
	r.clock.step = 20 * time.Second
	r.q.Trigger, r.q.Limits.RowsPerBatch = microbatch.Trigger{AvailableNow: true}, 10
	r.q.Inputs[0].IdleTimeout, r.q.Inputs[0].PerPartition = 30*time.Second, perPartition
	return r
}

// seconds adds a row for each second from one to another, without the latter, to a partition.
func (r *rig) seconds(partition int32, from, until int64) {
	for s := from; s < until; s++ {
		r.src.Append(partition, fmt.Appendf(nil, `{"ts":%q}`, time.Unix(s, 0).UTC().Format(time.RFC3339)), 0)
	}
}

// run runs to the end and returns how many rows came too late.
func (r *rig) run() (late int64) {
	r.lines = nil
	require.NoError(r.t, microbatch.Run(r.t.Context(), r.q))
	for _, p := range r.lines {
		late += p.LateRows
	}
	return late
}

// closed are the windows of a table from 1970 on, with their counts.
func closed(counts ...int) (out []string) {
	for i, n := range counts {
		out = append(out, fmt.Sprintf(`{"w":%q,"n":%d}`, time.Unix(int64(i)*10, 0).UTC().Format("2006-01-02T15:04:05.000Z"), n))
	}
	return out
}

// A partition with a backlog is not idle, however long it takes to read: the one that is far ahead waits for it, and nothing is late.
func TestNoPartitionIsIdleWithABacklog(t *testing.T) {
	r := newIdleRig(t, store.NewMem(), true)
	r.seconds(0, 1000, 1010)
	r.seconds(1, 0, 200)
	require.Zero(t, r.run())
	require.Equal(t, closed(slices.Repeat([]int{10}, 19)...), r.table())
	whole := newIdleRig(t, store.NewMem(), false)
	whole.seconds(0, 1000, 1010)
	whole.seconds(1, 0, 200)
	require.Positive(t, whole.run(), "by the input's own watermark the partition ahead makes the others late")
}

// A partition that has had nothing to read for so long holds the others no longer.
func TestIdlePartition(t *testing.T) {
	r := newIdleRig(t, store.NewMem(), true)
	r.seconds(0, 0, 100)
	r.seconds(1, 0, 10)
	require.Zero(t, r.run())
	require.Equal(t, closed(append([]int{20}, slices.Repeat([]int{10}, 8)...)...), r.table())
}

// A bounded run reads to the ends that it found. What comes to a partition meanwhile is its backlog, though this run leaves it to the next.
func TestNoPartitionIsIdleThatGoesOnAfterABoundedRun(t *testing.T) {
	r := newIdleRig(t, store.NewMem(), true)
	r.seconds(0, 0, 100)
	r.seconds(1, 0, 10)
	report := r.q.OnProgress
	r.q.OnProgress = func(p microbatch.Progress) {
		report(p)
		if p.BatchID == 2 {
			r.seconds(1, 10, 100)
		}
	}
	require.Zero(t, r.run())
	require.Zero(t, r.run(), "the rest of the partition")
	require.Equal(t, closed(slices.Repeat([]int{20}, 9)...), r.table())
}

// After a day's rest a partition with a backlog is not idle either.
func TestNoPartitionIsIdleAfterARest(t *testing.T) {
	r := newIdleRig(t, store.NewMem(), true)
	r.seconds(0, 0, 50)
	r.seconds(1, 0, 50)
	require.Zero(t, r.run())
	r.seconds(0, 50, 200)
	r.seconds(1, 50, 200)
	again := newIdleRig(t, r.objects, true)
	again.src, again.q.Inputs[0].Source = r.src, r.src
	again.clock.now = r.clock.now.Add(24 * time.Hour)
	require.Zero(t, again.run())
	require.Equal(t, closed(slices.Repeat([]int{20}, 19)...), again.table())
}
