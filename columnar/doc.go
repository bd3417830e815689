// Package columnar is the memory model of the engine: typed batches over Arrow
// arrays, the selection vectors that filters make, and the few operations every
// layer needs on them (gather, slice, concatenate, print a row as JSON).
//
// # Model
//
// A [Batch] is a [Schema] and one [Column] per field, all of the same length.
// A [Selection] names rows of a batch in ascending order; operators narrow it
// instead of copying rows, and [Gather] copies once at the end.
//
// Below this package, decode turns whole fetches of documents into batches and
// compute evaluates bound expressions over them. Nothing here reads a clock,
// touches a disk or a network, or knows where a batch comes from.
//
// # Ownership
//
// Columns are reference counted. A function that returns a Batch or a Column
// hands one reference to its caller, who calls Release once. A function that
// takes one does not consume the caller's reference unless its comment says so.
package columnar
