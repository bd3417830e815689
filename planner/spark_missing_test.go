package planner

// How many of the recorded expressions may still differ.
const (
	mostDiffering        = 4
	mostDifferingColumns = 0
	mostDifferingMore    = 0
)
