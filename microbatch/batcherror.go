package microbatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// BatchError is the failure of a batch while it was read and computed. Nothing of the batch was committed, so the next start reads the same
// offsets again: two failures with the same start are the same trouble.
type BatchError struct {
	Batch  int64
	Ranges []offsets.Range // that it read
	Err    error
}

// Error names the batch and its offsets.
func (e *BatchError) Error() string {
	return fmt.Sprintf("batch %d (%s): %v", e.Batch, e.Start(), e.Err)
}

// Unwrap returns the cause.
func (e *BatchError) Unwrap() error { return e.Err }

// manyRanges is how many ranges a message names.
const manyRanges = 4

// Start names where the batch begins in each partition that it reads.
func (e *BatchError) Start() string {
	if len(e.Ranges) == 0 {
		return "no data"
	}
	var parts []string
	for i, r := range e.Ranges {
		if i == manyRanges {
			parts = append(parts, fmt.Sprintf("and %d more", len(e.Ranges)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s from offset %d", r.Source, r.Partition, r.From))
	}
	return strings.Join(parts, ", ")
}

// sameStart reports whether two batches begin at the same offsets of the same partitions.
func (e *BatchError) sameStart(o *BatchError) bool {
	return slices.EqualFunc(e.Ranges, o.Ranges, func(a, b offsets.Range) bool {
		return a.Source == b.Source && a.Partition == b.Partition && a.From == b.From
	})
}

// Stuck counts the failures in a row of batches that begin at the same offsets. It is kept by whoever runs a query again after
// a failure; nothing of it is stored.
type Stuck struct {
	last *BatchError
	n    int
}

// Failed takes note of a failure and returns how many in a row there were at the same place; 1 if it is a new one, or has no place.
func (s *Stuck) Failed(err error) int {
	var b *BatchError
	if !errors.As(err, &b) {
		s.last, s.n = nil, 1
		return 1
	}
	if s.last == nil || !s.last.sameStart(b) {
		s.n = 0
	}
	s.last = b
	s.n++
	return s.n
}

// Reset forgets what has failed: there was a commit.
func (s *Stuck) Reset() { s.last, s.n = nil, 0 }

// Advice says that it keeps failing at the same offsets and what can be done, "" before the second time.
func (s *Stuck) Advice() string {
	if s.n < 2 || s.last == nil {
		return ""
	}
	return fmt.Sprintf("failed %d times in a row in the batch that begins at %s: on_bad_record: dead_letter (or drop) goes past rows that cannot be decoded or computed, "+
		"a corrected query goes on from the same offsets, lakewheel rewind goes back to an earlier batch, and a source of files goes on without a file that was taken out of its folder with on_data_loss: skip", s.n, s.last.Start())
}

// failed names the offsets of a batch that failed by itself. A stop, a fence and lost rows say by themselves what happened.
func failed(ctx context.Context, b *batch, err error) error {
	if err == nil || context.Cause(ctx) != nil || errors.Is(err, committer.ErrFenced) || errors.Is(err, source.ErrDataLoss) {
		return err
	}
	e := &BatchError{Batch: b.id, Err: err}
	for _, p := range b.parts {
		e.Ranges = append(e.Ranges, p.ranges...)
	}
	return e
}
