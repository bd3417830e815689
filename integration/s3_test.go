//go:build integration

package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/lakehouse/store/storetest"
)

func openS3(t *testing.T, place string, change ...func(*store.S3Config)) *store.S3 {
	c := s3Settings(s3Server(t))
	for _, edit := range change {
		edit(&c)
	}
	s, err := store.NewS3(place, c)
	require.NoError(t, err)
	return s
}

// A real server keeps the promises, and the probe says so.
func TestS3Promises(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openS3(t, "s3://"+newBucket(t)+"/some/prefix") })
	warnings, err := openS3(t, "s3://"+newBucket(t)+"/t").Probe(t.Context())
	require.NoError(t, err)
	require.Empty(t, warnings)
}

// Eight writers of two clients over many names: each name has one winner, whose bytes are there.
func TestS3RaceHasOneWinner(t *testing.T) {
	place := "s3://" + newBucket(t) + "/race"
	clients := []*store.S3{openS3(t, place), openS3(t, place)}
	for round := range 100 {
		name := fmt.Sprintf("log/%d", round)
		var winners atomic.Int32
		var winner atomic.Value
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				body := fmt.Sprintf("writer %d", i)
				_, err := clients[i%2].PutIfAbsent(t.Context(), name, []byte(body))
				switch {
				case err == nil:
					winners.Add(1)
					winner.Store(body)
				case !errors.Is(err, store.ErrExists):
					t.Error(err)
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 1, winners.Load())
		body, _, err := clients[0].Get(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, winner.Load(), string(body))
	}
}

// A large file goes out in parts and comes back whole, in ranges, too.
func TestS3LargeFiles(t *testing.T) {
	s := openS3(t, "s3://"+newBucket(t)+"/t", func(c *store.S3Config) { c.PartSize = 5 << 20 })
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	w, err := s.Create(t.Context(), "data/big.parquet")
	require.NoError(t, err)
	_, err = w.Write(body)
	require.NoError(t, err)
	_, err = s.Stat(t.Context(), "data/big.parquet")
	require.ErrorIs(t, err, store.ErrNotExist)
	require.NoError(t, w.Close())
	require.EqualValues(t, 4, s.Requests().Part)
	r, err := s.Open(t.Context(), "data/big.parquet")
	require.NoError(t, err)
	require.EqualValues(t, len(body), r.Size())
	for _, at := range []int64{0, 5<<20 - 3, 7 << 20, r.Size() - 10} {
		got := make([]byte, 10)
		_, err := r.ReadAt(got, at)
		require.NoError(t, err)
		require.Equal(t, string(body[at:at+10]), string(got))
	}
	got, _, err := s.Get(t.Context(), "data/big.parquet")
	require.NoError(t, err)
	require.True(t, bytes.Equal(body, got))
}

