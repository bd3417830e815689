//go:build integration

package crash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// updating writes the file of a pipeline whose groups replace their rows, and leave the table and come back as their count goes from even to odd.
func updating(t *testing.T, topic string) (file, table string) {
	dir := t.TempDir()
	file, table = filepath.Join(dir, "p.yaml"), filepath.Join(dir, "table")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `name: p
sources:
  clicks:
    kafka: {brokers: [%q], topic: %q}
    schema: id BIGINT, ts TIMESTAMP, k STRING
    watermark: {column: ts, delay: %d milliseconds}
query: |
  SELECT window.start AS w, k, count(*) AS n, sum(id) AS s FROM clicks
  GROUP BY window(ts, '10 seconds'), k HAVING count(*) %% 2 = 0
output_mode: update
sink: {delta: {path: %q}}
limits: {rows_per_batch: 20000}
trigger: {interval: 0s}
commit: {interval: 0s}
`, brokers, topic, delay, table), 0o644))
	return file, table
}

// requireUpdated compares with a count of the topic; windows that are still open are in the table, too.
func requireUpdated(t *testing.T, file, table string) {
	t.Helper()
	drain(t, file)
	requireExactly(t, table, "concat_ws(' ', epoch_ms(w), k, n, s)",
		clickSQL+"select concat_ws(' ', t // 10000 * 10000, k, count(*), sum(i)) k from clicks group by t // 10000, k having count(*) % 2 = 0")
	t.Logf("%d rows", number(t, table, "select count(*) from t"))
}

// Kills at random moments, and two drivers that take the table from each other.
func TestUpdates(t *testing.T) {
	moments := killMoments(t)
	topic := newTopic(t, partitions, nil)
	clicking(t, topic)
	t.Run("kills", func(t *testing.T) {
		file, table := updating(t, topic)
		moments.kill(t, file, time.Second)
		requireUpdated(t, file, table)
	})
	t.Run("a race", func(t *testing.T) {
		file, table := updating(t, topic)
		race(t, file)
		requireUpdated(t, file, table)
	})
}

// A changelog is 200,000 changes of 5,000 keys, each key in one partition; one change in 13 deletes.
const (
	changes    = 200_000
	changeKeys = 5_000
	deletes    = 13
)

func changing(t *testing.T, topic string) {
	cl := client(t, kgo.ProducerBatchMaxBytes(200_000), kgo.MaxBufferedRecords(100_000))
	var failed atomic.Pointer[error]
	for i := range changes {
		id := i * 7919 % changeKeys
		value := fmt.Appendf(nil, `{"id":%d,"v":%d,"op":%q}`, id, i, map[bool]string{true: "d", false: "u"}[i%deletes == 0])
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(id % partitions), Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				failed.Store(&err)
			}
		})
	}
	require.NoError(t, cl.Flush(t.Context()))
	require.Nil(t, failed.Load())
}

// Kills at random moments, with delta-rs merging the files between them: the table holds the newest change of each key.
func TestChangelogThroughKills(t *testing.T) {
	moments := killMoments(t)
	topic := newTopic(t, partitions, nil)
	changing(t, topic)
	dir := t.TempDir()
	file, table := filepath.Join(dir, "p.yaml"), filepath.Join(dir, "table")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `name: p
sources:
  changes:
    kafka: {brokers: [%q], topic: %q}
    schema: id BIGINT, v BIGINT, op STRING
query: SELECT id, v, op FROM changes
sink: {delta: {path: %q}, existing: append, merge: {keys: [id], delete_when: "op = 'd'", drop: [op]}}
limits: {rows_per_batch: 5000}
trigger: {interval: 0s}
commit: {interval: 0s}
`, brokers, topic, table), 0o644))
	for range moments.crashes {
		one := moments
		one.crashes = 1
		one.kill(t, file, time.Second)
		if _, err := os.Stat(filepath.Join(table, "_delta_log")); err == nil {
			foreign(t, "optimize", table)
		}
	}
	drain(t, file)
	requireExactly(t, table, "concat_ws(' ', id, v)", fmt.Sprintf(`with c as (select i, i * 7919 %% %d id from range(%d) r(i)), newest as (select id, max(i) v from c group by id)
		select concat_ws(' ', id, v) k from newest where v %% %d <> 0`, changeKeys, changes, deletes))
}
