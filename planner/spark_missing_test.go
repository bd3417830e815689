package planner

// How many of the recorded expressions may still differ.
const (
	mostDiffering        = 420
	mostDifferingColumns = 300
)
