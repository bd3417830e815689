// Package wire makes a running query of a pipeline file: it picks the concrete source, sink, store and clock.
package wire

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/google/uuid"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/planner"
)

// Retention of records: both must be passed before one is removed.
const (
	retainCommits = 100
	retainFor     = 24 * time.Hour
)

// World is what a query meets outside: everything that is not a pure function of the pipeline file.
type World struct {
	Clock  microbatch.Clock
	Log    *slog.Logger
	Stdout io.Writer
	// Objects opens the store of a path.
	Objects func(path string) (store.Store, error)
	// S3 opens the store of an s3:// path; nil leaves that to Objects.
	S3 func(c store.S3Config, path string) (store.Store, error)
	// Source opens a source; nil means Kafka.
	Source func(ctx context.Context, s *config.Source, withKey bool) (source.Source, error)
	Token  func() int64
	NewID  func() string
	// Step is called after durable steps; see committer.Options.
	Step func(step string) error
	// Workers is the number of tasks at once; 0: one for each processor.
	Workers int
	// Pool and Memory are shared by all pipelines of the process; nil: each has its own alone.
	Pool       *microbatch.Pool
	Memory     *source.Budget
	Probed     bool // the stores of the tables are known to keep their promises
	AcceptLoss bool
	// InlineCompaction merges small files within commits and not beside them, so that a run does the same things in the same order each time.
	InlineCompaction bool
}

// Real is the world of the command line.
func Real(log *slog.Logger) World {
	clock := microbatch.SystemClock{}
	return World{
		Clock: clock, Log: log, Stdout: os.Stdout, S3: openS3(clock),
		Objects: func(path string) (store.Store, error) { return store.NewLocal(path) },
		Token:   func() int64 { return rand.Int64N(1<<63-1) + 1 },
		NewID:   uuid.NewString,
	}
}

// writerName tells people which process a fence or a commit is of.
func writerName(start time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s, process %d, started %s", host, os.Getpid(), start.UTC().Format(time.RFC3339))
}

// Build makes the query. The function it returns closes the sources.
func Build(ctx context.Context, p *config.Pipeline, w World) (microbatch.Query, func(), error) {
	sink, err := makeSink(p, w)
	if err != nil {
		return microbatch.Query{}, nil, err
	}
	return build(ctx, p, w, sink)
}

// build makes the query into a sink.
func build(ctx context.Context, p *config.Pipeline, w World, sink microbatch.Sink) (microbatch.Query, func(), error) {
	program, err := Program(p)
	if err != nil {
		return microbatch.Query{}, nil, err
	}
	w.Memory = source.NewBudget(FetchShare(p.Limits.Memory), w.Memory)
	opened, closeAll, err := w.openInputs(ctx, p, program)
	if err != nil {
		return microbatch.Query{}, nil, err
	}
	workers := w.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return microbatch.Query{
		Name: p.Name, RunID: w.NewID(), Program: program, Sink: sink, Inputs: opened,
		Trigger: p.Trigger, Commit: p.Commit, Event: eventPolicy(p), State: p.State,
		Limits:       limits(p.Limits, workers, w.Pool),
		DrainTimeout: p.DrainTimeout, Clock: w.Clock, Log: w.Log,
	}, closeAll, nil
}

func execSettings(p *config.Pipeline) exec.Settings {
	return exec.Settings{Mode: p.Mode, Lateness: p.AllowedLateness, KeepLate: p.LateRows == config.TableLate, Keys: p.Keys}
}

// Program compiles the plan of a pipeline.
func Program(p *config.Pipeline) (*exec.Program, error) {
	return exec.Compile(p.Planned.Physical, execSettings(p), execInputs(p)...)
}

func limits(l config.Limits, workers int, pool *microbatch.Pool) microbatch.Limits {
	return microbatch.Limits{RowsPerBatch: l.RowsPerBatch, RowsPerPartition: l.RowsPerPartition, BytesPerBatch: l.BytesPerBatch,
		MinRows: l.MinRows, MaxDelay: l.MaxDelay, Adaptive: l.Adaptive, Workers: workers, Pool: pool}
}

// FetchShare is the part of the memory for data in flight that fetched bytes may take: decoded, computed and encoded, they become many times as much.
func FetchShare(memory int64) int64 { return memory / 8 }

func execInputs(p *config.Pipeline) []exec.Input {
	out := make([]exec.Input, len(p.Sources))
	for i, s := range p.Sources {
		out[i] = exec.Input{Name: s.Name, Format: s.Format, CSV: s.CSV, Schema: s.Schema, OnNull: s.OnNull}
	}
	return out
}

func eventPolicy(p *config.Pipeline) microbatch.EventPolicy {
	return microbatch.EventPolicy{Greatest: p.WatermarkMax, NoDataBatches: p.NoDataBatches, NoDataAtRestart: p.NoDataAtRestart, SurvivesRestart: p.SurvivesRestart}
}

