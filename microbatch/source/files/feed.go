package files

import (
	"context"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Feed finds the files of a source and opens them. Its methods may be called concurrently.
type Feed interface {
	// Find calls found with files. A feed that follows gives those that came after a position of its own, -1 at a first start, and returns
	// its next one; any other gives all files that are there.
	Find(ctx context.Context, at int64, found func(Found)) (next int64, err error)
	// Follows reports whether the feed has positions of its own and never gives a file twice.
	Follows() bool
	// Open opens the part of a file that belongs to its bytes [from, until).
	Open(ctx context.Context, e *Entry, from, until int64) (Rows, error)
	// Sample tells from a file how much there is to its rows.
	Sample(ctx context.Context, e *Entry) (Sample, error)
	// Divisible reports whether a file can be read from its middle.
	Divisible(name string) bool
	// SmallestTask is the fewest bytes for which a range is cut.
	SmallestTask() int64
	// String names the place for messages.
	String() string
}

// Sample says how many rows some bytes of files have, and how many bytes of memory these take.
type Sample struct{ Rows, Bytes, Unpacked int64 }

// Found is a file that a feed found.
type Found struct {
	store.Info
	Note string // what the feed has to know to read it
	Next int64  // where the feed goes on behind it, if it follows
}

// Table is a Feed of a table, which another one may take the place of.
type Table interface {
	// ID of the table, "" before Find.
	ID() string
	// Missing are those of some files that are not there any more.
	Missing(ctx context.Context, files []*Entry) ([]*Entry, error)
}

// Rows yields the rows of a part of a file as raw batches until io.EOF.
type Rows interface {
	Next(ctx context.Context) (*columnar.Batch, error)
	Close() error
	// Columns reports whether the rows are columns; see source.File.
	Columns() bool
}
