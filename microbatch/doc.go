// Package microbatch is the driver: it cuts the input into batches with exact offset
// ranges, runs the plan over them, and hands rows and offsets to one commit.
//
// # One batch
//
//  1. Trigger: wait for the next tick (aligned to the interval; missed ticks are skipped).
//  2. Plan: what is available, within the limits; a source that lost rows stops the run here.
//  3. Run: one task per range, on a pool of workers; rows go to the output of the open fold.
//  4. Check: too many bad records stop the run before anything is committed.
//  5. Fold: the batch joins the open fold; when the commit is due, the fold is committed while
//     the next batch is already read. A commit begins only when the one before it is published.
//
// Invariants:
//
//   - Positions advance in memory when a batch is planned, and for good only by a commit.
//   - Nothing of a batch is visible before its commit, so a restart may cut other ranges.
//   - Any error ends the run: what was not committed is dropped and read again by the next start.
//
// # Ownership
//
// [Run] owns every goroutine it starts and returns after the last has ended. Its context is the
// hard stop; Query.Stop asks for a graceful one.
package microbatch
