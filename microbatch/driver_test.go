package microbatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stepClock stands still but for sleeps, which move it by what they ask for and then call tick, and for a step at each look.
type stepClock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
	tick func(now time.Time)
}

func (c *stepClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

func (c *stepClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.now = c.now.Add(d)
	now := c.now
	c.mu.Unlock()
	if c.tick != nil {
		c.tick(now)
	}
	return ctx.Err()
}

// rig is a query over a memory source and a table in memory.
type rig struct {
	t       testing.TB
	src     *memory.Source
	objects *store.Mem
	clock   *stepClock
	q       microbatch.Query
	lines   []microbatch.Progress
	stop    chan struct{}
}

func newRig(t *testing.T, objects *store.Mem) *rig {
	schema := columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true})
	return newRigOf(t, objects, "SELECT id FROM events WHERE id >= 0", planner.Table{Schema: schema}, planner.Append)
}

// newWindowRig counts in windows of ten seconds, without a delay.
func newWindowRig(t *testing.T) *rig {
	schema := columnar.NewSchema(columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true})
	return newRigOf(t, store.NewMem(), "SELECT window.start AS at, count(*) AS n FROM events GROUP BY window(ts, '10 seconds')",
		planner.Table{Schema: schema, EventTime: &planner.EventTime{Column: "ts"}}, planner.Append)
}

// newRigOf is a rig of a query over the table events.
func newRigOf(t testing.TB, objects *store.Mem, query string, events planner.Table, mode planner.OutputMode) *rig {
	events.Hidden = columnar.NewSchema()
	planned, err := planner.Plan(query, planner.Catalog{"events": events}, planner.Options{Mode: mode})
	require.NoError(t, err)
	compiled, err := exec.Compile(planned.Physical, exec.Settings{Mode: mode}, exec.Input{Name: "events", Format: "json", Schema: events.Schema})
	require.NoError(t, err)
	r := &rig{t: t, src: memory.New("events", false), objects: objects, clock: &stepClock{now: time.UnixMilli(1_700_000_000_300)}, stop: make(chan struct{})}
	n := int64(0)
	id := func() string { n++; return fmt.Sprintf("%d-%d", time.Now().UnixNano(), n) }
	opts := committer.Options{
		Table: delta.Open(store.Sub(objects, "t"), id), Objects: store.Sub(objects, "t"), Schema: planned.Physical.Schema(), Name: "p", Writer: "test",
		Side:          map[string]committer.SideTable{microbatch.DeadLetterKind: {Table: delta.Open(store.Sub(objects, "dead"), id), Schema: exec.DeadLetterSchema}},
		RetainCommits: 100, RetainFor: time.Hour,
		Now: r.clock.Now, Token: func() int64 { n++; return time.Now().UnixNano() + n }, NewID: id, Sleep: r.clock.Sleep,
	}
	r.q = microbatch.Query{
		Name: "p", RunID: "run", Program: compiled, Sink: microbatch.NewTableSink("Delta", opts),
		Inputs:  []microbatch.Input{{Name: "events", Description: "Memory[events]", Source: r.src, Bad: microbatch.BadRecords{MaxRatio: 0.5, MinRecords: 10}}},
		Event:   microbatch.EventPolicy{NoDataBatches: true, NoDataAtRestart: true, SurvivesRestart: true},
		Trigger: microbatch.Trigger{Interval: time.Second}, Commit: microbatch.CommitPolicy{Interval: time.Second, MaxIdle: time.Minute},
		Limits: microbatch.Limits{Workers: 2},
		Stop:   r.stop, DrainTimeout: time.Minute, Clock: r.clock, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnProgress: func(p microbatch.Progress) { r.lines = append(r.lines, p) },
	}
	return r
}

func (r *rig) add(n int, format string) {
	for i := range n {
		doc := format
		if format == "" {
			doc = fmt.Sprintf(`{"id":%d}`, i)
		}
		r.src.Append(0, []byte(doc), 0)
	}
}

func (r *rig) rows() int {
	table := delta.Open(store.Sub(r.objects, "t"), nil)
	snap, err := table.Snapshot(context.Background())
	require.NoError(r.t, err)
	n := 0
	require.NoError(r.t, table.Scan(context.Background(), snap, func(b *columnar.Batch) error { n += b.Rows(); return nil }))
	return n
}

