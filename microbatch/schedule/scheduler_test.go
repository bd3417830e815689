package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/offsets"
)

// bench is a scheduler in a bubble where time passes when nothing else happens. The bubble's time begins at midnight, 2000-01-01 UTC.
type bench struct {
	*Scheduler
	log  bytes.Buffer
	stop chan struct{}
	mu   sync.Mutex
	runs map[string][]time.Time // starts, by job
	busy int
	most int
}

func newBench() *bench {
	b := &bench{stop: make(chan struct{}), runs: map[string][]time.Time{}}
	b.Scheduler = &Scheduler{Clock: microbatch.SystemClock{}, Log: slog.New(slog.NewTextHandler(&b.log, nil)), Parallel: 2, Pause: Pause{First: 30 * time.Second, Longest: time.Hour}}
	return b
}

// add adds a job whose n-th run, from 0, takes so long and ends so.
func (b *bench) add(t *testing.T, name, cron string, newest time.Time, run func(n int) (time.Duration, error)) {
	table, err := Parse(cron, time.UTC, 0, name)
	require.NoError(t, err)
	b.Jobs = append(b.Jobs, Job{Name: name, Times: table, Last: func(context.Context) (time.Time, error) { return newest, nil },
		Run: func(ctx context.Context, stop <-chan struct{}) (Outcome, error) {
			n := b.began(name)
			defer b.over()
			took, err := run(n)
			select {
			case <-time.After(took):
			case <-stop:
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{Batches: 1}, nil
		}})
}

func (b *bench) began(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[name] = append(b.runs[name], time.Now())
	b.busy++
	b.most = max(b.most, b.busy)
	return len(b.runs[name]) - 1
}

func (b *bench) over() { b.mu.Lock(); b.busy--; b.mu.Unlock() }

func (b *bench) Run(ctx context.Context) error { return b.Scheduler.Run(ctx, b.stop) }

// until runs the scheduler for so long and stops it.
func (b *bench) until(t *testing.T, d time.Duration) {
	time.AfterFunc(d, func() { close(b.stop) })
	require.NoError(t, b.Run(t.Context()))
}

func quick(int) (time.Duration, error) { return time.Millisecond, nil }

func clock(times []time.Time) (out []string) {
	for _, at := range times {
		out = append(out, at.UTC().Format("15:04:05"))
	}
	return out
}

// A day of quarters of an hour takes milliseconds.
func TestADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.add(t, "p", "*/15 * * * *", time.Time{}, quick)
		b.until(t, 24*time.Hour+time.Second)
		require.Len(t, b.runs["p"], 96)
		require.Equal(t, []string{"00:15:00", "00:30:00"}, clock(b.runs["p"][:2]))
	})
}

// When a job runs, by what came before.
func TestRuns(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, cron string
		newest     time.Time // of the table
		run        func(int) (time.Duration, error)
		hours      int
		want       []string
	}{
		{"a new pipeline waits for its first time", "0 1 * * *", time.Time{}, quick, 2, []string{"01:00:00"}},
		{"a scheduler that was down over ten times makes one run", "*/15 * * * *", start.Add(-150*time.Minute - 1), quick, 0, []string{"00:00:00", "00:15:00"}},
		{"nothing was missed", "0 * * * *", start.Add(-time.Minute), quick, 1, []string{"00:00:00", "01:00:00"}},
		{"a commit at the time itself serves it", "0 * * * *", start, quick, 1, []string{"01:00:00"}},
		{"a commit from the future holds nothing up", "0 * * * *", start.Add(48 * time.Hour), quick, 1, []string{"01:00:00"}},
		{"a run over three times makes one more", "*/15 * * * *", start, func(n int) (time.Duration, error) { return time.Duration(50-50*min(n, 1)) * time.Minute, nil }, 1,
			[]string{"00:15:00", "01:05:00", "01:15:00"}},
		{"after a failure the pause counts, not the timetable", "0 * * * *", start.Add(-time.Minute), func(n int) (time.Duration, error) {
			if n < 3 {
				return 0, errors.New("no")
			}
			return 0, nil
		}, 1, []string{"00:00:00", "00:00:30", "00:01:30", "00:03:30", "01:00:00"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench()
				b.add(t, "p", c.cron, c.newest, c.run)
				b.until(t, time.Duration(c.hours)*time.Hour+16*time.Minute)
				require.Equal(t, c.want, clock(b.runs["p"]))
			})
		})
	}
}

// The pause doubles up to its longest.
func TestPause(t *testing.T) {
	p := Pause{First: 30 * time.Second, Longest: time.Hour}
	for failures, want := range map[int]time.Duration{1: 30 * time.Second, 2: time.Minute, 3: 2 * time.Minute, 7: 32 * time.Minute, 8: time.Hour, 1000: time.Hour} {
		require.Equal(t, want, p.After(failures), "%d failures", failures)
	}
}

