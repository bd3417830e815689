package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/scenario"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/schedule"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
)

// lake is what outlives a scheduler: tables and documents.
type lake struct {
	t       *testing.T
	clock   *scheduleClock
	objects *store.Mem
	docs    *memory.Source
	n       int
	tokens  atomic.Int64
}

func newLake(t *testing.T) *lake {
	return &lake{t: t, clock: newScheduleClock(), objects: store.NewMem(), docs: memory.New("events", false)}
}

func (l *lake) add(n int) {
	for range n {
		l.docs.Append(0, fmt.Appendf(nil, `{"id":%d}`, l.n), 0)
		l.n++
	}
}

func (l *lake) world(log *bytes.Buffer) wire.World {
	return wire.World{
		Clock: l.clock, Log: slog.New(slog.NewTextHandler(log, nil)), InlineCompaction: true, Workers: 2,
		Objects: func(path string) (store.Store, error) { return store.Sub(l.objects, path), nil },
		Source:  func(context.Context, *config.Source, bool) (source.Source, error) { return l.docs, nil },
		Token:   func() int64 { return l.tokens.Add(1) }, NewID: uuid.NewString,
	}
}

func (l *lake) scheduler(log *bytes.Buffer, pipelines ...*config.Pipeline) *schedule.Scheduler {
	return l.schedulerIn(l.world(log), pipelines...)
}

func (l *lake) schedulerIn(w wire.World, pipelines ...*config.Pipeline) *schedule.Scheduler {
	s, err := newScheduler(pipelines, w, scheduleFlags{parallel: 2})
	require.NoError(l.t, err)
	return s
}

// rows of a table, in order of their ids.
func (l *lake) rows(table string) []string {
	lines, err := scenario.ReadTable(context.Background(), store.Sub(l.objects, table))
	require.NoError(l.t, err)
	return lines
}

func (l *lake) versions(table string) int {
	list, err := l.objects.List(context.Background(), table+"/_delta_log", "")
	require.NoError(l.t, err)
	return len(list)
}

func scheduledPipeline(t *testing.T, name, table, more string) *config.Pipeline {
	p, err := config.Parse(name+".yaml", fmt.Sprintf("name: %s\nsources: {events: {memory: {}, schema: id BIGINT}}\nquery: SELECT id FROM events\nsink: {delta: {path: %s}}\n%s", name, table, more), os.LookupEnv)
	require.NoError(t, err)
	return p
}

const quarterly = "schedule: \"*/15 * * * *\"\n"

func nothing() {}

// runFor runs a scheduler for so long.
func (l *lake) runFor(s *schedule.Scheduler, d time.Duration) {
	require.NoError(l.t, l.clock.run(l.t, d, nothing, s)[0])
}

// A scheduler that was down over ten times makes one run, with everything in it, and nothing new makes no version.
func TestOneRunForManyTimes(t *testing.T) {
	l, log := newLake(t), &bytes.Buffer{}
	p := scheduledPipeline(t, "p", "t", quarterly)
	l.add(10)
	l.runFor(l.scheduler(log, p), 16*time.Minute)
	require.Equal(t, 1, l.versions("t"))
	l.clock.pass(10 * 15 * time.Minute)
	l.add(10)
	s := l.scheduler(log, p)
	var results []schedule.Result
	s.OnResult = func(_ string, r schedule.Result, _ time.Time) { results = append(results, r) }
	l.runFor(s, 40*time.Minute)
	require.Len(t, results, 3)
	require.Equal(t, []int{9, 0, 0}, []int{results[0].Missed, results[1].Missed, results[2].Missed}, "10 times, one run")
	require.EqualValues(t, 10, results[0].Rows)
	require.Zero(t, results[1].Batches)
	require.Equal(t, 2, l.versions("t"))
	require.Len(t, l.rows("t"), 20)
}

