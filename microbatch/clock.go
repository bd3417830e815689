package microbatch

import (
	"context"
	"time"
)

// Clock is the only source of time. Tests and scenarios move a manual one.
type Clock interface {
	Now() time.Time
	// Sleep waits until d has passed, or until ctx ends and then returns its error.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the wall clock.
type SystemClock struct{}

// Now returns the time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
