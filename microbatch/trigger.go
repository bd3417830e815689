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

// idlePause is how long a query without an interval waits when there was nothing to read (spark.sql.streaming.pollingDelay).
const idlePause = 10 * time.Millisecond

// wait sleeps until the time, a stop or the end of ctx. It reports whether to go on.
func (d *driver) wait(ctx context.Context, until time.Time) (bool, error) {
	pause := until.Sub(d.q.Clock.Now())
	if pause <= 0 {
		return !d.stopping(), ctx.Err()
	}
	if err := d.q.Clock.Sleep(d.stopCtx, pause); err != nil && !d.stopping() {
		return false, err
	}
	return !d.stopping(), ctx.Err()
}

func (d *driver) stopping() bool { return d.stopCtx.Err() != nil }
