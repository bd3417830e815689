// Package delta reads and writes Delta Lake tables without a library: replay of the log, commits by
// put-if-absent, V1 checkpoints. docs/formats/delta.md lists the subset, rule by rule.
//
// # Model
//
// The log is _delta_log/<version, 20 digits>.json, one action a line. A [Table] replays it twice over: into a head, which is all that
// a writer keeps (protocol, metadata, application transactions, which files are live), and, when rows are read or a
// checkpoint is due, into a state with the files and tombstones themselves. Both grow by entries that were read back or put
// by this process, never by what it meant to write.
//
// # Committing
//
// An entry is a pure function of the base version and the change. It is put under the version after its base, and nowhere
// else; whoever loses that race reads the entry that won ([Table.Next]) before it may try the next version.
//
// # Protocol
//
// Tables are made with reader version 1 and writer version 2, which every engine can read and write. A table with a
// feature that is not on the list in protocol.go is refused, for appends too.
package delta
