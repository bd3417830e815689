package bootstrap_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	table "github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/bootstrap"
	"github.com/lakewheel/lakewheel/microbatch/source/delta"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/internal/sourcetest"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var want = sourcetest.Want

// rig is a query over an archive of files and a source in memory, which goes on from document 0.
type rig struct {
	*sourcetest.Rig
	in   *store.Mem
	live *memory.Source
}

func newRig(t testing.TB) *rig {
	r := &rig{Rig: sourcetest.New(t), in: store.NewMem(), live: memory.New("events", false)}
	r.Source = func(plan *exec.Pipeline, log *slog.Logger) source.Source {
		folder := &files.Folder{Format: files.Text{}, Objects: r.in, Glob: files.Glob{"**"}, Now: r.Clock.Now}
		archive := files.New(files.Config{Name: offsets.ArchiveOf("events"), Kind: "files", Feed: folder, Once: true, Now: r.Clock.Now, Log: log})
		return bootstrap.New("events", archive, r.live, log)
	}
	return r
}

func (r *rig) file(name, body string) {
	require.NoError(r, r.in.Put(context.Background(), name, []byte(body)))
}

func (r *rig) feed(lines string) {
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		r.live.Append(0, []byte(line), 0)
	}
}

// The archive comes first, also where there is more of the source; then the source goes on, and files that come later are none of the archive.
func TestTheArchiveComesFirst(t *testing.T) {
	r := newRig(t)
	r.Query, r.Limits.RowsPerBatch = "SELECT id, _file FROM events", 3
	r.file("a", sourcetest.NDJSON(0, 5))
	r.file("b", sourcetest.NDJSON(5, 8))
	r.feed(sourcetest.NDJSON(8, 12))
	require.NoError(t, r.Run())
	require.Len(t, r.Rows("t"), 12)
	for _, p := range r.Lines {
		if _, archived := p.Sources[0].EndOffset[offsets.Partition{Topic: "events/archive"}]; archived {
			require.Zero(t, p.Sources[0].EndOffset[offsets.Partition{Topic: "events"}], "the source has to wait")
		}
	}
	r.file("c", sourcetest.NDJSON(100, 105))
	r.feed(sourcetest.NDJSON(12, 14))
	require.NoError(t, r.Run())
	require.Len(t, r.Rows("t"), 14)
}

// An archive without a file is a mistake: it would be left for good.
func TestAnArchiveHasFiles(t *testing.T) {
	r := newRig(t)
	r.feed(sourcetest.NDJSON(5, 8))
	require.ErrorContains(t, r.Run(), "source events/archive: no file in memory belongs to the archive, which is read once and then left: correct its path, glob or format, or leave bootstrap out")
	require.Empty(t, r.Out.Writes())
	r.file("a", sourcetest.NDJSON(0, 5))
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 8), r.Rows("t"))
}

// A crash after any write, in the archive, behind it or between: every row once.
func TestCrashesAtEveryWrite(t *testing.T) {
	for k, crashed := 0, true; crashed; k++ {
		r := newRig(t)
		r.Limits.RowsPerBatch = 4
		r.file("a", sourcetest.NDJSON(0, 5))
		r.file("b", sourcetest.NDJSON(5, 10))
		r.feed(sourcetest.NDJSON(10, 15))
		r.Out.CrashAfter(k)
		crashed = r.Run() != nil
		r.feed(sourcetest.NDJSON(15, 18))
		r.Out = r.Out.Reopen()
		require.NoError(t, r.Run(), "crash after write %d", k)
		require.Equal(t, want(0, 18), r.Rows("t"), "crash after write %d", k)
	}
}

// Without its archive a source goes on if the archive was read, and an archive that comes to a running source is left out.
func TestTheArchiveMayGoWhenItWasRead(t *testing.T) {
	r := newRig(t)
	r.file("a", sourcetest.NDJSON(0, 5))
	r.feed(sourcetest.NDJSON(5, 8))
	require.NoError(t, r.Run())
	r.Source = func(*exec.Pipeline, *slog.Logger) source.Source { return r.live }
	r.feed(sourcetest.NDJSON(8, 9))
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 9), r.Rows("t"))
	fresh := newRig(t)
	fresh.feed(sourcetest.NDJSON(0, 3))
	with := fresh.Source
	fresh.Source = func(*exec.Pipeline, *slog.Logger) source.Source { return fresh.live }
	require.NoError(t, fresh.Run())
	fresh.Source = with
	fresh.file("a", sourcetest.NDJSON(50, 60))
	fresh.feed(sourcetest.NDJSON(3, 5))
	require.NoError(t, fresh.Run())
	require.Equal(t, want(0, 5), fresh.Rows("t"))
	require.Contains(t, fresh.Logged.String(), "so the archive is left out")
}

