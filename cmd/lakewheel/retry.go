package main

import (
	"context"
	"errors"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/schedule"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// retryPause is how long a pipeline that fails is left alone.
var retryPause = schedule.Pause{First: 30 * time.Second, Longest: time.Hour}

// runRetried runs a pipeline, and again after a pause when it fails, up to so many times in a row without a commit. What a further
// try cannot change ends it at once.
func runRetried(ctx context.Context, p *config.Pipeline, w wire.World, stop <-chan struct{}, retries int, onProgress func(microbatch.Progress)) error {
	var stuck microbatch.Stuck
	failures := 0
	for {
		err := runOne(ctx, p, w, stop, func(b microbatch.Progress) {
			failures = 0
			stuck.Reset()
			onProgress(b)
		})
		if err == nil || final(err) || retries == 0 {
			return err
		}
		failures++
		stuck.Failed(err)
		advice := stuck.Advice()
		if failures > retries {
			return advised(err, advice)
		}
		pause := retryPause.After(failures)
		w.Log.Error(err.Error(), "pipeline", p.Name, "next_try_in", pause.String())
		if advice != "" {
			w.Log.Error(advice, "pipeline", p.Name)
		}
		if stopped(ctx, w.Clock, pause, stop) {
			return err
		}
	}
}

// advised adds to an error what can be done.
func advised(err error, advice string) error {
	if advice == "" {
		return err
	}
	return errors.Join(err, errors.New(advice))
}

// final reports whether another try would change nothing, or is not wanted.
func final(err error) bool {
	for _, target := range []error{microbatch.ErrAbandoned, committer.ErrFenced, committer.ErrPositionLost, committer.ErrRefused, source.ErrDataLoss, context.Canceled} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// stopped waits, and reports whether a stop came meanwhile.
func stopped(ctx context.Context, clock microbatch.Clock, d time.Duration, stop <-chan struct{}) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := clock.Sleep(ctx, d)
	cancel()
	<-ended
	return err != nil
}
