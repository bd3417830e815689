package microbatch

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However many queries share a pool, no more tasks run at once than it has workers; who wants more than there are gets all.
func TestPool(t *testing.T) {
	pool := NewPool(3)
	var busy, most atomic.Int64
	var group sync.WaitGroup
	for i := range 40 {
		want := int64([]int{1, 1, 1, 8}[i%4])
		group.Go(func() {
			leave, err := pool.enter(t.Context(), int(want))
			if err != nil {
				t.Error(err)
				return
			}
			n := busy.Add(min(want, 3))
			for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
			}
			time.Sleep(time.Millisecond)
			busy.Add(-min(want, 3))
			leave()
		})
	}
	group.Wait()
	require.EqualValues(t, 3, most.Load())
}

// A wait ends with the context; no pool lets in everyone.
func TestPoolWait(t *testing.T) {
	pool := NewPool(1)
	leave, err := pool.enter(t.Context(), 1)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrAbandoned)
	_, err = pool.enter(ctx, 1)
	require.ErrorIs(t, err, ErrAbandoned)
	leave()
	var none *Pool
	leave, err = none.enter(ctx, 99)
	require.NoError(t, err)
	leave()
}
