// Package scenario runs scripts that feed rows to a pipeline and show what comes out; docs/scenario.md is the language.
//
// # Model
//
// A script is a sequence of commands with the output that is expected of each. An [Env] runs them one after the other on the real engine,
// with sources in memory, a clock that only the script moves, and a table in a store. A restart or a crash throws the engine
// away and opens it from the store alone: the store and the documents are all that outlives it.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/planner"
)

// Env runs the commands of one script.
type Env struct {
	refused bool // the newest pipeline has a fault
	// Workers are the numbers of tasks at once, and of shards of state: each time the engine is opened it has the next one, in turns.
	Workers []int
	// RowsPerBatch, if it is not 0, cuts batches smaller than the script's limits.
	RowsPerBatch int64
	// Plain writes tables in append mode as plain Parquet files, whatever the script says.
	Plain bool
	// Stream runs the engine as a stream that is stopped once there is nothing more to do, not as bounded runs.
	Stream bool
	// Around, if it is set, makes each run of the engine that it is handed, as a scheduler does.
	Around func(run func() error) error
	// Prepare, if it is set, may change the pipeline of a run before the engine is opened.
	Prepare func(p *config.Pipeline)
	// CrashAfter lets so many durable writes of the script succeed before the process dies once; -1: never.
	CrashAfter int
	// Plans, if it is set, gets the physical plan of each run, as the engine prints it.
	Plans *[]string
	// Fired reports whether the crash came.
	Fired bool

	p         *config.Pipeline
	clock     *manualClock
	sources   map[string]*memory.Source
	objects   *store.Mem
	tokens    int64
	ids       int
	opened    int // how often the engine was opened
	crashAt   string
	restarted bool // since the latest run
	delivered []string
	progress  []microbatch.Progress      // of the latest run
	operators []microbatch.StateOperator // of the newest batch
	watermark int64                      // after the newest batch, in milliseconds
}

// New returns an environment that never crashes by itself.
func New() *Env { return &Env{Workers: []int{2}, CrashAfter: -1} }

// Handle runs one command and returns its output. Mistakes of the script are errors; errors of the engine are output.
func (e *Env) Handle(d *datadriven.TestData) (string, error) {
	if d.Cmd != "pipeline" && e.p == nil && e.refused {
		return "error: the pipeline was refused", nil
	}
	if d.Cmd != "pipeline" && e.p == nil {
		return "", fmt.Errorf("%s: no pipeline yet", d.Cmd)
	}
	switch d.Cmd {
	case "pipeline":
		return e.pipeline(d)
	case "input":
		return e.input(d)
	case "run":
		return e.run(d)
	case "progress":
		return e.showProgress(), nil
	case "state":
		return e.showState(), nil
	case "table":
		return e.table(d)
	case "clock":
		return e.advance(d)
	case "restart":
		return e.restart(d)
	case "crash":
		return e.crash(d)
	case "rewind":
		return e.rewind(d)
	case "plan":
		return e.plan(d)
	}
	return "", fmt.Errorf("unknown command %s; known are pipeline, input, run, progress, state, table, clock, restart, crash, rewind, plan", d.Cmd)
}

// argument is the value of a key=value of a command, or otherwise.
func argument(d *datadriven.TestData, key, otherwise string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key && len(a.Vals) == 1 {
			return a.Vals[0]
		}
	}
	return otherwise
}

// restart opens the engine from storage alone, as every run does; with a pipeline file it
// goes on with that one, as after a change of the query.
func (e *Env) restart(d *datadriven.TestData) (string, error) {
	e.restarted = true
	if strings.TrimSpace(d.Input) == "" {
		return "ok", nil
	}
	p, fault, err := e.parse(d.Input)
	if p == nil {
		return fault, err
	}
	e.p = p
	return "ok", nil
}

// pipeline begins afresh.
//
// Example:
//
//	pipeline
//	name: counts
//	...
func (e *Env) pipeline(d *datadriven.TestData) (string, error) {
	p, fault, err := e.parse(d.Input)
	if e.refused = p == nil; e.refused {
		e.p = nil
		return fault, err
	}
	e.p, e.clock, e.sources = p, &manualClock{}, map[string]*memory.Source{}
	e.tokens, e.ids, e.crashAt = 0, 0, ""
	e.objects = store.NewMem()
	e.objects.SetClock(func() int64 { return e.clock.Now().UnixMilli() })
	if e.CrashAfter >= 0 && !e.Fired {
		e.objects.CrashAfter(e.CrashAfter)
	}
	e.restarted, e.progress, e.delivered, e.operators, e.watermark = false, nil, nil, nil, 0
	return "ok", nil
}

