package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// Accumulator holds the states of one aggregate for the groups 0..n-1. It belongs to one goroutine. Columns are borrowed;
// those that it returns are the caller's.
type Accumulator interface {
	// Resize makes room for n groups; new ones are empty.
	Resize(n int)
	// Update adds rows: row i of the inputs, which are those of [Call.Inputs], belongs to groups[i], to none if that is -1.
	// A row whose value does not fit the state is left out and listed.
	Update(groups []int32, inputs []columnar.Column) []columnar.RowError
	// Merge adds states, in the columns that State returns: state i to groups[i], to none if that is -1.
	Merge(groups []int32, state []columnar.Column) []columnar.RowError
	// State returns the states of some groups, nil for all, as [Call.State] describes them.
	State(groups columnar.Selection) []columnar.Column
	// Result computes the results of some groups, nil for all. Errors are listed by position in the result.
	Result(groups columnar.Selection) (columnar.Column, []columnar.RowError)
	// Keep forgets all groups but these, which are ascending: groups[i] becomes i.
	Keep(groups columnar.Selection)
	// Bytes is about what the states take in memory.
	Bytes() int64
}
