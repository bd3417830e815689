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
