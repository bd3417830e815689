package microbatch_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
)

// spans are the batches of a run with how many rows each has, and what limited it.
func (r *rig) spans() (out []string) {
	for _, p := range r.lines {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s", p.NumInputRows, p.LimitedBy)))
	}
	return out
}

// catchUp drains what is there.
func (r *rig) catchUp(l microbatch.Limits) []string {
	l.Workers = 2
	r.q.Trigger, r.q.Limits = microbatch.Trigger{AvailableNow: true}, l
	require.NoError(r.t, microbatch.Run(r.t.Context(), r.q))
	return r.spans()
}

// How a backlog of 100 rows in one partition and 10 in another is cut.
func TestLimitsCutBatches(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits microbatch.Limits
		want   []string
	}{
		{"no limits", microbatch.Limits{}, []string{"110"}},
		{"rows", microbatch.Limits{RowsPerBatch: 55}, []string{"55 rows", "55"}},
		{"rows of a partition", microbatch.Limits{RowsPerPartition: 40}, []string{"50 rows", "40 rows", "20"}},
		{"both", microbatch.Limits{RowsPerBatch: 50, RowsPerPartition: 40}, []string{"50 rows", "40 rows", "20"}},
		{"no minimum in a bounded run", microbatch.Limits{MinRows: 1000, MaxDelay: time.Hour}, []string{"110"}},
	} {
		r := newRig(t, store.NewMem())
		r.add(100, "")
		for i := range 10 {
			r.src.Append(1, fmt.Appendf(nil, `{"id":%d}`, i), 0)
		}
		require.Equal(t, c.want, r.catchUp(c.limits), c.name)
		require.Equal(t, 110, r.rows(), c.name)
	}
}

// Bytes are estimated: 4 KiB a row at first, then by what was read. One record of a megabyte among small ones makes
// the batches after it short, for a while.
func TestBytesPerBatch(t *testing.T) {
	r := newRig(t, store.NewMem())
	pad := func(n int) string { return `{"id":1,"pad":"` + strings.Repeat("x", n) + `"}` }
	r.add(5000, pad(200))
	r.add(1, pad(1<<20))
	r.add(10_000, pad(200))
	spans := r.catchUp(microbatch.Limits{BytesPerBatch: 400 << 10})
	require.Equal(t, "100 bytes", spans[0])
	require.Equal(t, 15_001, r.rows())
	large := slices.IndexFunc(r.lines, func(p microbatch.Progress) bool { return p.NumInputBytes > 1<<20 })
	for i, p := range r.lines {
		require.True(t, i == large || p.NumInputBytes <= 500<<10, "%v", spans)
	}
	require.Less(t, r.lines[large+1].NumInputRows, r.lines[large].NumInputRows/2, "%v", spans)
	require.Less(t, len(spans), 25, "and then they grow again: %v", spans)
}

// A batch waits for its minimum, but not beyond the delay; the first one of a run does not wait.
func TestMinRows(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.clock.now = r.clock.now.Truncate(time.Second)
	r.q.Limits.MinRows, r.q.Limits.MaxDelay = 10, 5*time.Second
	r.add(1, "")
	ticks := 0
	r.clock.tick = func(time.Time) {
		switch ticks++; {
		case ticks == 3:
			r.add(7, "") // with those before, the minimum
		case ticks < 5:
			r.add(2, "")
		case ticks == 5:
			r.add(3, "") // fewer, and no more come
		case ticks == 14:
			close(r.stop)
			time.Sleep(10 * time.Millisecond)
		}
	}
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	var told []string
	for _, p := range r.lines {
		told = append(told, p.Timestamp[17:19]+": "+strings.TrimSpace(fmt.Sprintf("%d %s", p.NumInputRows, p.LimitedBy)))
	}
	require.Equal(t, []string{"20: 1", "23: 11", "28: 5 delay"}, told)
}

// slowSink takes its time for a commit.
type slowSink struct{ microbatch.Sink }

func (s slowSink) Commit(ctx context.Context, b committer.Batch, out microbatch.Output) (committer.Result, error) {
	time.Sleep(30 * time.Millisecond)
	return s.Sink.Commit(ctx, b, out)
}

// A sink that is slower than the batches is named, with the time that was waited for it.
func TestSlowSink(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.q.Sink, r.q.Clock, r.q.Commit.Interval = slowSink{r.q.Sink}, microbatch.SystemClock{}, 0
	r.add(100, "")
	spans := r.catchUp(microbatch.Limits{RowsPerBatch: 20})
	require.Contains(t, spans, "20 commit")
	require.Greater(t, r.lines[2].DurationMs["waitCommit"], int64(10))
}

// Adaptive batches have what is processed in a second, where the trigger has no interval: the clock moves by half a second whenever it is looked at, so
// a thousand rows take too long.
func TestAdaptive(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.clock.step, r.q.Commit.Interval = 500*time.Millisecond, time.Hour
	r.add(4000, "")
	spans := r.catchUp(microbatch.Limits{RowsPerBatch: 1000, Adaptive: true})
	require.Equal(t, "1000 rows", spans[0])
	require.Equal(t, 4000, r.rows())
	require.Contains(t, strings.Join(spans, "\n"), "rate")
}
