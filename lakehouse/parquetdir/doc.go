// Package parquetdir writes folders of plain Parquet files for readers that know no table format and look at names alone, such as a
// glob over **/*.parquet: such a reader never sees a row that was not committed. docs/formats/parquetdir.md describes the log byte for byte.
//
// # Model
//
// The log is _lakewheel/<pipeline>/log/<number, 20 digits>.json below the folder, an entry a commit, created by put-if-absent. It belongs to one pipeline. An entry names
// the files that it adds and says all that a writer must know of the table as of it: schema, partition columns, transactions. So the newest entry is
// all that a start reads. What the live files are is the folder's affair: they are never listed, and none is ever removed.
//
// # Committing
//
//  1. Data files are staged as _lakewheel/<pipeline>/staged/<name>, without the suffix .parquet.
//  2. The entry is put under the number after its base, and nowhere else. It decides.
//  3. The staged files get their final names ([Table.Publish]). That may be repeated, by anyone who has read the entry.
//  4. No further entry is put before 3 is done ([Table.Commit] sees to it), so only the newest entry can have staged files.
//
// A commit with several files appears file by file, within moments.
package parquetdir
