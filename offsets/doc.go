// Package offsets says what a batch reads: positions in the partitions of a source,
// half-open ranges [From, Until) between two positions, and the planning of one
// batch under a row limit.
//
// # Model
//
// A position is the next offset to read. [Positions] holds one for each [Partition];
// [Progress] is what a commit keeps of a source: besides the position, the first
// offset that was ever read, the leader epoch and the identity of each topic, so
// that a later run can tell a recreated topic from the one it knows.
//
// Everything here is pure: no I/O, no clock.
package offsets
