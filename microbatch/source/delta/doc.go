// Package delta reads a Delta table as a stream: what is in it at a first start, then what each version adds.
//
// # Model
//
// The table's log is a feed of files (microbatch/source/files): each version gives the files that it added, in path order, and what was given is in
// the ledger of the source. A version that only moved rows, as compactions do, gives nothing. One that deleted or changed rows
// cannot be a part of a stream of rows: it ends the run, or is left out as a whole.
//
// The position of the feed is the next version. It is kept in the ledger with the files, and as partition 1 of the source for versions that
// gave none.
package delta
