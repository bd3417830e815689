package microbatch

import "time"

// The weights of Spark's PIDRateEstimator (spark.streaming.backpressure.pid.*).
const (
	pidProportional = 1.0
	pidIntegral     = 0.2
	pidDerived      = 0.0
	pidMinRate      = 100.0 // rows a second
)

// rateEstimator follows how fast batches are processed, as Spark's PIDRateEstimator does: the next rate is the last one, less what it was too
// high by, less a part of what has piled up. It only learns; who asks makes a limit of it. One difference: the first batch gives a rate at once,
// where Spark lets a second one go without.
type rateEstimator struct {
	interval time.Duration // that a batch should take
	at       time.Time     // of the newest measurement
	rate     float64       // rows a second; 0: nothing was learned yet
	errors   float64       // rate too high by, at the newest measurement
}

// learn takes note of a batch of so many rows that ended at a time, took so long, and began so much later than it should have.
func (r *rateEstimator) learn(at time.Time, rows int64, took, late time.Duration) {
	if rows <= 0 || took <= 0 || !at.After(r.at) {
		return
	}
	processed := float64(rows) / took.Seconds()
	since := at.Sub(r.at)
	first := r.rate == 0
	r.at = at
	if first {
		r.rate = max(processed, pidMinRate)
		return
	}
	over := r.rate - processed
	piled := late.Seconds() * processed / r.interval.Seconds()
	slope := (over - r.errors) / since.Seconds()
	r.rate = max(pidMinRate, r.rate-pidProportional*over-pidIntegral*piled-pidDerived*slope)
	r.errors = over
}

// limit is how many rows the next batch should have, 0 if that is not known yet.
func (r *rateEstimator) limit() int64 {
	if r.rate == 0 {
		return 0
	}
	return max(1, int64(r.rate*r.interval.Seconds()))
}