// parse reads a pipeline file of the script.
func (e *Env) parse(text string) (*config.Pipeline, string, error) {
	p, fault, err := parse(text)
	if p != nil && e.Plain && p.Mode == planner.Append && !p.Sink.Console {
		p.Sink.Plain = true
	}
	return p, fault, err
}

// source is the documents of a source, which outlive the engine.
func (e *Env) source(name string) *memory.Source {
	s, ok := e.sources[name]
	if !ok {
		s = memory.New(name, true)
		e.sources[name] = s
	}
	return s
}

// input adds documents, one a line, to the first source unless another one is named.
//
// Example: input source=events partition=1
func (e *Env) input(d *datadriven.TestData) (string, error) {
	name := argument(d, "source", e.p.Sources[0].Name)
	partition, err := strconv.ParseInt(argument(d, "partition", "0"), 10, 32)
	if err != nil || partition < 0 {
		return "", fmt.Errorf("partition=%s is not a partition", argument(d, "partition", ""))
	}
	if !slices.ContainsFunc(e.p.Sources, func(s config.Source) bool { return s.Name == name }) {
		return "", fmt.Errorf("the pipeline has no source %s", name)
	}
	n := 0
	for _, line := range strings.Split(d.Input, "\n") {
		if line == "" {
			continue
		}
		var value []byte
		if line != "null" {
			value = []byte(line)
		}
		e.source(name).Append(int32(partition), value, e.clock.Now().UnixMicro())
		n++
	}
	return fmt.Sprintf("rows: %d", n), nil
}

// advance moves the clock.
//
// Example: clock +5s
func (e *Env) advance(d *datadriven.TestData) (string, error) {
	if len(d.CmdArgs) != 1 {
		return "", fmt.Errorf("clock takes a duration, e.g. clock +5s")
	}
	step, err := config.ParseDuration(strings.TrimPrefix(d.CmdArgs[0].Key, "+"))
	if err != nil {
		return "", err
	}
	e.clock.now = e.clock.now.Add(step)
	return "ok", nil
}

// crash makes the next run die after a step of its first commit.
//
// Example: crash at=commit
func (e *Env) crash(d *datadriven.TestData) (string, error) {
	e.crashAt = argument(d, "at", "")
	switch e.crashAt {
	case "stage", "state", "commit", "publish":
		return "ok", nil
	}
	return "", fmt.Errorf("crash at=%s: known are stage, state, commit, publish", e.crashAt)
}

// plan prints the plan.
//
// Example: plan stage=physical
func (e *Env) plan(d *datadriven.TestData) (string, error) {
	stage := argument(d, "stage", "physical")
	tree := e.p.Planned.Tree(stage)
	if tree == "" {
		return "", fmt.Errorf("plan stage=%s: known are logical, optimized, physical", stage)
	}
	return tree, nil
}

var errCrash = errors.New("crash")

// run runs batches until there is nothing more, and shows what the sink received.
//
// Example: run batches=1
func (e *Env) run(d *datadriven.TestData) (string, error) {
	batches, err := strconv.Atoi(argument(d, "batches", "0"))
	if err != nil || batches < 0 {
		return "", fmt.Errorf("batches=%s is not a number", argument(d, "batches", ""))
	}
	p := e.continued()
	if argument(d, "once", "false") == "true" {
		batches, p.NoDataBatches = 1, false
	}
	p.Trigger = microbatch.Trigger{AvailableNow: true, MaxBatches: batches}
	if e.Stream {
		p.Trigger.AvailableNow, p.Trigger.Interval = false, time.Second
	}
	e.restarted, e.progress, e.delivered = false, nil, nil
	crashAt := e.crashAt
	e.crashAt = ""
	err = e.around(func() error { return e.runEngine(p, crashAt) })
	switch {
	case errors.Is(err, errCrash):
		e.restarted = true
		return "crashed after " + crashAt, nil
	case err != nil:
		return errorText(err), nil
	case len(e.delivered) == 0:
		return "(no rows)", nil
	}
	return strings.Join(e.delivered, "\n"), nil
}

func (e *Env) around(run func() error) error {
	if e.Around == nil {
		return run()
	}
	return e.Around(run)
}

// runEngine opens the engine from the store, runs it and throws it away. If the process dies of the
// environment's own crash, it is opened again and goes on, as a supervisor would start it again.
func (e *Env) runEngine(p config.Pipeline, crashAt string) error {
	for {
		err := e.runOnce(p, crashAt)
		if e.CrashAfter < 0 || e.Fired || !e.objects.Crashed() {
			return err
		}
		e.Fired = true
		e.objects = e.objects.Reopen()
	}
}

