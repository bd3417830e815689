package files_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/internal/sourcetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ndjson = sourcetest.NDJSON
	want   = sourcetest.Want
)

// rig is a query over the files of a store in memory.
type rig struct {
	*sourcetest.Rig
	in     *store.Mem
	text   files.Text
	c      files.Config
	folder files.Folder
}

func newRig(t testing.TB) *rig {
	r := &rig{Rig: sourcetest.New(t), in: store.NewMem()}
	r.in.SetClock(func() int64 { return r.Clock.Now().UnixMilli() })
	r.Source = r.source
	return r
}

// source is that of a new process.
func (r *rig) source(plan *exec.Pipeline, log *slog.Logger) source.Source {
	folder := r.folder
	folder.Now, folder.Format = r.Clock.Now, r.text
	if folder.Objects == nil {
		folder.Objects = r.in
	}
	if folder.Glob == nil {
		folder.Glob = files.Glob{"**"}
	}
	if r.Format == "parquet" {
		folder.Format = files.Parquet{Declared: r.Schema, Columns: plan.Reads(), Where: prune.NewCondition(plan.Reads(), plan.Where())}
	}
	c := r.c
	c.Name, c.Kind, c.Feed, c.SkipLoss, c.Now, c.Log = "events", "files", &folder, r.SkipLoss, r.Clock.Now, log
	return files.New(c)
}

func (r *rig) put(name, body string) {
	require.NoError(r, r.in.Put(context.Background(), name, []byte(body)))
}

// write makes a Parquet file of batches, each of which is a row group.
func (r *rig) write(name string, batches ...*columnar.Batch) {
	w, err := parquetfile.NewWriter(r.in, batches[0].Schema(), parquetfile.Options{Name: func() string { return name }})
	require.NoError(r, err)
	for i, b := range batches {
		require.NoError(r, w.Write(context.Background(), int64(i), b))
	}
	_, err = w.Finish(context.Background())
	require.NoError(r, err)
}

func (r *rig) putParquet(name string, from, until int) {
	r.write(name, sourcetest.Rows(r, from, until))
}
