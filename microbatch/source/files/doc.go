// Package files reads files of a folder or an S3 prefix as a stream: NDJSON, CSV and Parquet.
//
// # Positions
//
// Every file that is found is noted in a ledger and takes as many offsets as it has bytes, one file behind the other. So a position is a place in a
// file, a backlog is a number of bytes, and a batch may end in the middle of a file:
//
//   - a line of text belongs to the range in which its first byte lies;
//   - a row group of a Parquet file belongs to the range in which its first byte lies;
//   - a file that cannot be read from the middle (compressed text, CSV with line breaks in values) belongs to the range in which it begins.
//
// The order of the files is that in which they were found; those that one listing finds are in the order of their last change and name.
// A file whose name is older than those of others is found as any other.
//
// # The ledger
//
// The ledger is kept with the commits (source.Keeper; docs/formats/files.md). Of a file that was read it keeps 16 bytes of its name and 8 of what
// it was like, to tell that it was read, or has changed since; only files that are still to be read are known by name.
//
// A file that has changed after it was read is reported once, and not read again. One that changes before it is read gets a new place at
// the end of the ledger. One that changes, or vanishes, after a batch was planned over it is data loss.
package files
