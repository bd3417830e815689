package microbatch

import (
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/microbatch/exec"
)

// ErrBadRecords: more records are bad than bad_records allows, or one is and on_bad_record is fail.
var ErrBadRecords = errors.New("bad records")

// badWindow watches the share of bad records over the newest batches that hold MinRecords together.
type badWindow struct {
	limit   BadRecords
	in, bad int64
	first   error
}

// add counts a batch and fails if the share is too high. first is the error of its first bad record.
func (w *badWindow) add(c exec.Counts, first error) error {
	w.in, w.bad = w.in+c.In, w.bad+c.Bad
	if w.first == nil {
		w.first = first
	}
	if w.in < w.limit.MinRecords {
		return nil
	}
	in, bad, sample := w.in, w.bad, w.first
	w.in, w.bad, w.first = 0, 0, nil
	if float64(bad) <= w.limit.MaxRatio*float64(in) {
		return nil
	}
	return fmt.Errorf("%w: %d of %d records are bad, more than bad_records.max_ratio %v allows, so nothing of this batch was committed; the first: %w", ErrBadRecords, bad, in, w.limit.MaxRatio, sample)
}