// Batches start at multiples of the interval, and a stop finishes what is open.
func TestTriggersAreAligned(t *testing.T) {
	r := newRig(t, store.NewMem())
	ticks := 0
	r.clock.tick = func(now time.Time) {
		require.Zero(t, now.UnixMilli()%1000)
		if ticks++; ticks == 4 {
			close(r.stop)
			time.Sleep(10 * time.Millisecond) // the stop is seen by another goroutine
		}
		r.add(10, "")
	}
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	require.GreaterOrEqual(t, len(r.lines), 3)
	require.Equal(t, "2023-11-14T22:13:21.000Z", r.lines[0].Timestamp)
	sum := int64(0)
	for i, p := range r.lines {
		require.EqualValues(t, i, p.BatchID)
		sum += p.Sink.NumOutputRows
	}
	require.EqualValues(t, sum, r.rows())
}

// Several batches fold into one commit, and each is reported with the version that holds it.
func TestBatchesFoldIntoCommits(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.clock.now = r.clock.now.Truncate(time.Second)
	r.q.Commit.Interval = 5 * time.Second
	ticks := 0
	r.add(1, "")
	r.clock.tick = func(time.Time) {
		if ticks++; ticks == 10 {
			close(r.stop)
			time.Sleep(10 * time.Millisecond)
		}
		r.add(1, "")
	}
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	versions := map[int64]int{}
	for _, p := range r.lines {
		versions[p.Sink.Version]++
	}
	require.Equal(t, 5, versions[1], "five batches of a second each, then the interval is over")
	require.Equal(t, len(r.lines), r.rows())
}

// A batch without data comes, as in Spark, with the next trigger, and only if that finds no rows.
func TestNoDataBatchesWaitForTheTrigger(t *testing.T) {
	r := newWindowRig(t)
	at := func(second int) { r.add(1, fmt.Sprintf(`{"ts":"2026-01-01T00:00:%02d.000Z"}`, second)) }
	at(5)
	ticks := 0
	r.clock.tick = func(time.Time) {
		switch ticks++; ticks {
		case 1:
			at(15)
		case 4:
			close(r.stop)
			time.Sleep(10 * time.Millisecond)
		}
	}
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	var told []string
	for _, p := range r.lines {
		told = append(told, fmt.Sprintf("%s %s %d out", p.Timestamp[17:22], p.Trigger, p.Sink.NumOutputRows))
	}
	require.Equal(t, []string{"20.30 data 0 out", "21.00 data 0 out", "22.00 no-data 1 out"}, told)
}

// Rows that the query drops change offsets only: they wait for the next commit, at most max_idle, and a stop writes them.
func TestOffsetsAloneWait(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.add(1, "")
	ticks := 0
	r.clock.tick = func(time.Time) {
		switch ticks++; {
		case ticks == 20:
			close(r.stop)
			time.Sleep(10 * time.Millisecond)
		default:
			r.add(1, `{"id":-1}`)
		}
	}
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	last := r.lines[len(r.lines)-1]
	require.EqualValues(t, 2, last.Sink.Version, "one commit with the row, one at the stop")
	require.Equal(t, 1, r.rows())
	again := newRig(t, r.objects)
	again.q.Inputs[0].Source, again.q.Trigger = r.src, microbatch.Trigger{AvailableNow: true}
	require.NoError(t, microbatch.Run(t.Context(), again.q))
	require.Empty(t, again.lines, "the position went past the dropped rows")
}

// Available now reads up to the ends that it found, within the limits, however many rows come in meanwhile.
func TestAvailableNowEnds(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.q.Trigger, r.q.Limits.RowsPerBatch = microbatch.Trigger{AvailableNow: true}, 10
	r.add(35, "")
	r.q.OnProgress = func(p microbatch.Progress) { r.lines = append(r.lines, p); r.add(100, "") }
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	require.Equal(t, 35, r.rows())
	require.Equal(t, "rows", r.lines[0].LimitedBy)
}

