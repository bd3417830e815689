// Package aggregate computes the functions of GROUP BY, for many groups at a time.
//
// # Model
//
// A [Call] is a function with its arguments. Its [Accumulator] has a state for each group, kept in slices by group. Rows are added to the
// states with the number of their group. A state leaves an accumulator as values of plain columns and can be merged
// into another one: so partial aggregates of tasks come together, and so state is stored.
//
// # Parts
//
// What a state is made of is shared by the functions: cells (a value of fixed width a group), texts (bytes a group, in one
// block), slots (a value of any type a group), best (the least or greatest value), chains over a pile (all values of a
// group) or over a set (the distinct ones). FILTER and DISTINCT are accumulators around another one.
//
// Types, NULLs and errors are those of Spark 4.0.1; testdata/spec.txt says what each function gives.
package aggregate
