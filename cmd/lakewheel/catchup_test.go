package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/offsets"
)

// read is a batch of a bounded run from one offset to another, of a partition that ends at a target.
func read(name string, from, until, target int64) microbatch.Progress {
	pos := func(at int64) offsets.Positions { return offsets.Positions{{Topic: "t"}: at} }
	return microbatch.Progress{Name: name, NumInputRows: until - from, NumInputBytes: 100 * (until - from), Sink: microbatch.SinkProgress{Version: 7},
		Sources: []microbatch.SourceProgress{{StartOffset: pos(from), EndOffset: pos(until), TargetOffset: pos(target)}}}
}

// What the bar says after batches, a second each.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		batches []microbatch.Progress
		want    string
	}{
		{[]microbatch.Progress{read("p", 0, 1000, 4000)}, "p [=====               ] 25%  1.0k rows/s  lag 3.0k  97.7 KiB  ETA 3s"},
		{[]microbatch.Progress{read("p", 0, 1000, 4000), read("p", 1000, 4000, 4000)}, "p [====================] 100%  2.0k rows/s  lag 0  390.6 KiB"},
		{[]microbatch.Progress{read("p", 500, 600, 700)}, "p [==========          ] 50%  100 rows/s  lag 100  9.8 KiB  ETA 1s"},
		{[]microbatch.Progress{read("p", 0, 3_000_000, 12_000_000), read("q", 0, 1, 8_000_000)}, "2 pipelines [===                 ] 15%  1.5M rows/s  lag 17.0M  286.1 MiB  ETA 11s"},
		{[]microbatch.Progress{read("p", 5, 5, 5)}, "p [====================] 100%  0 rows/s  lag 0  0 B"}, // a batch without data
	} {
		now := time.Unix(0, 0)
		s := newCatchUp(now)
		for _, p := range c.batches {
			now = now.Add(time.Second)
			s.add(p, now)
		}
		require.Equal(t, c.want, s.line())
	}
}

// The rate is that of the last seconds.
func TestBarFollowsTheRate(t *testing.T) {
	now := time.Unix(0, 0)
	s := newCatchUp(now)
	at := int64(0)
	for second := range 40 {
		n := int64(1000)
		if second >= 20 {
			n = 10
		}
		now = now.Add(time.Second)
		s.add(read("p", at, at+n, 1_000_000), now)
		at += n
	}
	require.InDelta(t, 10, s.rate(), 1)
	require.LessOrEqual(t, len(s.samples), 12)
}

// The bar is one line; the log and the results stand above it.
func TestBarOnATerminal(t *testing.T) {
	var screen bytes.Buffer
	now := time.Unix(0, 0)
	b := newBar(&screen, func() time.Time { now = now.Add(time.Second); return now })
	log := slog.New(slog.NewTextHandler(b.beside(&screen), nil))
	b.batch(read("p", 0, 1, 2))
	log.Warn("beware")
	b.batch(read("p", 1, 2, 2))
	b.ended("p", nil)
	b.ended("q", nil)
	b.ended("r", errors.New("no"))
	lines := strings.Split(screen.String(), "\n")
	require.Len(t, lines, 4)
	require.Regexp(t, `^\r\x1b\[Kp \[=+ +\] 50%.*\r\x1b\[Ktime=.*beware$`, lines[0])
	require.Regexp(t, `^\r\x1b\[Kp \[=+\] 100%.*\r\x1b\[Kp: 2 rows, 200 B in .*, version 7$`, lines[1])
	require.Equal(t, "q: nothing new", lines[2])
	require.Empty(t, lines[3])
}

// topicOf is a broker with a topic of so many records, and a pipeline file that reads it.
func topicOf(t *testing.T, records int) (cluster *kfake.Cluster, file, table string) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "t"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	produce(t, cluster, records)
	dir := t.TempDir()
	file, table = filepath.Join(dir, "p.yaml"), filepath.Join(dir, "table")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `name: p
sources: {events: {kafka: {brokers: [%q], topic: t}, schema: id BIGINT}}
query: SELECT id FROM events
sink: {delta: {path: %q}}
limits: {rows_per_batch: 400}
commit: {interval: 0s}
`, cluster.ListenAddrs()[0], table), 0o644))
	return cluster, file, table
}

func produce(t *testing.T, cluster *kfake.Cluster, records int) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("t"))
	require.NoError(t, err)
	defer cl.Close()
	for i := range records {
		cl.Produce(context.Background(), &kgo.Record{Value: fmt.Appendf(nil, `{"id":%d}`, i)}, nil)
	}
	require.NoError(t, cl.Flush(context.Background()))
}

// caughtUp runs a file with --available-now and returns its batches.
func caughtUp(t *testing.T, file string, stop <-chan struct{}) (batches []microbatch.Progress, log string) {
	p, err := config.Load(file, os.LookupEnv)
	require.NoError(t, err)
	p.Trigger.AvailableNow = true
	var text bytes.Buffer
	to := &collected{}
	require.NoError(t, runAll(t.Context(), []*config.Pipeline{p}, wire.Real(slog.New(slog.NewTextHandler(&text, nil))), stop, 0, to))
	return to.batches, text.String()
}

type collected struct{ batches []microbatch.Progress }

func (c *collected) batch(p microbatch.Progress) { c.batches = append(c.batches, p) }
func (*collected) ended(string, error)           {}

// A catch-up fixes its ends at the start and keeps the limits; with nothing new it ends in less than a second, and the table
// gets no version.
func TestCatchUp(t *testing.T) {
	cluster, file, table := topicOf(t, 1000)
	versions := func() int {
		list, err := filepath.Glob(table + "/_delta_log/*.json")
		require.NoError(t, err)
		return len(list)
	}
	batches, _ := caughtUp(t, file, nil)
	require.Len(t, batches, 3)
	rows := int64(0)
	for _, p := range batches {
		require.LessOrEqual(t, p.NumInputRows, int64(402))
		require.EqualValues(t, 1000, offsets.Positions{}.Behind(p.Sources[0].TargetOffset))
		rows += p.Sink.NumOutputRows
	}
	require.EqualValues(t, 1000, rows)
	require.Equal(t, 3, versions())
	start := time.Now()
	batches, _ = caughtUp(t, file, nil)
	require.Empty(t, batches)
	require.Less(t, time.Since(start), time.Second)
	require.Equal(t, 3, versions())
	produce(t, cluster, 10)
	batches, _ = caughtUp(t, file, nil)
	require.Len(t, batches, 1)
	require.Equal(t, 4, versions())
}

// A stop says what became of the open batch.
func TestStopSaysWhich(t *testing.T) {
	_, file, _ := topicOf(t, 1000)
	stop := make(chan struct{})
	close(stop)
	batches, log := caughtUp(t, file, stop)
	require.Len(t, batches, 1)
	require.Contains(t, log, "stopped: the open batch was finished, and everything that was read is committed")
	p, err := config.Load(file, os.LookupEnv)
	require.NoError(t, err)
	var text bytes.Buffer
	w := wire.Real(slog.New(slog.NewTextHandler(&text, nil)))
	require.NoError(t, tellStop(microbatch.ErrAbandoned, p, w, stop))
	require.Contains(t, text.String(), "stopped after the drain timeout: the open batch was abandoned, which loses nothing")
	require.Contains(t, text.String(), "drain_timeout=30s")
}
