// Package exec runs a physical plan over raw batches: decode, filter, project.
//
// # Model
//
// A [Pipeline] is a plan compiled for one source; it is immutable. A [Task] is the
// scratch memory of one goroutine: it takes a raw batch and returns the rows
// for the table and the rows that failed, with what is needed to find them again.
//
// Rows are told by their number in the raw batch all the way: decoding keeps every row in its place and a
// selection says which are still alive, so that a row that fails anywhere can be
// traced to its document, partition and offset.
package exec