// A pipeline writes tables to S3, other programs read and append, ours goes on; the commands that only read see the same.
func TestS3Pipeline(t *testing.T) {
	s3Environment(t)
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := s3Pipeline(t, topic, s3Server(t), "")
	for run := range 3 {
		produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"a%d","n":1}`, run), fmt.Sprintf(`{"id":"b%d","n":2}`, run), "not json")
		res := lakewheel(t, "run", "--available-now", file)
		require.Zero(t, res.code, res.stderr)
		require.NotContains(t, res.stdout+res.stderr, gatewaySecret)
		requireIDs(t, table, 2*(run+1))
		require.Len(t, scan(t, table+"_dead_letter"), run+1)
	}
	read(t, "append", table)
	produce(t, cl, topic, 0, `{"id":"last","n":3}`)
	require.Zero(t, lakewheel(t, "run", "--available-now", file).code)
	rows := scan(t, table)
	require.Len(t, rows, 8, "seven of ours, one of delta-rs")
	for _, args := range [][]string{{"cat", table}, {"cat", "--settings", file, table}} {
		res := lakewheel(t, args...)
		require.Zero(t, res.code, res.stderr)
		require.Equal(t, 8, strings.Count(res.stdout, "\n"))
	}
	history := lakewheel(t, "history", file)
	require.Zero(t, history.code, history.stderr)
	require.Contains(t, history.stdout, "version 4")
	status := lakewheel(t, "status", file)
	require.Zero(t, status.code, status.stderr)
	require.Contains(t, status.stdout, table+", version 4")
	require.Contains(t, status.stdout, "lag       0 records")
}

// Folders of partitions may have any names; delta-rs finds them.
func TestS3Partitions(t *testing.T) {
	s3Environment(t)
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := s3Pipeline(t, topic, s3Server(t), "")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	path := fmt.Sprintf("path: %q", table)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), path, path+", partition_by: [id]", 1)), 0o644))
	odd := []string{"a b", "50%", "ü/ö", "1+1=2", "x&y;z", "'quoted'", "#?", "%2F"}
	for i, id := range odd {
		value, err := json.Marshal(map[string]any{"id": id, "n": i})
		require.NoError(t, err)
		produce(t, cl, topic, 0, string(value))
	}
	res := lakewheel(t, "run", "--available-now", file)
	require.Zero(t, res.code, res.stderr)
	want := map[string]bool{}
	for i, id := range odd {
		value, err := json.Marshal(map[string]any{"id": id, "n": i})
		require.NoError(t, err)
		want[string(value)] = true
	}
	rows := scan(t, table)
	require.Len(t, rows, len(odd))
	for _, r := range rows {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(r), &row))
		value, err := json.Marshal(row)
		require.NoError(t, err)
		require.True(t, want[string(value)], r)
	}
	cat := lakewheel(t, "cat", table)
	require.Zero(t, cat.code, cat.stderr)
	require.Equal(t, len(odd), strings.Count(cat.stdout, "\n"))
}

// What cannot work ends with one sentence that says what to do, without the secret.
func TestS3Faults(t *testing.T) {
	topic := newTopic(t, 1, nil)
	produce(t, client(t), topic, 0, `{"id":"x","n":1}`)
	edit := func(old, new string) string {
		file, _ := s3Pipeline(t, topic, s3Server(t), "")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
		return file
	}
	for name, c := range map[string]struct{ file, want string }{
		"no such bucket":   {edit("s3://test-", "s3://no-such-"), "make the bucket first"},
		"a wrong secret":   {edit(gatewaySecret, "wrong-secret"), "check the access key and the secret key"},
		"a wrong key":      {edit(fmt.Sprintf("access_key: %q", gatewayKey), "access_key: nobody"), "access key"},
		"nobody listens":   {edit(s3Server(t), "http://127.0.0.1:1"), "connection refused"},
		"TLS without one":  {edit(s3Server(t), strings.Replace(s3Server(t), "http:", "https:", 1)), "HTTP response to HTTPS client"},
		"not an S3 server": {edit(s3Server(t), "http://"+brokers), "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			res := lakewheel(t, "run", "--available-now", c.file)
			require.Equal(t, 1, res.code, res.stderr)
			require.Contains(t, res.stderr, c.want)
			require.NotContains(t, res.stderr, gatewaySecret)
			require.NotContains(t, res.stderr, "wrong-secret")
			require.Equal(t, 1, strings.Count(res.stderr, "\n"), "one sentence: %s", res.stderr)
			require.Less(t, time.Since(began), 15*time.Second)
		})
	}
}

// mergeTwo makes a run merge files whenever there are two of a tier.
const mergeTwo = "commit: {compaction: {files: 2}}\n"

// Each request of a run meets each kind of fault once; the table holds every record once. S3_FAULTS=all tries all pairs.
func TestS3FaultAtEveryRequest(t *testing.T) {
	s3Environment(t)
	proxy := newS3Proxy(t)
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := s3Pipeline(t, topic, proxy.URL, mergeTwo)
	run, n, requests := 0, 0, 0
	feed := func(before func(int, *http.Request) s3Fault) {
		produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":1}`, n))
		n++
		proxy.meet(before, nil)
		res := lakewheel(t, "run", "--available-now", file)
		require.Zero(t, res.code, "run %d: %s", run, res.stderr)
		run++
	}
	for range 5 { // a run merges files or not
		feed(nil)
		requests = max(requests, proxy.count())
	}
	t.Logf("%d requests in a run with one record, probe, fence and compaction included", requests)
	kinds := 1
	if os.Getenv("S3_FAULTS") == "all" {
		kinds = len(s3Faults)
	}
	for shift := range kinds {
		for at := range requests {
			fault := s3Faults[(at+shift)%len(s3Faults)]
			feed(func(n int, _ *http.Request) s3Fault {
				if n == at {
					return fault
				}
				return noFault
			})
		}
	}
	for _, fault := range s3Faults { // and the deciding request each kind
		met := false
		feed(func(_ int, r *http.Request) s3Fault {
			if met || !isEntry(r) {
				return noFault
			}
			met = true
			return fault
		})
	}
	requireIDs(t, table, n)
}

