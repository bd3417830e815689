package lakehouse

import (
	"context"

	"github.com/lakewheel/lakewheel/columnar/group"
)

// Eraser is a table out of which rows can be taken by key: the files that hold them are written again without them.
type Eraser interface {
	// Erase looks for rows with one of the keys in some of the live files of a snapshot. What else is in a file that has such rows it
	// writes to new files, durable and invisible until a commit names them. After an error some may be left over, which nothing names.
	Erase(ctx context.Context, s Snapshot, files []DataFile, e Erasure) (Erased, error)
}

// Erasure says which rows go.
type Erasure struct {
	// Columns of the keys, in the order of the set's.
	Columns []string
	Keys    *group.Set
	// Prefix begins the base name of the file that the rest of another one, by its path, is written to. Rests of the same partition and
	// prefix may share a file.
	Prefix func(file string) string
	// TargetFileSize in bytes bounds what shares a file.
	TargetFileSize int64
}

// Erased is what an erasure found and wrote.
type Erased struct {
	Rewrites []Rewrite
	Scanned  int // files whose keys were read: those that could hold one by their partition and statistics
}

// Rewrite takes rows out of some files: Add holds what is left of those of Remove, in their order.
type Rewrite struct {
	Remove, Add []DataFile
	Gone, Kept  int64 // rows
}
