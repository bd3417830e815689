// Package sourcetest runs queries over a source that is under test into a table in memory.
package sourcetest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/planner"
)

// Clock moves by a millisecond at each look.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now looks.
func (c *Clock) Now() time.Time {
	c.Move(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Move moves on.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Sleep moves on.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.Move(d)
	return ctx.Err()
}

// Rig is a query over the source events. Each run is a process of its own: it has a new source and a new sink over the same table.
type Rig struct {
	testing.TB
	Clock    *Clock
	Query    string
	Schema   *columnar.Schema
	Format   string
	Source   func(plan *exec.Pipeline, log *slog.Logger) source.Source
	Event    *planner.EventTime
	Dedup    *planner.DedupRule
	OnBad    microbatch.OnBad
	SkipLoss bool // on_data_loss
	Limits   microbatch.Limits
	Commit   time.Duration

	Out    *store.Mem            // the tables t and dead
	Lines  []microbatch.Progress // of all runs
	Logged bytes.Buffer
}

// New returns a rig of documents with an id and a name.
func New(t testing.TB) *Rig {
	return &Rig{TB: t, Clock: &Clock{at: time.UnixMilli(1_700_000_000_000)}, Query: "SELECT id, name FROM events", Schema: Schema(t, "id BIGINT, name STRING"),
		Format: "json", Limits: microbatch.Limits{Workers: 2}, Out: store.NewMem()}
}

// Schema reads DDL.
func Schema(t testing.TB, ddl string) *columnar.Schema {
	s, err := planner.ParseSchema(ddl)
	require.NoError(t, err)
	return s
}

var hidden = columnar.NewSchema(columnar.Field{Name: source.FileColumn, Type: columnar.String}, columnar.Field{Name: source.OffsetColumn, Type: columnar.BigInt})

// Build makes the query of a new process, which takes in what is there.
func (r *Rig) Build() microbatch.Query {
	planned, err := planner.Plan(r.Query, planner.Catalog{"events": {Schema: r.Schema, Hidden: hidden, EventTime: r.Event, Dedup: r.Dedup}}, planner.Options{})
	require.NoError(r, err)
	program, err := exec.Compile(planned.Physical, exec.Settings{}, exec.Input{Name: "events", Format: r.Format, Schema: r.Schema})
	require.NoError(r, err)
	log := slog.New(slog.NewTextHandler(&r.Logged, nil))
	return microbatch.Query{
		Name: "p", RunID: "run", Program: program, Sink: r.sink(planned.Physical.Schema()), Limits: r.Limits,
		Inputs:  []microbatch.Input{{Name: "events", Source: r.Source(program.Pipelines[0], log), OnBad: r.OnBad, SkipLoss: r.SkipLoss, Bad: microbatch.BadRecords{MaxRatio: 1, MinRecords: 1}}},
		Event:   microbatch.EventPolicy{NoDataBatches: true, NoDataAtRestart: true, SurvivesRestart: true},
		Trigger: microbatch.Trigger{AvailableNow: true}, Commit: microbatch.CommitPolicy{Interval: r.Commit},
		DrainTimeout: time.Minute, Clock: r.Clock, Log: log, OnProgress: func(p microbatch.Progress) { r.Lines = append(r.Lines, p) },
	}
}

func (r *Rig) sink(schema *columnar.Schema) microbatch.Sink {
	var n atomic.Int64
	n.Store(r.Clock.Now().UnixNano())
	id := func() string { return fmt.Sprint(n.Add(1)) }
	side := committer.SideTable{Table: delta.Open(store.Sub(r.Out, "dead"), id), Schema: exec.DeadLetterSchema}
	return microbatch.NewTableSink("Delta", committer.Options{
		Table: delta.Open(store.Sub(r.Out, "t"), id), Objects: store.Sub(r.Out, "t"), Schema: schema, Name: "p", Writer: "test", Bounded: true,
		Side:          map[string]committer.SideTable{microbatch.DeadLetterKind: side},
		RetainCommits: 2, RetainFor: time.Millisecond, Now: r.Clock.Now, Token: func() int64 { return n.Add(1) }, NewID: id, Sleep: r.Clock.Sleep})
}

// Run takes in what is there.
func (r *Rig) Run() error { return microbatch.Run(context.Background(), r.Build()) }

// RunBatches runs so many batches.
func (r *Rig) RunBatches(n int) error {
	q := r.Build()
	q.Trigger.MaxBatches = n
	return microbatch.Run(context.Background(), q)
}

// Rows are those of a table as JSON, sorted.
func (r *Rig) Rows(table string) (out []string) {
	t := delta.Open(store.Sub(r.Out, table), nil)
	snap, err := t.Snapshot(context.Background())
	require.NoError(r, err)
	require.NoError(r, t.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

// NDJSON are documents with the ids [from, until).
func NDJSON(from, until int) string {
	var b strings.Builder
	for i := from; i < until; i++ {
		fmt.Fprintf(&b, "{\"id\":%d,\"name\":\"n%d\"}\n", i, i)
	}
	return b.String()
}

// Rows are the documents with the ids [from, until) as a batch.
func Rows(t testing.TB, from, until int) *columnar.Batch {
	ids, names := []int64{}, []string{}
	for i := from; i < until; i++ {
		ids, names = append(ids, int64(i)), append(names, fmt.Sprintf("n%d", i))
	}
	return columnar.NewBatch(Schema(t, "id BIGINT, name STRING"), []columnar.Column{columnar.NewInt64Column(ids, nil), columnar.NewStringColumn(names)}, len(ids))
}

// Want are rows of a table with the ids of some ranges: from, until, from, until.
func Want(bounds ...int) (out []string) {
	for i := 0; i < len(bounds); i += 2 {
		out = append(out, strings.Split(strings.TrimSpace(NDJSON(bounds[i], bounds[i+1])), "\n")...)
	}
	slices.Sort(out)
	return out
}