// The process is killed right before and right after each request of a run reaches the store: also between the put that decides and the
// look at what it did.
func TestS3KillAtEveryRequest(t *testing.T) {
	s3Environment(t)
	proxy := newS3Proxy(t)
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := s3Pipeline(t, topic, proxy.URL, mergeTwo)
	n, requests := 0, 0
	start := func() *exec.Cmd {
		produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":1}`, n))
		n++
		cmd := exec.Command(binary, "run", "--available-now", file)
		return cmd
	}
	for range 5 {
		proxy.meet(nil, nil)
		require.NoError(t, start().Run())
		requests = max(requests, proxy.count())
	}
	killed := 0
	for at := range requests {
		for _, applied := range []bool{false, true} {
			cmd := start()
			kill := func(i int, _ *http.Request) {
				if i == at {
					_ = cmd.Process.Signal(syscall.SIGKILL)
				}
			}
			if applied {
				proxy.meet(func(i int, _ *http.Request) s3Fault {
					if i == at {
						return applyThenDrop
					}
					return noFault
				}, kill)
			} else {
				proxy.meet(func(i int, r *http.Request) s3Fault {
					if i == at {
						kill(i, r)
						return hangFault
					}
					return noFault
				}, nil)
			}
			if cmd.Run() != nil {
				killed++
			}
		}
	}
	require.Greater(t, killed, requests, "most runs were killed")
	proxy.meet(nil, nil)
	res := lakewheel(t, "run", "--available-now", file)
	require.Zero(t, res.code, res.stderr)
	requireIDs(t, table, n)
}

// Drivers of one pipeline that start one after the other: each takes over, the one before ends with 3, and every record is there once.
func TestS3RacingDrivers(t *testing.T) {
	s3Environment(t)
	topic := newTopic(t, 1, nil)
	cl := client(t)
	// Commits come more often than a start, of a dozen requests, can read the table.
	file, table := s3Pipeline(t, topic, s3Server(t), "trigger: {interval: 100ms}\ncommit: {interval: 0s}\n")
	ctx, stop := context.WithCancel(t.Context())
	var n atomic.Int64
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		for ctx.Err() == nil {
			produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":1}`, n.Add(1)))
			time.Sleep(5 * time.Millisecond)
		}
	}()
	var before *exec.Cmd
	for range 5 {
		cmd := exec.Command(binary, "run", file)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Second)
		if before != nil {
			_ = before.Wait()
			require.Equal(t, 3, before.ProcessState.ExitCode())
		}
		before = cmd
	}
	stop()
	<-fed
	require.NoError(t, before.Process.Signal(syscall.SIGTERM))
	require.NoError(t, before.Wait())
	res := lakewheel(t, "run", "--available-now", file)
	require.Zero(t, res.code, res.stderr)
	requireIDs(t, table, int(n.Load()))
}
