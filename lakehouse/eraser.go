package lakehouse

import (
	"context"

	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
)

// Eraser is a table out of which rows can be taken, by key or by a condition: the files that hold them are written again without them.
type Eraser interface {
	// Erase looks for rows that go in some of the live files of a snapshot. What else is in a file that has such rows it
	// writes to new files, durable and invisible until a commit names them. After an error some may be left over, which nothing names.
	Erase(ctx context.Context, s Snapshot, files []DataFile, e Erasure) (Erased, error)
}

// Erasure says which rows go.
type Erasure struct {
	// Where is TRUE for the rows that go, over the columns of the table. A row for which it fails, as a division by zero does, is an error. nil:
	// they go by key.
	Where compute.Expr
	// Columns of the keys, in the order of the set's.
	Columns []string
	Keys    *group.Set
	// SameAs are files of the table that nothing names yet: the keys are those of their rows, and Keys is nil.
	SameAs []DataFile
	// Prefix begins the base name of the file that the rest of another one, by its path, is written to. Rests of the same partition and
	// prefix may share a file.
	Prefix func(file string) string
	// TargetFileSize in bytes bounds what shares a file.
	TargetFileSize int64
	// DryRun only finds the rows: rewrites have no new files.
	DryRun bool
}

// Erased is what an erasure found and wrote.
type Erased struct {
	Rewrites []Rewrite
	Scanned  int // files that were read for it: those of which partition and statistics do not tell that no row goes, or all of them
}

// Rewrite takes rows out of some files: Add holds what is left of those of Remove, in their order.
type Rewrite struct {
	Remove, Add []DataFile
	Gone, Kept  int64 // rows
}
