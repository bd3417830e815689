package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/internal/sourcetest"
	"github.com/lakewheel/lakewheel/offsets"
)

// Finding what is new among 100,000 files of a local folder.
func BenchmarkListing(b *testing.B) {
	dir := b.TempDir()
	for i := range 100_000 {
		if i%1000 == 0 {
			require.NoError(b, os.MkdirAll(filepath.Join(dir, fmt.Sprintf("day=%d", i/1000)), 0o755))
		}
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("day=%d/part-%07d.ndjson", i/1000, i)), []byte("{}\n"), 0o644))
	}
	objects, err := store.NewLocal(dir)
	require.NoError(b, err)
	now := func() time.Time { return time.Now() }
	s := files.New(files.Config{Name: "s", Kind: "files", Feed: &files.Folder{Objects: objects, Glob: files.Glob{"**", "*"}, Now: now}, Now: func() time.Time { return time.Time{} }})
	require.NoError(b, s.Restore(nil, offsets.Progress{}))
	known := offsets.Progress{Identity: map[string]string{}}
	a, err := s.Available(context.Background(), known)
	require.NoError(b, err)
	known = a.Progress
	for p, end := range a.Ends {
		known.Partitions[p] = offsets.Mark{Next: end}
	}
	b.ReportAllocs()
	for b.Loop() {
		a, err := s.Available(context.Background(), known)
		require.NoError(b, err)
		require.EqualValues(b, 300_000, a.Ends[offsets.Partition{Topic: "s"}])
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-heap")
	runtime.KeepAlive(s)
}

// Rows of Parquet files through a filter into a table.
func BenchmarkParquet(b *testing.B) {
	const rows = 4_000_000
	in := newRig(b)
	in.writeEvents("events.parquet", rows)
	for name, where := range map[string]string{"half": "k < 500000", "1 percent": "k < 10000", "1 percent, sorted": "id < 40000"} {
		b.Run(name, func(b *testing.B) {
			before := cpu(b)
			for b.Loop() {
				r := newRig(b)
				r.in, r.Format = in.in, "parquet"
				r.Schema = sourcetest.Schema(r, "id BIGINT, k BIGINT, ts TIMESTAMP, page STRING, amount BIGINT")
				r.Query = "SELECT id, ts, page, amount FROM events WHERE " + where
				r.Limits = microbatch.Limits{Workers: 1}
				require.NoError(b, r.Run())
			}
			b.ReportMetric(float64(rows)*float64(b.N)/(cpu(b)-before).Seconds()/1e6, "Mrows/s-core")
		})
	}
}

// cpu is what the process has used of all cores, also for what it collects.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeEvents writes rows in row groups of a quarter of a million.
func (r *rig) writeEvents(name string, rows int) {
	var batches []*columnar.Batch
	for from := 0; from < rows; from += 250_000 {
		batches = append(batches, events(r, from, from+250_000))
	}
	r.write(name, batches...)
}

func eventSchema(t testing.TB) *columnar.Schema {
	return sourcetest.Schema(t, "id BIGINT, k BIGINT, ts TIMESTAMP, page STRING, amount BIGINT")
}

func events(t testing.TB, from, until int) *columnar.Batch {
	var ids, ks, ts []int64
	var pages []string
	for i := from; i < until; i++ {
		ids, ks, ts = append(ids, int64(i)), append(ks, int64(i*7919%1_000_000)), append(ts, int64(i)*1000)
		pages = append(pages, fmt.Sprintf("/page/%d", i*31%1000))
	}
	return columnar.NewBatch(eventSchema(t), []columnar.Column{columnar.NewInt64Column(ids, nil), columnar.NewInt64Column(ks, nil), columnar.NewTimestampColumn(ts, nil), columnar.NewStringColumn(pages), columnar.NewInt64Column(ks, nil)}, until-from)
}
