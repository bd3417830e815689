//go:build integration

package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/planner"
)

// A backfill test has records of a millisecond each, of which the first are there before the pipeline begins.
const (
	fillRecords = 200_000
	fillFrom    = 70_000 // of the range, in milliseconds
	fillUntil   = 130_000
)

// timed is the document with number i.
func timed(i int) []byte {
	at := time.UnixMilli(int64(i)).UTC().Format("2006-01-02T15:04:05.000Z")
	return fmt.Appendf(nil, `{"id":"id-%08d","n":%d,"ts":%q}`, i, i, at)
}

// stream produces records from a number on until it is stopped, and returns the number after the last.
func stream(t *testing.T, topic string, from int) (stop func() int) {
	cl := client(t)
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	next := from
	group.Go(func() {
		for ctx.Err() == nil {
			for range 20 {
				cl.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(next % partitions), Value: timed(next)}, nil)
				next++
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	return func() int {
		cancel()
		group.Wait()
		require.NoError(t, cl.Flush(context.Background()))
		return next
	}
}

func produceTimed(t *testing.T, topic string, n int) {
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: int32(i % partitions), Value: timed(i)}
	}
	require.NoError(t, client(t, kgo.MaxBufferedRecords(100_000)).ProduceSync(t.Context(), records...).FirstErr())
}

// versionsOf writes a pipeline file for each of two queries, over one table.
func versionsOf(t *testing.T, topic, was, is string) (old, corrected, table string) {
	dir := t.TempDir()
	table = filepath.Join(dir, "table")
	for name, query := range map[string]string{"old": was, "corrected": is} {
		text := fmt.Sprintf("name: p\nsources:\n  events:\n    kafka: {brokers: [%q], topic: %q}\n    schema: id STRING, n BIGINT, ts TIMESTAMP\n    watermark: {column: ts, delay: 5 seconds}\nquery: %s\nsink: {delta: {path: %q}}\n"+
			"limits: {rows_per_batch: 4000}\ntrigger: {interval: 300ms}\ncommit: {interval: 300ms, compaction: {files: 4, cpu_share: 1}}\n", brokers, topic, query, table)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o644))
	}
	return filepath.Join(dir, "old.yaml"), filepath.Join(dir, "corrected.yaml"), table
}

// fillings are what is filled, and what an independent reader has to find.
var fillings = []struct {
	name, was, is string
	old, made     string // conditions that tell rows of the range apart, by which query made them
	key           string
	want          func(n int) string
}{
	{"rows", "SELECT id, ts, 'old' AS made FROM events", "SELECT id, ts, 'new' AS made FROM events",
		fmt.Sprintf("id >= 'id-%08d' AND id < 'id-%08d' AND made = 'old'", fillFrom, fillUntil), "made = 'new'", "id || made", func(n int) string {
			return fmt.Sprintf(`select printf('id-%%08d', i) || case when i >= %d and i < %d then 'new' else 'old' end k from range(%d) r(i)`, fillFrom, fillUntil, n)
		}},
	{"windows", "SELECT window.start AS id, count(*) AS c FROM events GROUP BY window(ts, '10 seconds')", "SELECT window.start AS id, -count(*) AS c FROM events GROUP BY window(ts, '10 seconds')",
		fmt.Sprintf("unix_millis(id) >= %d AND unix_millis(id) < %d AND c > 0", fillFrom, fillUntil), "c < 0",
		"epoch_ms(id) || ':' || c", func(n int) string {
			return fmt.Sprintf(`select i * 10000 || ':' || case when i * 10000 >= %d and (i + 1) * 10000 <= %d then -10000 else 10000 end k from range(%d) r(i)`, fillFrom, fillUntil, completeWindows(n))
		}},
}

// completeWindows counts the windows that the watermark has ended, when n records were read to the end.
func completeWindows(n int) int { return (n - 1 - 5000) / 10_000 }

