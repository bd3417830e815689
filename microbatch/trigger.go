package microbatch

import (
	"context"
	"time"
)

// nextTick is the first multiple of interval after now, as Spark's ProcessingTimeExecutor has it. A
// batch that took longer than the interval runs at once: the ticks it missed are skipped.
func nextTick(now time.Time, interval time.Duration) time.Time {
	return now.Truncate(interval).Add(interval)
}

// errStopped ends a wait because a graceful stop was asked for.
type stopped struct{}

func (stopped) Error() string { return "stopped" }

// wait sleeps until the time, a stop or the end of ctx. It reports whether to go on.
func (d *driver) wait(ctx context.Context, until time.Time) (bool, error) {
	pause := until.Sub(d.q.Clock.Now())
	if pause <= 0 {
		return !d.stopping(), ctx.Err()
	}
	sleepCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	release := context.AfterFunc(d.stopCtx, func() { cancel(stopped{}) })
	defer release()
	if err := d.q.Clock.Sleep(sleepCtx, pause); err != nil && !d.stopping() {
		return false, err
	}
	return !d.stopping(), ctx.Err()
}

func (d *driver) stopping() bool { return d.stopCtx.Err() != nil }
