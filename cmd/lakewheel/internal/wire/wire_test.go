package wire

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
)

// rig is a pipeline from documents in memory into a table in a fake S3.
type rig struct {
	p      *config.Pipeline
	world  World
	source *memory.Source
	stores map[string]*store.S3 // by path, the newest
	log    *bytes.Buffer
}

func newRig(t *testing.T, more string) *rig { return newRigInto(t, "delta", more) }

func newRigInto(t *testing.T, sink, more string) *rig {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("lake"))
	server := httptest.NewTLSServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	p, err := config.Parse("p.yaml", fmt.Sprintf(`name: p
sources: {events: {memory: {}, schema: "id BIGINT"}}
query: SELECT id FROM events
sink: {%s: {path: "s3://lake/tables/t"}}
s3: {endpoint: %q, access_key: a, secret_key: b, tls: {ca: %q}}
%s`, sink, server.URL, ca, more), os.LookupEnv)
	require.NoError(t, err)
	r := &rig{p: p, stores: map[string]*store.S3{}, log: &bytes.Buffer{}, source: memory.New("events", true)}
	r.world = Real(slog.New(slog.NewTextHandler(r.log, nil)))
	open := r.world.S3
	r.world.S3 = func(c store.S3Config, path string) (store.Store, error) {
		s, err := open(c, path)
		if err == nil {
			r.stores[path] = s.(*store.S3)
		}
		return s, err
	}
	r.world.Source = func(context.Context, *config.Source, bool) (source.Source, error) { return r.source, nil }
	return r
}

// run starts the pipeline. What it reports comes by the channel; stop ends it and waits.
func (r *rig) run(t *testing.T) (reports <-chan microbatch.Progress, stop func()) {
	q, _, err := Build(context.Background(), r.p, r.world)
	require.NoError(t, err)
	progress, halt, ended := make(chan microbatch.Progress, 100), make(chan struct{}), make(chan error, 1)
	q.Stop, q.OnProgress = halt, func(p microbatch.Progress) { progress <- p }
	go func() { ended <- microbatch.Run(context.Background(), q) }()
	return progress, func() {
		close(halt)
		require.NoError(t, <-ended)
	}
}

// A batch without data asks S3 for nothing; one with data for little.
func TestRequestsOfABatch(t *testing.T) {
	for sink, c := range map[string]struct {
		requests map[string]int64
		what     string
	}{"delta": {map[string]int64{"put": 3, "head": 1}, "file, record, look at the base, entry"},
		"parquet": {map[string]int64{"put": 4, "head": 1, "delete": 1}, "and copy of the file to its name, removal of the staged one"}} {
		t.Run(sink, func(t *testing.T) { requestsOfABatch(t, sink, c.requests, c.what) })
	}
}

func requestsOfABatch(t *testing.T, sink string, requests map[string]int64, what string) {
	r := newRigInto(t, sink, "trigger: {interval: 5ms}\ncommit: {interval: 0s}\n")
	reports, stop := r.run(t)
	table := r.stores[r.p.Sink.Path]
	feed := func() microbatch.Progress {
		r.source.Append(0, []byte(`{"id": 1}`), 0)
		return <-reports
	}
	for range 3 { // the table is made, and everything is warm
		feed()
	}
	before := table.Requests()
	time.Sleep(100 * time.Millisecond)
	idle := table.Requests().Minus(before)
	require.Zero(t, idle.Total(), "no data, no request")
	const batches = 5
	side := r.stores[r.p.DeadLetter]
	before, sideBefore := table.Requests(), side.Requests()
	for range batches {
		p := feed()
		require.EqualValues(t, 1, p.NumInputRows)
		require.Equal(t, requests, p.Sink.Requests, what)
	}
	stop()
	busy := table.Requests().Minus(before)
	t.Logf("%d requests in %d batches: %+v", busy.Total(), batches, busy)
	for kind, n := range requests {
		require.Equal(t, batches*n, busy.ByKind()[kind], "%s: %+v", what, busy)
	}
	require.Zero(t, side.Requests().Minus(sideBefore).Total(), "no dead letters, no request for them")
	require.Equal(t, 8, countRows(t, table))
}

func countRows(t *testing.T, objects store.Store) (n int) {
	count := func(b *columnar.Batch) error { n += b.Rows(); return nil }
	table := delta.Open(objects, func() string { return "" })
	snap, err := table.Snapshot(context.Background())
	require.NoError(t, err)
	if snap.Version >= 0 {
		require.NoError(t, table.Scan(context.Background(), snap, count))
		return n
	}
	f, err := parquetdir.OpenFolder(context.Background(), objects)
	require.NoError(t, err)
	require.NoError(t, f.Scan(context.Background(), count))
	return n
}

// The next process goes on where the table says; bad records lie in the table beside it.
func TestRunsGoOn(t *testing.T) {
	for _, sink := range []string{"delta", "parquet"} {
		t.Run(sink, func(t *testing.T) { runsGoOn(t, newRigInto(t, sink, "trigger: {available_now: true}\n")) })
	}
}

func runsGoOn(t *testing.T, r *rig) {
	for run := range 3 {
		r.source.Append(0, []byte(`{"id": 1}`), 0)
		r.source.Append(0, []byte(`{"id": "no number"}`), 0)
		_, stop := r.run(t)
		stop()
		require.Equal(t, run+1, countRows(t, r.stores["s3://lake/tables/t"]))
		require.Equal(t, run+1, countRows(t, r.stores["s3://lake/tables/t_dead_letter"]))
	}
}

// The bucket of a pipeline is probed once, whatever it has there.
func TestProbeBeforeARun(t *testing.T) {
	r := newRig(t, "")
	require.NoError(t, Probe(context.Background(), r.p, r.world))
	require.Len(t, r.stores, 1)
	require.Empty(t, r.log.String())
	r = newRig(t, "")
	r.p.S3.UnsafeSingleWriter = true
	require.NoError(t, Probe(context.Background(), r.p, r.world))
	require.Equal(t, 1, strings.Count(r.log.String(), "unsafe_single_writer"))
	console, err := config.Parse("p.yaml", "name: p\nsources: {e: {memory: {}, schema: id BIGINT}}\nquery: SELECT id FROM e\nsink: {console: {}}\n", os.LookupEnv)
	require.NoError(t, err)
	require.NoError(t, Probe(context.Background(), console, r.world))
}
