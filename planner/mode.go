package planner

// OutputMode says what a query with aggregates puts out in each batch, as in Spark.
type OutputMode uint8

// The output modes.
const (
	Append   OutputMode = iota // groups that are final
	Update                     // groups that changed
	Complete                   // all groups, each time
)

func (m OutputMode) String() string { return [...]string{"append", "update", "complete"}[m] }
