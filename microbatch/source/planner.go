package source

import "github.com/lakewheel/lakewheel/offsets"

// Size is how large a batch may be, about. 0 is no limit.
type Size struct{ Rows, Bytes int64 }

// Planner is a Source whose offsets are no rows, or whose partitions are read one after the other, so that it cuts batches itself.
type Planner interface {
	// Plan returns how far a batch of a size reads from some positions, never beyond the ends; false leaves that to the caller, as all offsets of
	// this batch are rows. It follows an Available, whose Progress and Ends the positions are of.
	Plan(from, ends offsets.Positions, size Size) (until offsets.Positions, ok bool)
	// SmallestTask is the fewest offsets of a partition for which a range is cut.
	SmallestTask(p offsets.Partition) int64
}

// smallestTask is the fewest offsets, which are rows, for which a range is cut: below it a task costs more than it saves.
const smallestTask = 50_000

// SmallestTaskOf is the fewest offsets for which ranges of a source's partition are cut.
func SmallestTaskOf(s Source, p offsets.Partition) int64 {
	if own, ok := s.(Planner); ok {
		return own.SmallestTask(p)
	}
	return smallestTask
}
