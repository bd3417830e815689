package microbatch

import (
	"context"
	"errors"
	"fmt"
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

// StuckAdvice is what can be done about a batch that fails again and again.
const StuckAdvice = "on_bad_record: dead_letter (or drop) goes past rows that cannot be decoded or computed, a corrected query goes on from the same offsets, " +
	"and lakewheel rewind goes back to an earlier batch"

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

// SameStart reports whether two batches begin at the same offsets of the same partitions.
func (e *BatchError) SameStart(o *BatchError) bool {
	if len(e.Ranges) != len(o.Ranges) {
		return false
	}
	for i, r := range e.Ranges {
		if p := o.Ranges[i]; r.Source != p.Source || r.Partition != p.Partition || r.From != p.From {
			return false
		}
	}
	return true
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
