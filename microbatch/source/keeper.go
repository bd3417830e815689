package source

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/offsets"
)

// Keeper is a Source that knows more than positions: rows, which are only added, and which commits keep as they keep the state of
// operators, in files in tiers. What has been added since a commit is written with the next one, so positions and rows agree. The
// methods are called between batches.
type Keeper interface {
	// KeptSchema describes the rows.
	KeptSchema() *columnar.Schema
	// Restore forgets everything and goes on from the rows of the newest commit, oldest first, and its progress. It is called at
	// each start of a query, before Available; without rows and with a zero Progress at a first one. The rows are borrowed.
	Restore(rows []*columnar.Batch, at offsets.Progress) error
	// Kept counts all rows. Once there are none, commits keep none.
	Kept() int64
	// Turn ends a run of additions and returns its number, from 1 on; the number of the run before if nothing was added.
	Turn() int64
	// AddedSince counts the rows that were added after a run, all of them after -1.
	AddedSince(run int64) int64
	// KeptSince copies the rows that were added after a run, all of them after -1; nil if there are none.
	KeptSince(run int64) *columnar.Batch
}