// One that fails stops no other, and room is shared.
func TestManyJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		for i := range 10 {
			b.add(t, fmt.Sprint("ok", i), "*/5 * * * *", time.Time{}, func(int) (time.Duration, error) { return 10 * time.Second, nil })
		}
		b.add(t, "bad", "*/5 * * * *", time.Time{}, func(int) (time.Duration, error) { return 0, errors.New("no") })
		b.until(t, time.Hour+time.Minute)
		for i := range 10 {
			require.Len(t, b.runs[fmt.Sprint("ok", i)], 12)
		}
		require.Equal(t, 2, b.most)
		require.Greater(t, len(b.runs["bad"]), 4)
	})
}

// A table that cannot be read is asked again after a pause, and times that passed meanwhile are not lost.
func TestTheLookFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.add(t, "p", "0 * * * *", time.Time{}, quick)
		tries := 0
		b.Jobs[0].Last = func(context.Context) (time.Time, error) {
			if tries++; tries < 3 {
				return time.Time{}, errors.New("no store")
			}
			return time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC), nil
		}
		b.until(t, 10*time.Minute)
		require.Equal(t, []string{"00:01:30"}, clock(b.runs["p"]))
	})
}

// A fenced job ends in this process; when all have, so does the scheduler, with the error.
func TestFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		fenced := func(after int) func(int) (time.Duration, error) {
			return func(n int) (time.Duration, error) {
				if n == after {
					return 0, fmt.Errorf("%w: host b took over", committer.ErrFenced)
				}
				return 0, nil
			}
		}
		b.add(t, "first", "* * * * *", time.Time{}, fenced(0))
		b.add(t, "second", "* * * * *", time.Time{}, fenced(3))
		require.ErrorIs(t, b.Run(t.Context()), committer.ErrFenced)
		require.Len(t, b.runs["first"], 1)
		require.Len(t, b.runs["second"], 4)
		require.Contains(t, b.log.String(), "this process no longer runs the pipeline: fenced by another writer: host b took over")
		require.Error(t, b.Status()[0].Ended)
	})
}

// A stop lets runs end, and starts no more; the end of the context is theirs, too.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.add(t, "long", "* * * * *", time.Time{}, func(int) (time.Duration, error) { return time.Hour, nil })
		b.until(t, 90*time.Second)
		require.Len(t, b.runs["long"], 1)
		require.Equal(t, int64(1), b.Status()[0].Last.Batches)

		b = newBench()
		b.add(t, "long", "* * * * *", time.Time{}, func(int) (time.Duration, error) { return time.Hour, nil })
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		require.ErrorIs(t, b.Run(ctx), context.DeadlineExceeded)
	})
}

// Where jobs stand, and what a run says of the times that it stood for.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		newest := time.Now().Add(-3*time.Hour - time.Minute)
		b.add(t, "p", "0 * * * *", newest, func(int) (time.Duration, error) { return time.Minute, nil })
		var results []Result
		b.OnResult = func(_ string, r Result, next time.Time) {
			results = append(results, r)
			require.Equal(t, []string{"01:00:00"}, clock([]time.Time{next}))
		}
		time.AfterFunc(30*time.Second, func() {
			st := b.Status()[0]
			require.True(t, st.Running && st.Next.IsZero() && st.Last == nil && st.Newest.Equal(newest), "%+v", st)
		})
		b.until(t, 10*time.Minute)
		require.Len(t, results, 1)
		require.Equal(t, 3, results[0].Missed)
		require.Equal(t, []string{"21:00:00", "00:00:00", "00:01:00"}, clock([]time.Time{results[0].Due, results[0].Started, results[0].Ended}))
	})
}

// Failures in a row at the same offsets are counted and named, with what can be done.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		at := []int64{120, 120, 120, 240}
		b.add(t, "p", "* * * * *", time.Time{}, func(n int) (time.Duration, error) {
			return 0, &microbatch.BatchError{Batch: 7, Err: errors.New("no"), Ranges: []offsets.Range{{Source: "events", Partition: offsets.Partition{Topic: "t", ID: 3}, From: at[n], Until: 300 + int64(n)}}}
		})
		var same []int
		b.OnResult = func(_ string, r Result, _ time.Time) { same = append(same, r.Same) }
		b.until(t, 5*time.Minute)
		require.Equal(t, []int{1, 2, 3, 1}, same)
		require.Contains(t, b.log.String(), "failed 3 times in a row in the batch that begins at events t-3 from offset 120: on_bad_record")
	})
}
