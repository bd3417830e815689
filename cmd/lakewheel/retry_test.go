package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// restless does not sleep: it takes note of what it should have slept.
type restless struct {
	microbatch.SystemClock
	slept []time.Duration
	wake  func(n int)
}

func (c *restless) Sleep(ctx context.Context, d time.Duration) error {
	c.slept = append(c.slept, d)
	if c.wake != nil {
		c.wake(len(c.slept))
	}
	return ctx.Err()
}

// A run that fails is tried again after pauses that grow, counts what fails at the same offsets, and begins to count anew with a commit.
func TestRetries(t *testing.T) {
	l, log, clock := newLake(t), &bytes.Buffer{}, &restless{}
	p := scheduledPipeline(t, "p", "t", "limits: {rows_per_batch: 5}\ncommit: {interval: 0s}\n")
	p.Sources[0].OnBad, p.Trigger.AvailableNow = microbatch.FailOnBad, true
	w := l.world(log)
	w.Clock = clock
	l.add(5)
	l.docs.Append(0, []byte("no json"), 0)
	seen := 0
	err := runRetried(t.Context(), p, w, nil, 2, func(microbatch.Progress) { seen++ })
	require.ErrorContains(t, err, "batch 1 (events events-0 from offset 5): ")
	require.ErrorContains(t, err, "failed 3 times in a row in the batch that begins at events events-0 from offset 5: on_bad_record: dead_letter")
	require.Equal(t, 1, seen)
	require.Equal(t, []time.Duration{30 * time.Second, time.Minute}, clock.slept)

	clock.slept, clock.wake = nil, func(n int) { // somebody corrects the pipeline
		if n == 1 {
			p.Sources[0].OnBad = microbatch.DropBad
		}
	}
	require.NoError(t, runRetried(t.Context(), p, w, nil, 2, func(microbatch.Progress) {}))
	require.Len(t, clock.slept, 1)
}

// A stop during a pause ends it, with the error.
func TestStopDuringARetry(t *testing.T) {
	l, log := newLake(t), &bytes.Buffer{}
	p := scheduledPipeline(t, "p", "t", "")
	p.Sources[0].OnBad, p.Trigger.AvailableNow = microbatch.FailOnBad, true
	l.docs.Append(0, []byte("no json"), 0)
	w, stop := l.world(log), make(chan struct{})
	w.Clock = microbatch.SystemClock{}
	time.AfterFunc(20*time.Millisecond, func() { close(stop) })
	require.ErrorContains(t, runRetried(t.Context(), p, w, stop, 5, func(microbatch.Progress) {}), "from offset 0")
}

// What no further try can change.
func TestFinal(t *testing.T) {
	for _, err := range []error{committer.ErrFenced, committer.ErrPositionLost, committer.ErrRefused, source.ErrDataLoss, microbatch.ErrAbandoned, context.Canceled} {
		require.True(t, final(fmt.Errorf("p: %w", err)), "%v", err)
	}
	require.False(t, final(errors.New("no broker")))
	require.False(t, final(&microbatch.BatchError{Err: microbatch.ErrBadRecords}))
}
