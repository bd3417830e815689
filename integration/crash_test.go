//go:build integration

package integration

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	crashRecords    = 2_000_000
	crashPartitions = 4
	malformedOneIn  = 1000
)

// fill produces n records with unique ids; one in malformedOneIn is cut off.
func fill(t *testing.T, topic string, n int) (good, bad int) {
	cl := client(t, kgo.ProducerBatchMaxBytes(900_000), kgo.MaxBufferedRecords(100_000))
	var mu sync.Mutex
	var failed error
	for i := range n {
		value := fmt.Appendf(nil, `{"id":"id-%08d","n":%d}`, i, i)
		if i%malformedOneIn == 7 {
			value, bad = value[:10], bad+1
		}
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(i % crashPartitions), Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	require.NoError(t, cl.Flush(t.Context()))
	require.NoError(t, failed)
	return n - bad, bad
}

// The process is killed at random moments, between and within its commits, and started again. Readers that we did not write
// find every id once, and every malformed record once among the dead letters. CRASHES sets how often, SEED replays a run.
func TestKilledAtRandomMoments(t *testing.T) {
	crashes, err := strconv.Atoi(envOr("CRASHES", "5"))
	require.NoError(t, err)
	seed, err := strconv.ParseUint(envOr("SEED", strconv.FormatInt(time.Now().UnixNano(), 10)), 10, 64)
	require.NoError(t, err)
	t.Logf("SEED=%d CRASHES=%d", seed, crashes)
	rng := rand.New(rand.NewPCG(seed, 0))
	topic := newTopic(t, crashPartitions, nil)
	good, bad := fill(t, topic, crashRecords)
	file, table := pipeline(t, topic, "", "limits: {rows_per_batch: 20000}\ntrigger: {interval: 20ms}\ncommit: {interval: 20ms}\n")
	killed := 0
	for range crashes {
		var out bytes.Buffer
		cmd := exec.Command(binary, "run", file)
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(200+rng.IntN(800)) * time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		require.Error(t, cmd.Wait())
		if bytes.Contains(out.Bytes(), []byte(`"batchId"`)) {
			killed++
		}
	}
	require.Positive(t, killed, "no run got as far as a commit")
	last := lakewheel(t, "run", "--available-now", file)
	require.Zero(t, last.code, last.stderr)
	rows := read(t, "count", table, "id")
	require.Equal(t, good, rows.Rows)
	require.Equal(t, good, rows.Distinct)
	letters := read(t, "count", table+"_dead_letter", "offset")
	require.Equal(t, bad, letters.Rows)
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// Two processes on one pipeline: the newest starter wins, the other stops with exit code 3 and says who took over.
func TestNewestStarterWins(t *testing.T) {
	topic := newTopic(t, 2, nil)
	cl := client(t)
	file, table := pipeline(t, topic, "", "trigger: {interval: 100ms}\ncommit: {interval: 100ms}\n")
	start := func() (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.Command(binary, "run", file)
		cmd.Stderr = &out
		require.NoError(t, cmd.Start())
		return cmd, &out
	}
	next := 0
	feed := func(d time.Duration) {
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			produce(t, cl, topic, int32(next%2), fmt.Sprintf(`{"id":"x%d","n":1}`, next))
			next++
		}
	}
	first, firstOut := start()
	feed(time.Second)
	second, secondOut := start()
	feed(2 * time.Second)
	require.Error(t, first.Wait())
	require.Equal(t, 3, first.ProcessState.ExitCode(), firstOut.String())
	require.Contains(t, firstOut.String(), fmt.Sprintf("process %d", second.Process.Pid))
	feed(500 * time.Millisecond)
	require.NoError(t, second.Process.Signal(syscall.SIGTERM))
	require.NoError(t, second.Wait(), secondOut.String())
	require.Zero(t, lakewheel(t, "run", "--available-now", file).code)
	rows := read(t, "count", table, "id")
	require.Equal(t, next, rows.Rows)
	require.Equal(t, next, rows.Distinct)
}
