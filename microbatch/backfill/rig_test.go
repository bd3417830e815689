package backfill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/bootstrap"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a pipeline over a source in memory, "e": ts TIMESTAMP, n BIGINT, in two partitions.
type rig struct {
	query   string
	mode    planner.OutputMode
	late    bool
	evolves bool // the table takes on columns
	dedup   *planner.DedupRule
	docs    *memory.Source
	starts  offsets.Positions // nil: the source does not tell
	lost    error             // of the source, when it is asked what it has
	archive *store.Mem        // files that come before the source; nil: there are none
	objects *store.Mem
	now     time.Time
	rows    int64 // of a batch
}

var serial atomic.Int64

func newRig(query string) *rig {
	r := &rig{query: query, docs: memory.New("e", false), objects: store.NewMem(), now: time.Unix(1000, 0), rows: 7}
	return r
}

// Now is the time of the rig, which stands still.
func (r *rig) Now() time.Time { return r.now }

// Sleep does not wait.
func (r *rig) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// second is a time of the rig in microseconds.
func second(s float64) int64 { return int64(s * 1e6) }

// feed appends a row at a second of event time, to the partition that its number says.
func (r *rig) feed(at float64, n int64) {
	r.docs.Append(int32(n%2), []byte(row(at, n)), second(float64(n)))
}

func row(at float64, n int64) string {
	return fmt.Sprintf(`{"ts":%q,"n":%d}`, time.UnixMicro(second(at)).UTC().Format(time.RFC3339Nano), n)
}

// started is a source that may tell where it begins, and that it has lost something.
type started struct {
	*memory.Source
	starts offsets.Positions
	lost   error
}

func (s started) Available(ctx context.Context, known offsets.Progress) (source.Available, error) {
	a, err := s.Source.Available(ctx, known)
	return a, errors.Join(err, s.lost)
}

func (s started) Starts(context.Context) (offsets.Positions, error) { return s.starts, nil }

func (started) Close() error { return nil }

func (r *rig) source() source.Source {
	live := started{r.docs, r.starts, r.lost}
	if r.archive == nil {
		return live
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	folder := &files.Folder{Format: files.Text{}, Objects: r.archive, Glob: files.Glob{"**"}, Now: r.Now}
	return bootstrap.New("e", files.New(files.Config{Name: offsets.ArchiveOf("e"), Kind: "files", Feed: folder, Once: true, Now: r.Now, Log: log}), live, log)
}

// archived puts rows into files that come before the source.
func (r *rig) archived(t testing.TB, name string, from, until int64) {
	if r.archive == nil {
		r.archive = store.NewMem()
	}
	var text strings.Builder
	for n := from; n < until; n++ {
		fmt.Fprintln(&text, row(float64(n), n))
	}
	require.NoError(t, r.archive.Put(context.Background(), name, []byte(text.String())))
}

// job is the pipeline over some objects, which may die.
func (r *rig) job(t testing.TB, objects store.Store) Job {
	schema, err := planner.ParseSchema("ts TIMESTAMP, n BIGINT")
	require.NoError(t, err)
	hidden := columnar.NewSchema(columnar.Field{Name: source.TopicColumn, Type: columnar.String}, columnar.Field{Name: source.PartitionColumn, Type: columnar.Int}, columnar.Field{Name: source.OffsetColumn, Type: columnar.BigInt})
	planned, err := planner.Plan(r.query, planner.Catalog{"e": {Schema: schema, Hidden: hidden, Dedup: r.dedup, EventTime: &planner.EventTime{Column: "ts", Delay: second(2)}}}, planner.Options{Mode: r.mode})
	require.NoError(t, err)
	inputs := []exec.Input{{Name: "e", Format: "json", Schema: schema}}
	late, err := exec.LateSchema(inputs...)
	require.NoError(t, err)
	id := func() string { return fmt.Sprintf("id%06d", serial.Add(1)) }
	side := func(name string, s *columnar.Schema) committer.SideTable {
		at := store.Sub(objects, name)
		return committer.SideTable{Table: delta.Open(at, id), Objects: at, Schema: s}
	}
	opts := committer.Options{Table: delta.Open(store.Sub(objects, "t"), id), Objects: store.Sub(objects, "t"), Schema: planned.Physical.Schema(), Name: "p", Bounded: true,
		Writer: "test", Plan: planner.Fingerprint(planned.Physical), Columns: planner.Derivations(planned.Physical), RetainCommits: 100, RetainFor: time.Hour, AddColumns: r.evolves, Compaction: committer.CompactionPolicy{Files: 4, Inline: true},
		Side: map[string]committer.SideTable{microbatch.DeadLetterKind: side("dead", exec.DeadLetterSchema), microbatch.LateKind: side("late", late)},
		Now:  r.Now, Token: func() int64 { return serial.Add(1) }, NewID: id, Sleep: r.Sleep}
	q := microbatch.Query{Name: "p", Inputs: []microbatch.Input{{Name: "e", Source: r.source(), Bad: microbatch.BadRecords{MaxRatio: 1, MinRecords: 1}}}, Trigger: microbatch.Trigger{AvailableNow: true},
		Limits: microbatch.Limits{RowsPerBatch: r.rows, Workers: 2}, Event: microbatch.EventPolicy{NoDataBatches: true, SurvivesRestart: true, NoDataAtRestart: true},
		State: microbatch.StateLimits{MaxBytes: 1 << 30}, Clock: r, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), DrainTimeout: time.Minute}
	return Job{Query: q, Plan: planned.Physical, Inputs: inputs, Settings: exec.Settings{Mode: r.mode, KeepLate: r.late}, Options: opts}
}

