package microbatch

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Pool bounds how many tasks of several queries run at once. Tasks are let in in the order in which they come, so
// a query with a long backlog does not keep the others out. A nil Pool lets in everyone.
type Pool struct {
	slots *semaphore.Weighted
	size  int64
}

// NewPool returns a pool of so many workers.
func NewPool(workers int) *Pool {
	return &Pool{slots: semaphore.NewWeighted(int64(workers)), size: int64(workers)}
}

// enter waits for so many workers, or for all if there are fewer. The function it returns gives them back.
func (p *Pool) enter(ctx context.Context, workers int) (leave func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	n := min(int64(workers), p.size)
	if err := p.slots.Acquire(ctx, n); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { p.slots.Release(n) }, nil
}