// continued is the pipeline of the next run. A run opens the engine from the store, but a script's engine only ends where the script
// says so: otherwise it goes on as if it had never ended.
func (e *Env) continued() config.Pipeline {
	p := *e.p
	p.Commit.Interval = min(p.Commit.Interval, time.Second)
	if !e.restarted {
		p.SurvivesRestart, p.NoDataAtRestart = true, true
	}
	if e.RowsPerBatch > 0 {
		p.Limits.RowsPerBatch = e.RowsPerBatch
	}
	return p
}

func (e *Env) runOnce(p config.Pipeline, crashAt string) error {
	if e.Prepare != nil {
		e.Prepare(&p)
	}
	q, closeSource, err := wire.Build(context.Background(), &p, e.world(crashAt))
	if err != nil {
		return err
	}
	defer closeSource()
	q.Sink = &recordingSink{Sink: q.Sink, e: e, ordered: sorts(p.Planned.Physical)}
	q.OnProgress = e.report
	if e.Plans != nil {
		*e.Plans = append(*e.Plans, planner.FormatPhysical(q.Program.Plan))
	}
	if e.Stream {
		streamUntilIdle(&q, e.clock)
	}
	return microbatch.Run(context.Background(), q)
}

func (e *Env) world(crashAt string) wire.World {
	return wire.World{
		Clock: e.clock, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Stdout: io.Discard, Workers: e.nextWorkers(), InlineCompaction: true,
		Objects: func(path string) (store.Store, error) { return storeOf(e, path), nil },
		S3:      func(_ store.S3Config, path string) (store.Store, error) { return storeOf(e, path), nil },
		Source: func(_ context.Context, s *config.Source, _ bool) (source.Source, error) {
			return keepOpen{e.source(s.Name)}, nil
		},
		Token: func() int64 { e.tokens++; return e.tokens },
		NewID: func() string { e.ids++; return fmt.Sprintf("00000000-0000-0000-0000-%012d", e.ids) },
		Step: func(step string) error {
			if step != crashAt {
				return nil
			}
			e.objects.Crash()
			e.objects = e.objects.Reopen()
			return errCrash
		},
	}
}

func (e *Env) nextWorkers() int {
	e.opened++
	return e.Workers[(e.opened-1)%len(e.Workers)]
}

// keepOpen is a source whose documents outlive its Close.
type keepOpen struct{ *memory.Source }

func (keepOpen) Close() error { return nil }

// table reads all rows of a table back from the store.
//
// Example: table table=dead_letter
func (e *Env) table(d *datadriven.TestData) (string, error) {
	path := e.p.Sink.Path
	switch which := argument(d, "table", ""); which {
	case "":
	case "dead_letter":
		path = e.p.DeadLetter
	case "late":
		if path = e.p.Late; path == "" {
			return "", fmt.Errorf("table=late: the pipeline has none without late_rows: table")
		}
	default:
		return "", fmt.Errorf("table=%s: known are dead_letter, late", which)
	}
	lines, err := ReadTable(context.Background(), storeOf(e, path))
	if err != nil {
		return errorText(err), nil
	}
	if len(lines) == 0 {
		return "(no rows)", nil
	}
	return strings.Join(lines, "\n"), nil
}

func storeOf(e *Env, path string) store.Store {
	return store.Sub(e.objects, strings.TrimPrefix(path, "s3://"))
}

// ReadTable returns the rows of a Delta table, or of a folder of plain files, as JSON lines, sorted.
func ReadTable(ctx context.Context, objects store.Store) ([]string, error) {
	t := delta.Open(objects, func() string { return "" })
	snap, err := t.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	scan := func(fn func(*columnar.Batch) error) error { return t.Scan(ctx, snap, fn) }
	logs, err := lakehouse.PlainLogs(ctx, objects)
	if err != nil {
		return nil, err
	}
	if len(logs) > 0 {
		f, err := parquetdir.OpenFolder(ctx, objects)
		if err != nil {
			return nil, err
		}
		scan = func(fn func(*columnar.Batch) error) error { return f.Scan(ctx, fn) }
	}
	var lines []string
	err = scan(func(b *columnar.Batch) error {
		lines = append(lines, rows(b)...)
		return nil
	})
	sortLines(lines)
	return lines, err
}

func rows(b *columnar.Batch) []string {
	lines := make([]string, b.Rows())
	for i := range lines {
		lines[i] = string(columnar.AppendRowJSON(nil, b, i))
	}
	return lines
}
