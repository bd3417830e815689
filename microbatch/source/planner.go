package source

import "github.com/lakewheel/lakewheel/offsets"

// Planner is a Source whose offsets are no rows, or whose partitions are read one after the other, so that it cuts batches itself.
type Planner interface {
	// Plan returns how far a batch of about so many rows reads from some positions, never beyond the ends. rows 0 means no limit. It
	// follows an Available, whose Progress and Ends the positions are of.
	Plan(from, ends offsets.Positions, rows int64) offsets.Positions
	// SmallestTask is the fewest offsets of a partition for which a range is cut.
	SmallestTask(p offsets.Partition) int64
}

// smallestTask is the fewest offsets, which are rows, for which a range is cut: below it a task costs more than it saves.
const smallestTask = 50_000

// PlanOf is how the batches of a source are cut: by itself, or by rows.
func PlanOf(s Source) func(from, ends offsets.Positions, rows int64) offsets.Positions {
	if p, ok := s.(Planner); ok {
		return p.Plan
	}
	return offsets.Plan
}

// SmallestTaskOf is the fewest offsets for which ranges of a source's partition are cut.
func SmallestTaskOf(s Source, p offsets.Partition) int64 {
	if own, ok := s.(Planner); ok {
		return own.SmallestTask(p)
	}
	return smallestTask
}
