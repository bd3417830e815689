// Package backfill computes a range of rows of a pipeline again, with the plan that the pipeline runs, and puts them in the place of those that
// are there, or into another table.
//
// # Model
//
// A [Request] names a range: of event time, of the times that records were written at, of offsets, or all. What it means for the rows of the
// table is decided from the plan alone ([newShape]): which column tells whether a row is of the range, and what makes an answer exact. What it
// means for the sources depends on the pipeline's newest record: the offsets that it has read, and the watermark up to which its windows are complete.
//
// The rows are computed by [microbatch.Run], over sources that end where the range does and with state of its own that begins empty. Its sink
// stages them as parts of a [committer.Backfill], and the rows that are not of the range are left out there. The watermark is held until everything
// is read, so that no row is late, whatever order partitions are read in.
//
// # What is exact
//
//   - Rows without state: any range.
//   - Windows: those that the range of event time holds whole and that end at or before the committed watermark. The pipeline has put
//     them out, and never does again. All others are named and left alone.
//   - Deduplication: by keys with the event time, whose duplicates are all in the range; by other keys only over all rows.
//   - Sessions: only into another table, over all rows.
package backfill
