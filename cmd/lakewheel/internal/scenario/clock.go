package scenario

import (
	"context"
	"time"
)

// manualClock stands still until the script moves it. It starts at 1970-01-01.
type manualClock struct{ now time.Time }

func (c *manualClock) Now() time.Time {
	if c.now.IsZero() {
		c.now = time.Unix(0, 0).UTC()
	}
	return c.now
}

// Sleep returns at once: triggers fire at once.
func (c *manualClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
