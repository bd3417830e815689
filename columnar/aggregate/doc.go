// Package aggregate computes the functions of GROUP BY, for many groups at a time.
//
// # Model
//
// A [Call] is a function with its arguments. Its [Accumulator] has a state for each group, kept in slices by group. Rows are added to the
// states with the number of their group. A state leaves an accumulator as values of plain columns and can be merged
// into another one: so partial aggregates of tasks come together, and so state is stored.
package aggregate
