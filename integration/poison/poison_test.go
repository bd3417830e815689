//go:build integration

// Package poison runs the built binary over backlogs that are hard on its memory, from a broker inside the test.
package poison

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// memory is limits.memory of the pipelines, and allowed is the most that a process may take: the memory, the program itself, its
// buffers beside data in flight, and what the collector leaves until it runs.
const (
	memory  = 256 << 20
	allowed = 512 << 20
)

// tiny is a record of a few bytes.
func tiny(i int) []byte { return fmt.Appendf(nil, `{"id":%d}`, i) }

// padded is a record of so many bytes.
func padded(i, size int) []byte {
	return fmt.Appendf(nil, `{"id":%d,"pad":"%s"}`, i, strings.Repeat("x", size))
}

// backlogs fill a topic of four partitions and return how many records that were.
var backlogs = []struct {
	name string
	fill func(send func(partition int32, value []byte)) int
	more string // of the limits
}{
	{"one record of 50 MB among small ones", func(send func(int32, []byte)) int {
		for i := range 200_000 {
			if i == 100_000 {
				send(1, padded(i, 50_000_000))
				continue
			}
			send(int32(i%4), padded(i, 200))
		}
		return 200_000
	}, ""},
	{"many records of 5 MB", func(send func(int32, []byte)) int {
		for i := range 100 {
			send(int32(i%4), padded(i, 5_000_000))
		}
		return 100
	}, ""},
	{"ten million tiny ones", func(send func(int32, []byte)) int {
		for i := range 10_000_000 {
			send(int32(i%4), tiny(i))
		}
		return 10_000_000
	}, ""},
	{"one partition with 99 of 100 records", func(send func(int32, []byte)) int {
		for i := range 2_000_000 {
			partition := int32(2)
			if i%100 == 0 {
				partition = int32(i / 100 % 4)
			}
			send(partition, padded(i, 100))
		}
		return 2_000_000
	}, ", rows_per_partition: 200000"},
}

func TestBacklogsStayWithinTheMemory(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "lakewheel")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/lakewheel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, b := range backlogs {
		t.Run(b.name, func(t *testing.T) {
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "t"), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "104857600"}))
			require.NoError(t, err)
			defer cluster.Close()
			addr := cluster.ListenAddrs()[0]
			records := produce(t, addr, b.fill)
			file := filepath.Join(t.TempDir(), "p.yaml")
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `name: p
sources: {events: {kafka: {brokers: [%q], topic: t}, schema: "id BIGINT, pad STRING"}}
query: SELECT id, length(pad) AS size, pad FROM events
sink: {delta: {path: %q}}
limits: {memory: %dMiB%s}
`, addr, filepath.Join(t.TempDir(), "table"), memory>>20, b.more), 0o644))
			cmd := exec.Command(binary, "run", "--available-now", "--json", file)
			var log bytes.Buffer
			cmd.Stderr = &log
			start := time.Now()
			rows, limited, rss := follow(t, cmd)
			require.EqualValues(t, records, rows, "%s", log.String())
			t.Logf("%d records in %s, at most %d MiB resident, limited by %v", records, time.Since(start).Round(time.Millisecond), rss>>20, limited)
			require.Less(t, rss, int64(allowed), "%d MiB resident", rss>>20)
		})
	}
}

// produce fills the topic.
func produce(t *testing.T, addr string, fill func(func(int32, []byte)) int) int {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.DefaultProduceTopic("t"), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(100<<20), kgo.BrokerMaxWriteBytes(200<<20), kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.MaxBufferedRecords(100_000))
	require.NoError(t, err)
	defer cl.Close()
	n := fill(func(partition int32, value []byte) {
		cl.Produce(context.Background(), &kgo.Record{Partition: partition, Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	})
	require.NoError(t, cl.Flush(context.Background()))
	return n
}

// follow runs a command, adds up its progress and watches the most memory that it had, in bytes. (The figure that the
// system gives at the end of a process is that of its parent, if that had more.)
func follow(t *testing.T, cmd *exec.Cmd) (rows int64, limited map[string]int, rss int64) {
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	over, watched := make(chan struct{}), make(chan int64)
	go func() { watched <- watch(cmd.Process.Pid, over) }()
	limited = map[string]int{}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var p struct {
			LimitedBy string
			Sink      struct{ NumOutputRows int64 }
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &p))
		rows += p.Sink.NumOutputRows
		limited[p.LimitedBy]++
	}
	close(over)
	rss = <-watched
	require.NoError(t, cmd.Wait())
	return rows, limited, rss
}

// watch looks at the high-water mark of a process until it is over.
func watch(pid int, over <-chan struct{}) (most int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kib int64
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				most = max(most, kib<<10)
			}
		}
		select {
		case <-over:
			return most
		case <-time.After(10 * time.Millisecond):
		}
	}
}
