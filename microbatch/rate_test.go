package microbatch

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is learned of batches, one after the other: rows, milliseconds, milliseconds late. The rates are those of Spark's PIDRateEstimator for the
// same measurements, from the first one that it tells.
func TestRate(t *testing.T) {
	type measured struct{ rows, took, late int64 }
	for _, c := range []struct {
		name  string
		steps []measured
		want  []int64 // rows of the next batch
	}{
		{"the rate is what was processed", []measured{{1000, 1000, 0}, {1000, 1000, 0}}, []int64{1000, 1000}},
		{"slower batches make it less at once", []measured{{1000, 1000, 0}, {1000, 2000, 0}}, []int64{1000, 500}},
		{"faster ones make it more", []measured{{1000, 1000, 0}, {1000, 250, 0}}, []int64{1000, 4000}},
		{"what has piled up counts a fifth", []measured{{1000, 1000, 0}, {1000, 1000, 1000}}, []int64{1000, 800}},
		{"never below a hundred a second", []measured{{1000, 1000, 0}, {10, 10_000, 0}, {10, 1000, 60_000}}, []int64{1000, 100, 100}},
		{"nothing is learned of nothing", []measured{{1000, 1000, 0}, {0, 1000, 0}, {5, 0, 0}}, []int64{1000, 1000, 1000}},
	} {
		r := &rateEstimator{interval: time.Second}
		require.Zero(t, r.limit())
		now := time.Unix(1000, 0)
		for i, m := range c.steps {
			now = now.Add(time.Second)
			r.learn(now, m.rows, time.Duration(m.took)*time.Millisecond, time.Duration(m.late)*time.Millisecond)
			require.Equal(t, c.want[i], r.limit(), "%s, step %d", c.name, i)
		}
	}
}

// Under a steady speed with noise the rate settles at it, from above and from below.
func TestRateSettles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, first := range []int64{100, 1_000_000} {
		r, now, rows := &rateEstimator{interval: time.Second}, time.Unix(0, 0), first
		const speed = 50_000.0
		late := time.Duration(0)
		for range 50 {
			took := time.Duration(float64(rows) / (speed * (0.9 + 0.2*rng.Float64())) * float64(time.Second))
			now = now.Add(max(took, time.Second))
			r.learn(now, rows, took, late)
			late, rows = max(0, took-time.Second), r.limit()
		}
		require.InDelta(t, speed, rows, speed/4)
	}
}