// Two schedulers over the same files: every row comes once, whoever is fenced says by whom and ends.
func TestTwoSchedulers(t *testing.T) {
	l := newLake(t)
	logs := []*bytes.Buffer{{}, {}}
	schedulers := make([]*schedule.Scheduler, 2)
	var both sync.WaitGroup
	both.Add(2)
	for i := range schedulers {
		w, first := l.world(logs[i]), true
		w.Step = func(string) error { // both read the same rows before either commits
			if first {
				first = false
				both.Done()
				both.Wait()
			}
			return nil
		}
		schedulers[i] = l.schedulerIn(w, scheduledPipeline(t, "p", "t", quarterly))
	}
	ended := l.clock.run(t, 5*time.Hour, func() { l.add(7) }, schedulers...)
	loser := slices.IndexFunc(ended, func(err error) bool { return err != nil })
	require.ErrorIs(t, ended[loser], committer.ErrFenced)
	require.Equal(t, exitFenced, exitCode(ended[loser]))
	require.Regexp(t, `fenced by another writer: .*, process \d+, started .* took over pipeline p at version`, logs[loser].String())
	require.NoError(t, ended[1-loser], "the other one goes on")
	l.runFor(l.scheduler(&bytes.Buffer{}, scheduledPipeline(t, "p", "t", quarterly)), 16*time.Minute)
	require.Len(t, l.rows("t"), l.n)
	require.Len(t, distinct(l.rows("t")), l.n)
}

func distinct(lines []string) map[string]bool {
	out := map[string]bool{}
	for _, l := range lines {
		out[l] = true
	}
	return out
}

// One pipeline that fails does not stop the other, and says where it is stuck.
func TestOneFailsTheOtherRuns(t *testing.T) {
	l, log := newLake(t), &bytes.Buffer{}
	good := scheduledPipeline(t, "good", "good", quarterly)
	bad := scheduledPipeline(t, "bad", "bad", quarterly)
	bad.Sources[0].OnBad = microbatch.FailOnBad
	l.add(5)
	l.docs.Append(0, []byte("no json"), 0)
	l.runFor(l.scheduler(log, good, bad), time.Hour)
	require.Len(t, l.rows("good"), 5)
	require.Zero(t, l.versions("bad"))
	require.Contains(t, log.String(), "in a row in the batch that begins at events events-0 from offset 0: on_bad_record: dead_letter")
}

// What the list says, from the tables alone.
func TestScheduleList(t *testing.T) {
	l, log := newLake(t), &bytes.Buffer{}
	p := scheduledPipeline(t, "p", "t", "schedule: {cron: \"*/15 * * * *\", jitter: 5m}\n")
	list := func(asJSON bool) string {
		var out bytes.Buffer
		require.NoError(t, listSchedules(t.Context(), &out, []*config.Pipeline{p}, l.world(log), asJSON))
		return out.String()
	}
	require.Contains(t, list(false), "p  [*/15 * * * * UTC]  next 2000-01-01T00:0")
	require.Contains(t, list(false), "no commit yet")
	l.add(1)
	l.runFor(l.scheduler(log, p), 35*time.Minute)
	require.Contains(t, list(false), "last commit 2000-01-01T00:0")
	l.clock.pass(time.Hour)
	require.Regexp(t, `"last":"2000-01-01T00:0.*","batch":0,"version":0,"writer":".*","missed":6,"next":"2000-01-01T01:4`, list(true))
}

// A run that made no commit is in the list, too, also before there is a table; and what it left there does not keep the table from being made.
func TestScheduleListTellsResults(t *testing.T) {
	l, log := newLake(t), &bytes.Buffer{}
	p := scheduledPipeline(t, "p", "t", quarterly)
	list := func(asJSON bool) string {
		var out bytes.Buffer
		require.NoError(t, listSchedules(t.Context(), &out, []*config.Pipeline{p}, l.world(log), asJSON))
		return out.String()
	}
	p.Sources[0].OnBad = microbatch.FailOnBad
	l.docs.Append(0, []byte("no json"), 0)
	l.runFor(l.scheduler(log, p), 16*time.Minute)
	require.Contains(t, list(false), "no commit yet  last run 2000-01-01T00:15:")
	require.Contains(t, list(false), ": failed (batch 0 (events events-0 from offset 0)")
	p.Sources[0].OnBad = microbatch.DropBad
	l.add(3)
	l.runFor(l.scheduler(log, p), 16*time.Minute)
	require.Len(t, l.rows("t"), 3)
	require.Contains(t, list(false), ": committed")
	require.Contains(t, list(true), `"result":"committed","batches":1,"rows":3,"version":0`)
	l.runFor(l.scheduler(log, p), 16*time.Minute)
	require.Contains(t, list(false), ": nothing new")
	require.NotContains(t, log.String(), "could not be put")
}

