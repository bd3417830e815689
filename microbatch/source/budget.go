package source

import (
	"container/list"
	"context"
	"sync"
)

// Budget bounds the bytes that readers hold at once: a reader acquires the size of a fetch before it sends it, and waits while there
// is no room. It may lie within another budget, which many share. Whoever waits is served in order.
//
// A reader holds something only while it works on it, and never waits while it holds: so there is always one that goes on.
type Budget struct {
	within *Budget // nil: none
	size   int64

	mu      sync.Mutex
	used    int64
	waiting list.List // of *waiter
}

type waiter struct {
	n     int64
	ready chan struct{}
}

// NewBudget returns a budget of so many bytes, perhaps within another one.
func NewBudget(size int64, within *Budget) *Budget { return &Budget{size: size, within: within} }

// Acquire waits until n bytes fit beside what is held, or nothing is: so one fetch that is larger than the budget goes
// through alone. The error is the cause of the end of ctx.
func (b *Budget) Acquire(ctx context.Context, n int64) error {
	if err := b.acquire(ctx, n); err != nil || b.within == nil {
		return err
	}
	if err := b.within.Acquire(ctx, n); err != nil {
		b.release(n)
		return err
	}
	return nil
}

// TryAcquire takes n bytes if there is room, and reports whether there was.
func (b *Budget) TryAcquire(n int64) bool {
	if !b.try(n) {
		return false
	}
	if b.within != nil && !b.within.TryAcquire(n) {
		b.release(n)
		return false
	}
	return true
}

// Force takes n bytes whether there is room or not: for what has come already and is larger than what was asked for. Others wait until
// the budget holds again.
func (b *Budget) Force(n int64) {
	b.mu.Lock()
	b.used += n
	b.mu.Unlock()
	if b.within != nil {
		b.within.Force(n)
	}
}

// Release gives n bytes back.
func (b *Budget) Release(n int64) {
	b.release(n)
	if b.within != nil {
		b.within.Release(n)
	}
}

// Used is how many bytes are held.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// fits is called under the lock.
func (b *Budget) fits(n int64) bool { return b.used == 0 || b.used+n <= b.size }

func (b *Budget) try(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting.Len() > 0 || !b.fits(n) {
		return false
	}
	b.used += n
	return true
}

func (b *Budget) acquire(ctx context.Context, n int64) error {
	if b.try(n) {
		return nil
	}
	w := &waiter{n: n, ready: make(chan struct{})}
	b.mu.Lock()
	at := b.waiting.PushBack(w)
	b.serve()
	b.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return b.giveUp(at, w, context.Cause(ctx))
	}
}

// giveUp ends a wait, unless it was served meanwhile.
func (b *Budget) giveUp(at *list.Element, w *waiter, cause error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	default:
	}
	b.waiting.Remove(at)
	b.serve() // the next one may need less
	return cause
}

func (b *Budget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.serve()
}

// serve lets those in who fit, in order. It is called under the lock.
func (b *Budget) serve() {
	for first := b.waiting.Front(); first != nil; first = b.waiting.Front() {
		w := first.Value.(*waiter)
		if !b.fits(w.n) {
			return
		}
		b.used += w.n
		b.waiting.Remove(first)
		close(w.ready)
	}
}
