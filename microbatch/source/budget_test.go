package source

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Many readers never hold more than the budgets, and all get through.
func TestBudgetHolds(t *testing.T) {
	whole := NewBudget(100, nil)
	parts := []*Budget{NewBudget(60, whole), NewBudget(70, whole)}
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			at, rng := i%2, rand.New(rand.NewPCG(1, uint64(i)))
			for range 200 {
				n := rng.Int64N(50) + 1
				if rng.IntN(4) == 0 {
					if !parts[at].TryAcquire(n) {
						continue
					}
				} else if parts[at].Acquire(t.Context(), n) != nil {
					return
				}
				if mine, all := parts[at].Used(), whole.Used(); mine > parts[at].size || all > whole.size {
					t.Errorf("%d held, %d in all", mine, all)
				}
				parts[at].Release(n)
			}
		})
	}
	group.Wait()
	require.Zero(t, whole.Used()+parts[0].Used()+parts[1].Used())
}

// What a budget does, step by step.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10, nil)
		var order []int64
		var mu sync.Mutex
		wait := func(ctx context.Context, n int64) <-chan error {
			done := make(chan error, 1)
			go func() {
				err := b.Acquire(ctx, n)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, n)
				done <- err
			}()
			synctest.Wait()
			return done
		}
		require.NoError(t, <-wait(t.Context(), 99)) // larger than the budget: alone
		require.False(t, b.TryAcquire(1))
		b.Release(99)
		require.NoError(t, <-wait(t.Context(), 6))
		order = nil
		ctx, cancel := context.WithCancelCause(t.Context())
		late, eight, two := wait(ctx, 9), wait(t.Context(), 8), wait(t.Context(), 2)
		require.False(t, b.TryAcquire(1), "not before those who wait")
		why := errors.New("stop")
		cancel(why)
		require.ErrorIs(t, <-late, why)
		b.Release(6)
		require.NoError(t, <-eight)
		require.NoError(t, <-two)
		require.Len(t, order, 3)
		b.Force(5) // came larger than asked for
		require.EqualValues(t, 15, b.Used())
		one := wait(t.Context(), 1)
		b.Release(5)
		synctest.Wait()
		require.Len(t, order, 3, "the budget is full")
		b.Release(8)
		require.NoError(t, <-one)
	})
}

// Who does not get into the budget around has given back its own.
func TestBudgetWithin(t *testing.T) {
	whole := NewBudget(10, nil)
	a, b := NewBudget(10, whole), NewBudget(10, whole)
	require.NoError(t, a.Acquire(t.Context(), 8))
	require.False(t, b.TryAcquire(3))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.Acquire(ctx, 3), context.Canceled)
	require.Zero(t, b.Used())
	a.Release(8)
	require.True(t, b.TryAcquire(3))
	b.Release(3)
	require.Zero(t, whole.Used())
}