// pipelines are queries whose tables do not depend on how the input is cut.
var pipelines = map[string]struct {
	query string
	dedup *planner.DedupRule
}{
	"rows":       {"SELECT id, k FROM events WHERE id % 3 > 0", nil},
	"windows":    {"SELECT window.start AS w, k, count(*) AS n, sum(id) AS s FROM events GROUP BY window(ts, '10 seconds', '4 seconds'), k", nil},
	"duplicates": {"SELECT id, ts FROM events", &planner.DedupRule{Keys: []string{"id", "ts"}}},
}

// clicks are documents of a minute, some of which come twice.
func clicks() (lines []string) {
	for i := range 60 {
		line := fmt.Sprintf(`{"id":%d,"k":"%c","ts":%q}`, i, 'a'+i%3, time.Unix(int64(i-i%4), 0).UTC().Format(time.RFC3339))
		lines = append(lines, line)
		if i%7 == 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// Files in many batches, with restarts; one catch-up; and an archive of files, or a table, before a source make the same table.
func TestOneHistory(t *testing.T) {
	lines := clicks()
	text := func(from, until int) string { return strings.Join(lines[from:until], "\n") + "\n" }
	half := len(lines) / 2
	for name, p := range pipelines {
		t.Run(name, func(t *testing.T) {
			prepare := func() *rig {
				r := newRig(t)
				r.Schema = sourcetest.Schema(t, "id BIGINT, k STRING, ts TIMESTAMP")
				r.Query, r.Dedup, r.Event = p.query, p.dedup, &planner.EventTime{Column: "ts", Delay: 8_000_000}
				return r
			}
			catchUp := prepare()
			catchUp.file("a", text(0, len(lines)))
			require.NoError(t, catchUp.Run())
			want := catchUp.Rows("t")
			require.NotEmpty(t, want)

			alone := prepare()
			alone.Source = func(*exec.Pipeline, *slog.Logger) source.Source { return alone.live }
			alone.feed(text(0, len(lines)))
			require.NoError(t, alone.Run())
			require.Equal(t, want, alone.Rows("t"), "the source alone")

			both := prepare()
			both.Limits.RowsPerBatch = 3
			both.file("a", text(0, 10))
			both.file("b", text(10, half))
			both.feed(text(half, len(lines)))
			for range 8 {
				require.NoError(t, both.RunBatches(2))
			}
			require.NoError(t, both.Run())
			require.Equal(t, want, both.Rows("t"), "files, then the source, over restarts")

			parquet := prepare()
			archive := tableOf(t, text(0, half))
			parquet.Source = func(plan *exec.Pipeline, log *slog.Logger) source.Source {
				feed := delta.NewFeed(delta.Config{Name: "events", Table: table.Open(archive, nil), Declared: parquet.Schema, Columns: plan.Reads(), Once: true, Log: log})
				return bootstrap.New("events", files.New(files.Config{Name: offsets.ArchiveOf("events"), Kind: "delta", Feed: feed, Once: true, Now: parquet.Clock.Now, Log: log}), parquet.live, log)
			}
			parquet.feed(text(half, len(lines)))
			require.NoError(t, parquet.RunBatches(1))
			require.NoError(t, parquet.Run())
			require.Equal(t, want, parquet.Rows("t"), "a table, then the source")
		})
	}
}

// tableOf is a Delta table of documents.
func tableOf(t *testing.T, lines string) store.Store {
	r := newRig(t)
	r.Schema, r.Query = sourcetest.Schema(t, "id BIGINT, k STRING, ts TIMESTAMP"), "SELECT * FROM events"
	r.file("a", lines)
	require.NoError(t, r.Run())
	return store.Sub(r.Out, "t")
}