// openInputs opens every source of a pipeline.
func (w World) openInputs(ctx context.Context, p *config.Pipeline, program *exec.Program) ([]microbatch.Input, func(), error) {
	var out []microbatch.Input
	closeAll := func() {
		for _, in := range out {
			_ = in.Source.Close()
		}
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		src, err := w.OpenSource(ctx, p, s, program.Pipelines[i])
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		in := microbatch.Input{Name: s.Name, Description: describe(s), Source: src, OnBad: s.OnBad, Bad: s.Bad, SkipLoss: s.SkipsLoss()}
		if t := s.EventTime; t != nil {
			in.IdleTimeout, in.PerPartition = t.IdleTimeout, t.PerPartition
		}
		out = append(out, in)
	}
	return out, closeAll, nil
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func makeSink(p *config.Pipeline, w World) (microbatch.Sink, error) {
	if p.Sink.Console {
		return microbatch.NewConsoleSink(w.Stdout, w.NewID()), nil
	}
	opts, err := CommitterOptions(p, w)
	if err != nil {
		return nil, err
	}
	return tableSink(p, opts), nil
}

func tableSink(p *config.Pipeline, opts committer.Options) *microbatch.TableSink {
	kind := "Delta"
	if p.Sink.Plain {
		kind = "Parquet"
	}
	sink := microbatch.NewTableSink(kind, opts)
	if p.Deletes() {
		sink.Deletes = config.DeleteColumn
	}
	return sink
}

// CommitterOptions are those of the pipeline's table.
func CommitterOptions(p *config.Pipeline, w World) (committer.Options, error) {
	objects, err := w.OpenStore(p.S3, p.Sink.Path)
	if err != nil {
		return committer.Options{}, err
	}
	sides, err := sideTables(p, w)
	if err != nil {
		return committer.Options{}, err
	}
	compaction := p.Compaction
	compaction.Inline = w.InlineCompaction || p.Trigger.AvailableNow
	return committer.Options{
		Table: w.OpenTable(p, objects), Objects: objects, Schema: p.TableSchema(),
		PartitionBy: p.Sink.PartitionBy, Layout: p.Sink.Layout, AddColumns: p.Sink.AddColumns, Properties: p.Sink.Properties, Merge: mergeOf(p),
		Name: p.Name, Previous: p.PreviousName, Append: p.Sink.Append, AcceptLoss: w.AcceptLoss, Bounded: p.Trigger.AvailableNow,
		Writer: writerName(w.Clock.Now()), Plan: planner.Fingerprint(p.Planned.Physical), Columns: planner.Derivations(p.Planned.Physical), Settings: map[string]string{},
		Side:          sides,
		RetainCommits: retainCommits, RetainFor: retainFor, TargetFileSize: p.Commit.TargetBytes, Compaction: compaction,
		Now: w.Clock.Now, Token: w.Token, NewID: w.NewID, Sleep: w.Clock.Sleep, Step: w.Step,
	}, nil
}

// mergeOf says by which columns rows replace others, nil if they are only added.
func mergeOf(p *config.Pipeline) *committer.Merge {
	keys, ok := p.KeyColumns()
	if !ok {
		return nil
	}
	return &committer.Merge{Keys: keys}
}

// Upkept is a table of a format that leaves files behind.
type Upkept interface {
	lakehouse.Table
	Garbage(ctx context.Context, o lakehouse.VacuumOptions) (lakehouse.Garbage, error)
	Discard(ctx context.Context, g lakehouse.Garbage) error
}

// OpenTable opens a table of a pipeline, in the format of its sink.
func (w World) OpenTable(p *config.Pipeline, objects store.Store) Upkept {
	if p.Sink.Plain {
		return parquetdir.Open(objects, p.Name, p.PreviousName, w.NewID)
	}
	return delta.Open(objects, w.NewID)
}

// sideTables are those that a pipeline may write: dead letters, and late rows if they are kept.
func sideTables(p *config.Pipeline, w World) (map[string]committer.SideTable, error) {
	objects, err := w.OpenStore(p.S3, p.DeadLetter)
	if err != nil {
		return nil, err
	}
	out := map[string]committer.SideTable{microbatch.DeadLetterKind: {Table: w.OpenTable(p, objects), Objects: objects, Schema: exec.DeadLetterSchema}}
	if p.LateRows != config.TableLate {
		return out, nil
	}
	schema, err := exec.LateSchema(execInputs(p)...)
	if err != nil {
		return nil, err
	}
	if objects, err = w.OpenStore(p.S3, p.Late); err != nil {
		return nil, err
	}
	out[microbatch.LateKind] = committer.SideTable{Table: w.OpenTable(p, objects), Objects: objects, Schema: schema}
	return out, nil
}
