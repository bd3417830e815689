package scenario

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// idleTriggers is how many triggers in a row read nothing before a stream is stopped. A batch without data comes with the first of them, and
// may be the reason for another.
const idleTriggers = 4

// streamClock stands still and asks a stream to stop once it has slept so often without a read in between.
type streamClock struct {
	*manualClock
	reads  atomic.Int64
	seen   int64 // of reads, by the last sleep
	idle   int
	stop   chan struct{}
	asking sync.Once
}

// streamUntilIdle makes a continuous query end.
func streamUntilIdle(q *microbatch.Query, clock *manualClock) {
	c := &streamClock{manualClock: clock, stop: make(chan struct{})}
	for i := range q.Inputs {
		q.Inputs[i].Source = watched{q.Inputs[i].Source, &c.reads}
	}
	q.Clock, q.Stop = c, c.stop
}

// Sleep returns at once, as long as the stream is wanted.
func (c *streamClock) Sleep(ctx context.Context, _ time.Duration) error {
	reads := c.reads.Load()
	if c.idle++; reads != c.seen {
		c.seen, c.idle = reads, 0
	}
	if c.idle < idleTriggers {
		return ctx.Err()
	}
	c.asking.Do(func() { close(c.stop) })
	<-ctx.Done()
	return context.Cause(ctx)
}

// watched counts the reads of a source.
type watched struct {
	source.Source
	reads *atomic.Int64
}

func (w watched) Read(ctx context.Context, r offsets.Range) (source.Reader, error) {
	w.reads.Add(1)
	return w.Source.Read(ctx, r)
}