// A wrong schema fails before anything is committed, with the place of the first bad record.
func TestTooManyBadRecords(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.q.Trigger = microbatch.Trigger{AvailableNow: true}
	r.add(20, `{"id":"text"}`)
	err := microbatch.Run(t.Context(), r.q)
	require.ErrorIs(t, err, microbatch.ErrBadRecords)
	require.ErrorContains(t, err, "20 of 20 records are bad")
	require.ErrorContains(t, err, "topic events, partition 0, offset 0")
	require.Zero(t, r.rows())
	_, err = r.objects.Stat(t.Context(), "dead/_delta_log/00000000000000000000.json")
	require.ErrorIs(t, err, store.ErrNotExist)
}

func TestFailOnBadRecord(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.q.Trigger, r.q.Inputs[0].OnBad = microbatch.Trigger{AvailableNow: true}, microbatch.FailOnBad
	r.add(20, "")
	r.add(1, `{`)
	require.ErrorContains(t, microbatch.Run(t.Context(), r.q), "offset 20")
	require.Zero(t, r.rows())
}

// blocked is a source whose readers wait until they are cancelled.
type blocked struct{ *memory.Source }

type blockedReader struct{}

func (blocked) Read(context.Context, offsets.Range) (source.Reader, error) {
	return blockedReader{}, nil
}
func (blockedReader) Next(ctx context.Context) (*columnar.Batch, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (blockedReader) Close() error { return nil }

// A batch that outlasts the drain timeout is abandoned: nothing of it is visible, and the next run reads it.
func TestDrainTimeout(t *testing.T) {
	r := newRig(t, store.NewMem())
	r.add(5, "")
	r.q.Inputs[0].Source, r.q.DrainTimeout = blocked{r.src}, 20*time.Millisecond
	close(r.stop)
	require.ErrorIs(t, microbatch.Run(t.Context(), r.q), microbatch.ErrAbandoned)
	require.Zero(t, r.rows())
	again := newRig(t, r.objects)
	again.q.Inputs[0].Source, again.q.Trigger = r.src, microbatch.Trigger{AvailableNow: true}
	require.NoError(t, microbatch.Run(t.Context(), again.q))
	require.Equal(t, 5, r.rows())
}

// A failed commit ends the run with its own error, not with that of the batch it cut off.
func TestFailedCommitEndsTheRun(t *testing.T) {
	full := errors.New("no space left on device")
	objects := store.NewMem()
	r := newRig(t, objects)
	r.add(5, "")
	objects.Inject(func(_ int, op store.Op, name string) (store.Outcome, error) {
		if op == store.OpCreate {
			return store.Fail, full
		}
		return store.Normal, nil
	})
	require.ErrorIs(t, microbatch.Run(t.Context(), r.q), full)
	objects.Inject(nil)
	require.Zero(t, r.rows())
}

// shrinking loses its first rows while they are read, once; from then on it says so when it is asked.
type shrinking struct {
	*memory.Source
	lost bool
}

func (s *shrinking) Available(ctx context.Context, known offsets.Progress) (source.Available, error) {
	a, err := s.Source.Available(ctx, known)
	p := offsets.Partition{Topic: "events"}
	if m := a.Progress.Partitions[p]; s.lost && m.Next < 3 {
		a.Holes = []offsets.Range{{Source: "events", Partition: p, From: m.Next, Until: 3}}
		m.Next = 3
		a.Progress.Partitions[p] = m
	}
	return a, err
}

func (s *shrinking) Read(ctx context.Context, r offsets.Range) (source.Reader, error) {
	if !s.lost {
		s.lost = true
		return nil, fmt.Errorf("%w: offsets [0,3)", source.ErrDataLoss)
	}
	return s.Source.Read(ctx, r)
}

// Rows that vanish between planning and reading: with on_data_loss: skip the run goes on past the hole, and names it.
func TestLossWhileReading(t *testing.T) {
	for _, skip := range []bool{true, false} {
		r := newRig(t, store.NewMem())
		r.add(10, "")
		r.q.Inputs[0].Source, r.q.Inputs[0].SkipLoss, r.q.Trigger = &shrinking{Source: r.src}, skip, microbatch.Trigger{AvailableNow: true}
		err := microbatch.Run(t.Context(), r.q)
		if !skip {
			require.ErrorIs(t, err, source.ErrDataLoss)
			require.Zero(t, r.rows())
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 7, r.rows())
		require.Equal(t, []string{"events-0 [0,3)"}, r.lines[0].Holes)
	}
}
