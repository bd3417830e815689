package files_test

import (
	"bytes"
	"context"
	"fmt"

	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/planner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock moves by a step at each look.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { c.now = c.now.Add(time.Millisecond); return c.now }
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// rig is a query over files in one store into a table in another one, both in memory.
type rig struct {
	t       testing.TB
	in, out *store.Mem
	clock   *clock
	query   string
	schema  string
	format  string // json, csv, parquet
	text    files.Text
	c       files.Config
	folder  files.Folder
	onBad   microbatch.OnBad
	limits  microbatch.Limits
	commit  time.Duration
	lines   []microbatch.Progress
	log     bytes.Buffer
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t, in: store.NewMem(), out: store.NewMem(), clock: &clock{now: time.UnixMilli(1_700_000_000_000)},
		query: "SELECT id, name FROM events", schema: "id BIGINT, name STRING", format: "json", limits: microbatch.Limits{Workers: 2}}
	r.in.SetClock(func() int64 { return r.clock.Now().UnixMilli() })
	return r
}

func (r *rig) put(name, body string) {
	require.NoError(r.t, r.in.Put(context.Background(), name, []byte(body)))
}

// ndjson are documents with the ids [from, until).
func ndjson(from, until int) string {
	var b strings.Builder
	for i := from; i < until; i++ {
		fmt.Fprintf(&b, "{\"id\":%d,\"name\":\"n%d\"}\n", i, i)
	}
	return b.String()
}

// putParquet writes rows with the ids [from, until) as a file.
func (r *rig) putParquet(name string, from, until int) {
	schema, err := planner.ParseSchema("id BIGINT, name STRING")
	require.NoError(r.t, err)
	ids, names := []int64{}, []string{}
	for i := from; i < until; i++ {
		ids, names = append(ids, int64(i)), append(names, fmt.Sprintf("n%d", i))
	}
	r.write(name, columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(ids, nil), columnar.NewStringColumn(names)}, len(ids)))
}

func schemaOf(t testing.TB, ddl string) *columnar.Schema {
	s, err := planner.ParseSchema(ddl)
	require.NoError(t, err)
	return s
}

// write stages a batch as a data file and gives it a name.
func (r *rig) write(name string, rows *columnar.Batch) {
	ctx := context.Background()
	w, err := parquetfile.NewWriter(r.in, rows.Schema(), parquetfile.Options{Name: func() string { return name }})
	require.NoError(r.t, err)
	require.NoError(r.t, w.Write(ctx, 0, rows))
	_, err = w.Finish(ctx)
	require.NoError(r.t, err)
}

func (r *rig) build() microbatch.Query {
	schema, err := planner.ParseSchema(r.schema)
	require.NoError(r.t, err)
	planned, err := planner.Plan(r.query, planner.Catalog{"events": {Schema: schema, Hidden: columnar.NewSchema(columnar.Field{Name: "_file", Type: columnar.String}, columnar.Field{Name: "_offset", Type: columnar.BigInt})}}, planner.Options{})
	require.NoError(r.t, err)
	in := exec.Input{Name: "events", Format: r.format, Schema: schema}
	program, err := exec.Compile(planned.Physical, exec.Settings{}, in)
	require.NoError(r.t, err)
	folder := r.folder
	folder.Now, folder.Format = r.clock.Now, r.text
	if folder.Objects == nil {
		folder.Objects = r.in
	}
	if folder.Glob == nil {
		folder.Glob, _ = files.ParseGlob("**/*")
	}
	if p := program.Pipelines[0]; r.format == "parquet" {
		folder.Format = files.Parquet{Declared: schema, Columns: p.Reads(), Where: prune.NewCondition(p.Reads(), p.Where())}
	}
	log := slog.New(slog.NewTextHandler(&r.log, nil))
	c := r.c
	c.Name, c.Kind, c.Feed, c.Now, c.Log = "events", "files", &folder, r.clock.Now, log
	n := r.clock.Now().UnixNano()
	id := func() string { n++; return fmt.Sprint(n) }
	return microbatch.Query{
		Name: "p", RunID: "run", Program: program, Sink: microbatch.NewTableSink("Delta", committer.Options{
			Table: delta.Open(store.Sub(r.out, "t"), id), Objects: store.Sub(r.out, "t"), Schema: planned.Physical.Schema(), Name: "p", Writer: "test", Bounded: true,
			Side:          map[string]committer.SideTable{microbatch.DeadLetterKind: {Table: delta.Open(store.Sub(r.out, "dead"), id), Schema: exec.DeadLetterSchema}},
			RetainCommits: 2, RetainFor: time.Millisecond, Now: r.clock.Now, Token: func() int64 { n++; return n }, NewID: id, Sleep: r.clock.Sleep}),
		Inputs:  []microbatch.Input{{Name: "events", Source: files.New(c), OnBad: r.onBad, SkipLoss: c.SkipLoss, Bad: microbatch.BadRecords{MaxRatio: 1, MinRecords: 1}}},
		Trigger: microbatch.Trigger{AvailableNow: true}, Commit: microbatch.CommitPolicy{Interval: r.commit}, Limits: r.limits,
		DrainTimeout: time.Minute, Clock: r.clock, Log: log, OnProgress: func(p microbatch.Progress) { r.lines = append(r.lines, p) },
	}
}

// run takes in what is there.
func (r *rig) run() error { return microbatch.Run(context.Background(), r.build()) }

// rows are those of a table as JSON, sorted.
func (r *rig) rows(table string) (out []string) {
	t := delta.Open(store.Sub(r.out, table), nil)
	snap, err := t.Snapshot(context.Background())
	require.NoError(r.t, err)
	require.NoError(r.t, t.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

// wants are the rows of ids [from, until).
func wants(from, until int) []string {
	out := strings.Split(strings.TrimSpace(ndjson(from, until)), "\n")
	slices.Sort(out)
	return out
}
