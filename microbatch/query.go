package microbatch

import (
	"log/slog"
	"time"

	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// Query is one running pipeline: its inputs, a compiled plan, a sink and when to run.
type Query struct {
	Name  string
	RunID string // a UUID of this run

	// Inputs in the order of the program's pipelines.
	Inputs  []Input
	Program *exec.Program
	Sink    Sink

	Trigger Trigger
	Commit  CommitPolicy
	Limits  Limits
	Event   EventPolicy
	State   StateLimits

	// Stop asks for a graceful stop: finish the batch, commit, return. Nil: only the context stops the run.
	Stop <-chan struct{}
	// DrainTimeout bounds a graceful stop; a batch that takes longer is abandoned, which is safe.
	DrainTimeout time.Duration

	Clock Clock
	Log   *slog.Logger
	// OnProgress is called with every committed batch, in order, by one goroutine at a time.
	OnProgress func(Progress)
	// Step is called after a durable step that is the driver's own; see committer.Options.
	Step func(step string) error
}

// Input is the source of a query.
type Input struct {
	Name        string
	Description string // for the progress: "Kafka[events]"
	Source      source.Source
	OnBad       OnBad
	Bad         BadRecords
	// IdleTimeout leaves the input, or a partition of it, out of the watermark when there was nothing to read for so long; 0: never.
	IdleTimeout time.Duration
	// PerPartition: the watermark of the input is the least of those of its partitions.
	PerPartition bool
	// SkipLoss: the source steps over what is lost (on_data_loss: skip).
	SkipLoss bool
}

// EventPolicy says how event time is followed.
type EventPolicy struct {
	// Greatest: the watermark of several inputs is the greatest of theirs, not the least.
	Greatest bool
	// NoDataBatches: a batch without data runs when the watermark has risen and state can end.
	NoDataBatches bool
	// NoDataAtRestart: one that was due when the process ended runs before any data is read.
	NoDataAtRestart bool
	// SurvivesRestart: the watermark of each input outlives a restart, not only the global one.
	SurvivesRestart bool
	// Hold keeps the watermark where it is until a batch leaves nothing to read: no row is late, however batches are cut, and all that ends ends
	// at once.
	Hold bool
	// HoldTo is what the watermark then becomes, milliseconds since 1970; 0: what it would have been.
	HoldTo int64
}

// OnBad says what becomes of a row that cannot be decoded or computed.
type OnBad int

// The settings of on_bad_record.
const (
	DeadLetter OnBad = iota
	FailOnBad
	DropBad
)

// Trigger says when batches run.
type Trigger struct {
	// Interval between the starts of batches; they are aligned to it. 0: at once after each other.
	Interval time.Duration
	// AvailableNow: read up to the ends found at the start, commit, and return.
	AvailableNow bool
	// MaxBatches ends the run after that many batches; 0: no bound. For scenarios.
	MaxBatches int
}

// CommitPolicy says when a table version is made.
type CommitPolicy struct {
	// Interval between commits; batches in between fold into one.
	Interval time.Duration
	// MaxIdle is how long a fold that changed nothing but offsets may wait.
	MaxIdle time.Duration
	// TargetBytes ends a fold early: rows staged, in bytes of memory.
	TargetBytes int64
}

// Limits bound one batch. Those of rows and bytes hold for each input; 0 is no limit.
type Limits struct {
	RowsPerBatch     int64 // offsets a batch may cover, about
	RowsPerPartition int64 // offsets a batch may cover of each partition
	BytesPerBatch    int64 // of raw rows in memory, estimated from those before
	// MinRows is how many rows a batch waits for, but not longer than MaxDelay since the batch before, nor in an available-now run.
	MinRows  int64
	MaxDelay time.Duration
	// Adaptive also keeps a batch to what was processed in an interval lately.
	Adaptive bool

	Workers int   // tasks at once
	Pool    *Pool // of the tasks of several queries; nil: only Workers bounds them
}

// StateLimits bound what the stateful operators of a query keep together after a batch.
type StateLimits struct {
	MaxRows  int64 // groups, sessions and keys; 0: no bound
	MaxBytes int64 // of memory, about; 0: no bound
}

// BadRecords is how many bad records a run accepts before it fails: a wrong schema must not drain a topic.
type BadRecords struct {
	MaxRatio   float64
	MinRecords int64
}
