//go:build integration

package crash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A click is every millisecond, at most so many behind the latest before it, which is less than the delay: none is late. Every eleventh is sent again 700
// clicks later.
const (
	clicks      = 400_000
	disorder    = 5_000
	delay       = 20_000
	again       = 11
	againBehind = 700
)

// clickSQL gives the clicks as they lie in the topic, for DuckDB to count: their number, time in milliseconds and key. Watermark is the last one.
var clickSQL = fmt.Sprintf(`with numbers as (select i from range(%d) r(i) union all select i from range(%d) r(i) where i %% %d = 0),
	clicks as (select i, 1767225600000 + i - i * 7919 %% %d t, 'k' || i // 997 %% 40 k from numbers), final as (select max(t) - %d watermark from clicks) `,
	clicks, clicks-againBehind, again, disorder, delay)

func click(i int) []byte {
	at := time.UnixMilli(int64(1767225600000 + i - i*7919%disorder)).UTC().Format("2006-01-02T15:04:05.000Z")
	return fmt.Appendf(nil, `{"id":%d,"ts":%q,"k":"k%d"}`, i, at, i/997%40)
}

// clicking produces the clicks.
func clicking(t *testing.T, topic string) {
	cl := client(t, kgo.ProducerBatchMaxBytes(200_000), kgo.MaxBufferedRecords(100_000))
	var failed atomic.Pointer[error]
	send := func(i int) {
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(i % partitions), Value: click(i)}, func(_ *kgo.Record, err error) {
			if err != nil {
				failed.Store(&err)
			}
		})
	}
	for i := range clicks {
		send(i)
		if i >= againBehind && (i-againBehind)%again == 0 {
			send(i - againBehind)
		}
	}
	require.NoError(t, cl.Flush(t.Context()))
	require.Nil(t, failed.Load())
}

// counted are pipelines that keep state over clicks. What their tables hold in the end is had by SQL from the clicks themselves.
var counted = []struct {
	name, query, dedup string
	row                string // of the table, as text
	want               string // the same of the clicks
}{
	{"windows", "SELECT window.start AS w, k, count(*) AS n, sum(id) AS s FROM clicks GROUP BY window(ts, '10 seconds'), k", "",
		"concat_ws(' ', epoch_ms(w), k, n, s)", "select concat_ws(' ', t // 10000 * 10000, k, count(*), sum(i)) k from clicks, final group by t // 10000, k, watermark having t // 10000 * 10000 + 10000 <= watermark"},
	{"sessions", "SELECT session_window.start AS a, session_window.end AS z, k, count(*) AS n FROM clicks GROUP BY session_window(ts, '20 milliseconds'), k", "",
		"concat_ws(' ', epoch_ms(a), epoch_ms(z), k, n)", `select concat_ws(' ', min(t), max(t) + 20, k, count(*)) k from (
			select *, sum(begins) over (partition by k order by t, i rows unbounded preceding) session from (
				select *, (t - lag(t, 1, 0) over (partition by k order by t, i) > 20)::int begins from clicks)), final
			group by k, session, watermark having max(t) + 20 <= watermark`},
	{"duplicates", "SELECT id, ts FROM clicks", "{keys: [id], within_watermark: true}", "id::text", "select distinct i::text k from clicks"},
}

// countingPipeline writes the file of the i-th of counted.
func countingPipeline(t *testing.T, topic string, i int, more string) (file, table string) {
	dir, c := t.TempDir(), counted[i]
	file, table = filepath.Join(dir, "p.yaml"), filepath.Join(dir, "table")
	if c.dedup != "" {
		c.dedup = "\n    dedup: " + c.dedup
	}
	text := fmt.Sprintf(`name: p
sources:
  clicks:
    kafka: {brokers: [%q], topic: %q}
    schema: id BIGINT, ts TIMESTAMP, k STRING
    watermark: {column: ts, delay: %d milliseconds}%s
query: %q
sink: {delta: {path: %q}}
%s`, brokers, topic, delay, c.dedup, c.query, table, more)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file, table
}

// requireCounted reads what is left and compares; windows that are still open are in no table.
func requireCounted(t *testing.T, i int, file, table string) {
	t.Helper()
	drain(t, file)
	requireExactly(t, table, counted[i].row, clickSQL+counted[i].want)
	t.Logf("%d rows", number(t, table, "select count(*) from t"))
}

// Kills at random moments, and the table holds what a count of the topic gives: each closed window once, each session, each number.
func TestCountsThroughKills(t *testing.T) {
	moments := killMoments(t)
	topic := newTopic(t, partitions, nil)
	clicking(t, topic)
	for i, c := range counted {
		for _, pace := range paces {
			t.Run(c.name+" "+pace.name, func(t *testing.T) {
				file, table := countingPipeline(t, topic, i, pace.settings)
				moments.kill(t, file, pace.most)
				requireCounted(t, i, file, table)
			})
		}
	}
}

// Two drivers take the table from each other, each started again when it has lost, until both find nothing more to read.
func TestCountsThroughARace(t *testing.T) {
	topic := newTopic(t, partitions, nil)
	clicking(t, topic)
	for i, c := range counted {
		t.Run(c.name, func(t *testing.T) {
			file, table := countingPipeline(t, topic, i, "limits: {rows_per_batch: 20000}\ncommit: {interval: 0s}\n")
			race(t, file)
			requireCounted(t, i, file, table)
		})
	}
}

// race lets two drivers run a pipeline at once, each started again when it has lost, until both find nothing more to read.
func race(t *testing.T, file string) {
	t.Helper()
	var group sync.WaitGroup
	var lost atomic.Int64
	for range 2 {
		group.Go(func() {
			for {
				p := start(t, "run", "--available-now", file)
				<-p.ended
				switch code := p.ProcessState.ExitCode(); code {
				case 0:
					return
				case 3:
					lost.Add(1)
				default:
					t.Errorf("exit %d: %s", code, p.err.String())
					return
				}
			}
		})
	}
	group.Wait()
	t.Logf("lost %d times", lost.Load())
}
