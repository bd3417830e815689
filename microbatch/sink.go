package microbatch

import (
	"context"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/offsets"
)

// Position is where an earlier run left off.
type Position struct {
	LastBatch  int64
	Sources    map[string]offsets.Progress
	Watermarks map[string]int64
	Active     map[string]int64
	Watermark  committer.Watermark
	NoDataDue  bool
	State      []committer.StateFile
	Operators  []committer.Operator // those that the state is of
	Plan       string               // fingerprint of the plan that ran
}

// Output stages the rows of one commit. Calls for different lanes may be concurrent; rows of
// a lane keep their order, and the result holds lanes in ascending order. Batches are borrowed.
type Output interface {
	Write(ctx context.Context, lane int64, b *columnar.Batch) error
	// Erase takes the rows with some keys out of what was written before, in this commit or an earlier one. The batch has columns of the
	// rows. It is called only if the program has keys.
	Erase(ctx context.Context, lane int64, keys *columnar.Batch) error
	WriteDeadLetters(ctx context.Context, lane int64, b *columnar.Batch) error
	// WriteLate takes late rows, in the schema of exec.LateSchema; it is called only if they are kept.
	WriteLate(ctx context.Context, lane int64, b *columnar.Batch) error
	// Abort drops what was not committed; after a commit it does nothing.
	Abort()
}

// Sink takes the rows of a query and keeps its position with them. NewOutput may be called while
// a Commit runs; everything else has one caller at a time.
type Sink interface {
	// Open returns where to go on, nil for a first start. It asks fits before this run takes the position over from a process
	// that may still run, and gives up with its error.
	Open(ctx context.Context, fits func(*Position) error) (*Position, error)
	NewOutput(ctx context.Context) (Output, error)
	// Commit makes the batches visible together with their positions.
	Commit(ctx context.Context, b committer.Batch, out Output) (committer.Result, error)
	// Maintain does chores after a commit. Its failure is logged, no more.
	Maintain(ctx context.Context) error
	// State is where state is kept, nil if the sink keeps no position and so no state.
	State() *StateStore
	// Close ends what goes on beside the commits.
	Close()
	// Describe names the sink for progress: "Delta[/lake/events]".
	Describe() string
	// Identity returns the query id, and the epoch of this run.
	Identity() (queryID string, epoch int64)
}
