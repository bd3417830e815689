// Package source is what the driver asks of an input: which offsets can be read, and the
// rows of an exact range of them as raw batches, documents with their coordinates.
//
// # Model
//
// A [Source] answers [Source.Available] once a batch, before anything runs: there it
// compares what the last commit knew with what is there now, and finds lost rows,
// recreated topics and new partitions. [Source.Read] then opens ranges, which
// tasks read in parallel. A source keeps no position: it lives in the commits alone.
package source

import (
	"context"
	"errors"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/offsets"
)

// ErrDataLoss: rows that were promised are gone (aged out, truncated, topic recreated). It ends
// the run before anything is committed, with exit code 4.
var ErrDataLoss = errors.New("data loss")

// The columns of a raw batch, as Reader.Next returns them and as queries name them.
const (
	ValueColumn     = "_value"
	KeyColumn       = "_key"
	OffsetColumn    = "_offset"
	TimestampColumn = "_timestamp"
	TopicColumn     = "_topic"
	PartitionColumn = "_partition"
)

// Positions of the columns in a raw batch.
const (
	ValueAt = iota
	OffsetAt
	TimestampAt
	KeyAt
	// FirstColumn is where the columns of a batch begin that has them already; see File.Columns.
	FirstColumn
)

// RawSchema is the schema of a raw batch: the documents with their coordinates. Topic
// and partition are constant in a range, so a batch does not repeat them. _key is there only if the source was asked for it.
func RawSchema(withKey bool) *columnar.Schema {
	s := columnar.NewSchema(
		columnar.Field{Name: ValueColumn, Type: columnar.Binary, Nullable: true},
		columnar.Field{Name: OffsetColumn, Type: columnar.BigInt},
		columnar.Field{Name: TimestampColumn, Type: columnar.Timestamp, Nullable: true},
	)
	if withKey {
		s.Fields = append(s.Fields, columnar.Field{Name: KeyColumn, Type: columnar.Binary, Nullable: true})
	}
	return s
}

// Available is what a source can give now.
type Available struct {
	// Progress is what the caller knew, checked and brought up to date: new partitions at
	// their start, topic identities, and positions moved over holes.
	Progress offsets.Progress
	// Ends is how far each partition can be read (under read_committed: the last stable offset).
	Ends offsets.Positions
	// Latest is the newest offset of each partition, committed or not; for lag only.
	Latest offsets.Positions
	// Holes are the ranges that are lost for ever and were stepped over (on_data_loss: skip).
	Holes []offsets.Range
}

// Source returns the same rows in the same order for the same range, for as long as it
// keeps them. Its methods may be called concurrently.
type Source interface {
	// Available checks what is known of the source against the source itself and returns what
	// can be read. A zero known means a first start: every partition begins where the
	// settings say. Partitions that appear later begin at their earliest offset.
	// Anything lost is ErrDataLoss, unless the settings say to skip it.
	Available(ctx context.Context, known offsets.Progress) (Available, error)
	// Read opens a range. The range lies within the Ends of an earlier Available.
	Read(ctx context.Context, r offsets.Range) (Reader, error)
	// Close frees connections. Readers are closed before.
	Close() error
}

// Reader yields the rows of one range as raw batches (RawSchema), in offset order, until
// io.EOF. The caller owns a returned batch and releases it. A Reader is used by one
// goroutine; Close may be called twice.
type Reader interface {
	Next(ctx context.Context) (*columnar.Batch, error)
	Close() error
}

// EpochReader is a Reader that knows the leader epoch of the newest batch it read, -1 if none.
type EpochReader interface {
	LeaderEpoch() int32
}

// Waiter is a Reader that knows how long it has waited for room in the memory budget.
type Waiter interface {
	Waited() time.Duration
}

// Acker is a Source that wants to hear of committed positions, for lag tools only: advice
// that is never read back. It is called after the commit, and failure is not fatal.
type Acker interface {
	Ack(ctx context.Context, committed offsets.Positions) error
}

// Starter is a Source that tells where its partitions begin now.
type Starter interface {
	Starts(ctx context.Context) (offsets.Positions, error)
}

// TimeIndex is a Source that finds records by the time that they were written at.
type TimeIndex interface {
	// OffsetsAt is the first offset of each partition whose record was not written before a time, or the end of the partition.
	OffsetsAt(ctx context.Context, t time.Time) (offsets.Positions, error)
}