// What the command refuses, and what validation warns of.
func TestScheduleFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, more string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "name: p\nsources: {events: {memory: {}, schema: id BIGINT}}\nquery: SELECT id FROM events\nsink: {delta: {path: %s/t}}\n%s", dir, more), 0o644))
		return file
	}
	plain, nightly, again := write("plain.yaml", ""), write("a.yaml", "schedule: 30 2 * * *\ntimezone: Europe/Berlin\n"), write("b.yaml", quarterly)
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"schedule", "needs at least one pipeline file", 2},
		{"schedule " + plain, "schedule is missing, e.g. schedule:", 2},
		{"schedule " + nightly + " " + again, "are the same pipeline p of", 2},
		{"schedule --parallel 0 " + again, "--parallel 0: at least 1", 2},
		{"schedule --memory 1MiB " + again, "--memory: expected a size", 2},
		{"schedule --drain-timeout x " + again, "--drain-timeout:", 2},
		{"schedule --list " + again, "no commit yet", 0},
		{"validate " + nightly, "warning: schedule: Europe/Berlin 20", 0},
		{"validate " + again, "ok, pipeline p", 0},
	} {
		out, code := call(t, strings.Fields(c.args)...)
		require.Contains(t, out, c.want, c.args)
		require.Equal(t, c.code, code, c.args)
	}
}

// A run as a line, for programs and for people.
func TestRunLines(t *testing.T) {
	start := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	next := start.Add(24 * time.Hour)
	for _, c := range []struct {
		r          schedule.Result
		next       time.Time
		json, text string
	}{
		{schedule.Result{Due: start, Started: start, Ended: start.Add(9 * time.Second), Outcome: schedule.Outcome{Batches: 9, Rows: 100, Version: 7}}, next,
			`{"pipeline":"p","due":"2026-11-30T03:00:00Z","started":"2026-11-30T03:00:00Z","ended":"2026-11-30T03:00:09Z","result":"committed","batches":9,"rows":100,"version":7,"next":"2026-12-01T03:00:00Z"}`,
			"03:00:09 p: committed 100 rows in 9 batches and 9s, version 7, next 2026-12-01T03:00:00Z"},
		{schedule.Result{Due: start, Missed: 3, Started: start, Ended: start}, next,
			`{"pipeline":"p","due":"2026-11-30T03:00:00Z","missed":3,"started":"2026-11-30T03:00:00Z","ended":"2026-11-30T03:00:00Z","result":"nothing new","batches":0,"rows":0,"next":"2026-12-01T03:00:00Z"}`,
			"03:00:00 p: nothing new, for 3 times that passed before, next 2026-12-01T03:00:00Z"},
		{schedule.Result{Started: start, Ended: start, Err: committer.ErrFenced}, time.Time{},
			`{"pipeline":"p","started":"2026-11-30T03:00:00Z","ended":"2026-11-30T03:00:00Z","result":"failed","batches":0,"rows":0,"error":"fenced by another writer"}`,
			"03:00:00 p: failed, ends in this process"},
	} {
		var asJSON, text bytes.Buffer
		resultPrinter(&asJSON, true)("p", c.r, c.next)
		resultPrinter(&text, false)("p", c.r, c.next)
		require.Equal(t, c.json+"\n", asJSON.String())
		require.Equal(t, c.text+"\n", text.String())
	}
}

// endless is a source whose rows do not come until a run is given up.
type endless struct{ *memory.Source }

type endlessReader struct{}

func (endless) Read(context.Context, offsets.Range) (source.Reader, error) {
	return endlessReader{}, nil
}
func (endlessReader) Next(ctx context.Context) (*columnar.Batch, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (endlessReader) Close() error { return nil }

// A run whose batch was dropped by a stop is abandoned: in its result, and in what the list shows.
func TestAbandonedRuns(t *testing.T) {
	l, log := newLake(t), &bytes.Buffer{}
	p := scheduledPipeline(t, "p", "t", quarterly+"drain_timeout: 1ms\n")
	l.add(1)
	w := l.world(log)
	w.Source = func(context.Context, *config.Source, bool) (source.Source, error) { return endless{l.docs}, nil }
	stop := make(chan struct{})
	close(stop)
	_, err := newJob(p, w).Run(t.Context(), stop)
	require.ErrorIs(t, err, microbatch.ErrAbandoned)
	require.Equal(t, "abandoned", runJSON("p", schedule.Result{Err: err}, time.Time{}).Result)
	run, err := readRun(t.Context(), p, w)
	require.NoError(t, err)
	require.Equal(t, "abandoned", run.Result)
	require.Contains(t, log.String(), "stopped after the drain timeout: the open batch was abandoned")
}
