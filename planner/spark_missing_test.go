package planner

// How many of the recorded expressions may still differ.
const (
	mostDiffering        = 330
	mostDifferingColumns = 200
	mostDifferingMore    = 300
)