// A backfill runs beside a pipeline that goes on, and both die at random moments: outside of the range nothing changes, inside are exactly the rows of a direct computation.
// Readers that never stop looking see no version with a row missing or doubled.
func TestBackfillThroughKills(t *testing.T) {
	runs, err := strconv.Atoi(envOr("CRASHES", "3"))
	require.NoError(t, err)
	seed, err := strconv.ParseUint(envOr("SEED", strconv.FormatInt(time.Now().UnixNano(), 10)), 10, 64)
	require.NoError(t, err)
	for run := range uint64(runs) {
		for _, f := range fillings {
			t.Run(fmt.Sprintf("%s %d", f.name, run), func(t *testing.T) {
				t.Logf("SEED=%d, run %d", seed, run)
				topic := newTopic(t, partitions, nil)
				produceTimed(t, topic, fillRecords)
				old, corrected, table := versionsOf(t, topic, f.was, f.is)
				drain(t, old)
				stop := stream(t, topic, fillRecords)
				watched := watch(t, table, "id")
				fillThroughKills(t, rand.New(rand.NewPCG(seed, run)), old, corrected)
				watched()
				n := stop()
				drain(t, old)
				requireExactly(t, table, f.key, f.want(n))
				requireBeforeOrAfter(t, table, f.old, f.made)
			})
		}
	}
}

// fillThroughKills runs a pipeline and a backfill beside it, and kills them until the backfill gets through.
func fillThroughKills(t *testing.T, rng *rand.Rand, old, corrected string) {
	fill := func() *process {
		return start(t, "backfill", corrected, "--from", time.UnixMilli(fillFrom).UTC().Format(time.RFC3339), "--to", time.UnixMilli(fillUntil).UTC().Format(time.RFC3339), "--json")
	}
	live, f := start(t, "run", old), fill()
	for range 4 {
		time.Sleep(time.Duration(rng.Int64N(int64(900 * time.Millisecond))))
		if rng.IntN(3) == 0 {
			live.signal(t, syscall.SIGKILL)
			live.code(t, 10*time.Second)
			live = start(t, "run", old)
			continue
		}
		if f.Process.Signal(syscall.SIGKILL) != nil || f.code(t, 10*time.Second) == 0 {
			break
		}
		f = fill()
	}
	require.Zero(t, f.code(t, time.Minute), f.err.String())
	var did struct{ RowsOut, RowsIn, Parts, ResumedParts, Restarts int64 }
	require.NoError(t, json.Unmarshal([]byte(f.out.String()), &did), f.out.String())
	require.Equal(t, did.RowsOut, did.RowsIn)
	t.Logf("%+v", did)
	live.signal(t, syscall.SIGTERM)
	require.Contains(t, []int{0, -1}, live.code(t, time.Minute), "neither fenced nor failed: %s", live.err.String()) // -1: it had only just begun, and took no signals yet
}

// requireBeforeOrAfter reads every version of the table from the newest back to one that has no row that the backfill made: each has all rows of the range, and
// all made by one query.
func requireBeforeOrAfter(t *testing.T, table, old, made string) {
	objects, err := store.NewLocal(table)
	require.NoError(t, err)
	d := delta.Open(objects, nil)
	newest, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	count := func(at lakehouse.Snapshot, where string) (n int) {
		e, err := planner.Expression(where, at.Schema)
		require.NoError(t, err)
		_, err = d.ScanWhere(t.Context(), at, e, func(b *columnar.Batch) error { n += b.Rows(); return nil })
		require.NoError(t, err)
		return n
	}
	want := count(newest, made)
	require.Positive(t, want)
	before := 0
	for v := newest.Version; before < 3; v-- {
		at, err := d.At(t.Context(), v)
		require.NoError(t, err)
		was, is := count(at, old), count(at, made)
		require.Equal(t, want, was+is, "version %d", v)
		require.True(t, was == 0 || is == 0, "version %d has %d old rows and %d new ones", v, was, is)
		if is == 0 {
			before++
		}
	}
}