// stream runs the pipeline over what there is.
func (r *rig) stream(t testing.TB) {
	j := r.job(t, r.objects)
	q := j.Query
	var err error
	q.Program, err = exec.Compile(j.Plan, j.Settings, j.Inputs...)
	require.NoError(t, err)
	q.Sink = microbatch.NewTableSink("Delta", j.Options)
	require.NoError(t, microbatch.Run(context.Background(), q))
}

// table are the rows of a table, sorted.
func (r *rig) table(t testing.TB, name string) (out []string) {
	d := delta.Open(store.Sub(r.objects, name), nil)
	snap, err := d.Snapshot(context.Background())
	require.NoError(t, err)
	require.NoError(t, d.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

// times is a range of event time in seconds.
func times(from, until float64) Request {
	return Request{Kind: EventTime, From: second(from), Until: second(until)}
}

// untilDone asks again and again, from another handle each time, until it is done; die says after how many writes a handle dies.
func (r *rig) untilDone(t testing.TB, req Request, die func(attempt int) int) Report {
	for attempt := 0; ; attempt++ {
		objects := r.objects.Reopen()
		if k := die(attempt); k >= 0 {
			objects.CrashAfter(k)
		}
		out, err := Run(context.Background(), r.job(t, objects), req)
		if err == nil {
			return out
		}
		require.True(t, errors.Is(err, store.ErrCrashed), "%v", err)
	}
}

// into is another table of the rig.
func (r *rig) into(t testing.TB, objects store.Store) Into {
	o := r.job(t, objects).Options
	id := func() string { return fmt.Sprintf("id%06d", serial.Add(1)) }
	o.Objects = store.Sub(objects, "other")
	o.Table = delta.Open(o.Objects, id)
	o.Side = map[string]committer.SideTable{microbatch.DeadLetterKind: {Table: delta.Open(store.Sub(objects, "other_dead"), id), Schema: exec.DeadLetterSchema}}
	return Into{Options: o, Sink: func(o committer.Options) microbatch.Sink { return microbatch.NewTableSink("Delta", o) }}
}

// alter gives the table another schema, as another writer does, who says nothing of it in the properties.
func (r *rig) alter(t testing.TB, ddl string) {
	d := delta.Open(store.Sub(r.objects, "t"), nil)
	snap, err := d.Snapshot(context.Background())
	require.NoError(t, err)
	schema, err := planner.ParseSchema(ddl)
	require.NoError(t, err)
	_, err = d.Commit(context.Background(), snap, lakehouse.Change{Schema: schema, Time: r.now.UnixMilli(), Operation: "ADD COLUMNS"})
	require.NoError(t, err)
	name := fmt.Sprintf("t/_delta_log/%020d.json", snap.Version+1)
	body, _, err := r.objects.Get(context.Background(), name)
	require.NoError(t, err)
	require.Contains(t, string(body), "lakewheel.addedColumns")
	require.NoError(t, r.objects.Put(context.Background(), name, []byte(strings.ReplaceAll(string(body), "lakewheel.addedColumns", "other"))))
}
