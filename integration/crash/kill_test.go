//go:build integration

package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	records    = 2_000_000
	partitions = 4
	badOneIn   = 997 // prime to the partitions, so that every one of them has bad records
	badRest    = 7
)

// fill produces the events, spread over the partitions; one in badOneIn is cut off in the middle of its id.
func fill(t *testing.T, topic string) {
	cl := client(t, kgo.ProducerBatchMaxBytes(200_000), kgo.MaxBufferedRecords(100_000))
	var failed atomic.Pointer[error]
	done := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.Store(&err)
		}
	}
	for i := range records {
		value := event(i)
		if i%badOneIn == badRest {
			value = value[:len(`{"id":"id-00000000`)]
		}
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(i % partitions), Value: value}, done)
	}
	require.NoError(t, cl.Flush(t.Context()))
	require.Nil(t, failed.Load())
}

// moments of kills: CRASHES sets how many, SEED replays a choice of them.
type moments struct {
	*rand.Rand
	crashes int
}

func killMoments(t *testing.T) moments {
	crashes, err := strconv.Atoi(envOr("CRASHES", "5"))
	require.NoError(t, err)
	seed, err := strconv.ParseUint(envOr("SEED", strconv.FormatInt(time.Now().UnixNano(), 10)), 10, 64)
	require.NoError(t, err)
	t.Logf("SEED=%d CRASHES=%d", seed, crashes)
	return moments{rand.New(rand.NewPCG(seed, 0)), crashes}
}

// kill runs a pipeline and kills it, again and again; a process lives at most so long.
func (m moments) kill(t *testing.T, file string, most time.Duration) {
	commits := 0
	for range m.crashes {
		p := start(t, "run", file)
		time.Sleep(time.Duration(m.Int64N(int64(most))))
		p.signal(t, syscall.SIGKILL)
		require.Equal(t, -1, p.code(t, 10*time.Second), "killed, not ended: %s", p.err.String())
		commits += p.batches()
	}
	t.Logf("%d batches reported before kills", commits)
}

// paces are how fast a pipeline goes, and how long its processes live at most.
var paces = []struct {
	name, settings string
	most           time.Duration
}{
	{"every second", "limits: {rows_per_batch: 30000}\ntrigger: {interval: 1s}\ncommit: {interval: 1s, compaction: {enabled: false}}\n", 4 * time.Second},
	{"back to back, compacting", "limits: {rows_per_batch: 10000}\ntrigger: {interval: 0s}\ncommit: {interval: 0s, compaction: {files: 2, cpu_share: 1}}\n", time.Second},
}

// The process dies at random moments: while it starts, within a batch, between staging and commit, between the commit and the dead letters, in a compaction. Readers
// look on all the time.
func TestEveryRecordOnceThroughKills(t *testing.T) {
	moments := killMoments(t)
	topic := newTopic(t, partitions, nil)
	fill(t, topic)
	for _, pace := range paces {
		t.Run(pace.name, func(t *testing.T) {
			file, table := pipeline(t, topic, pace.settings)
			watched := watch(t, table, "id")
			moments.kill(t, file, pace.most)
			drain(t, file)
			watched()
			requireAllOnce(t, table)
		})
	}
}

func requireAllOnce(t *testing.T, table string) {
	t.Helper()
	requireExactly(t, table, "id", fmt.Sprintf(`select printf('id-%%08d', i) k from range(%d) r(i) where i %% %d <> %d`, records, badOneIn, badRest))
	letters := table + "_dead_letter"
	requireExactly(t, letters, "decode(value)", fmt.Sprintf(`select printf('{"id":"id-%%08d', i) k from range(%d) r(i) where i %% %d = %d`, records, badOneIn, badRest))
	require.Zero(t, number(t, letters, `select count(*) - count(distinct (topic, partition, "offset")) from t`))
	require.Zero(t, number(t, letters, `select count(*) from t where error is null or value is null`))
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
