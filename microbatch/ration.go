package microbatch

import (
	"maps"
	"time"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// What limits a batch, as the progress says it.
const (
	LimitedByRows   = "rows"   // rows_per_batch or rows_per_partition
	LimitedByBytes  = "bytes"  // bytes_per_batch
	LimitedByFiles  = "files"  // max_files_per_batch or max_bytes_per_batch of the source
	LimitedByRate   = "rate"   // adaptive: more would have taken longer than the interval
	LimitedByDelay  = "delay"  // fewer than min_rows were there, and max_delay was over
	LimitedByMemory = "memory" // tasks waited for room in the memory budget
	LimitedByCommit = "commit" // the batch waited for the commit before it: the sink is slow
)

// ration decides how much of one input a batch reads.
type ration struct {
	limits Limits
	rate   *rateEstimator // nil: not adaptive
	sizes  map[offsets.Partition]float64
	mean   float64        // bytes of an offset, of all partitions; 0: not known
	last   time.Time      // of the newest batch with data; zero: none yet
	own    source.Planner // cuts batches itself; nil: offsets are rows
	cut    bool           // it did so with the newest batch
}

// unknownRow is what an offset is taken to need before anything was read.
const unknownRow = 4 << 10

// usualInterval is how long a batch should take where the trigger does not say.
const usualInterval = time.Second

func newRation(l Limits, trigger Trigger, s source.Source) *ration {
	r := &ration{limits: l, sizes: map[offsets.Partition]float64{}}
	r.own, _ = s.(source.Planner)
	if !l.Adaptive {
		return r
	}
	r.rate = &rateEstimator{interval: trigger.Interval}
	if trigger.Interval == 0 || trigger.AvailableNow {
		r.rate.interval = usualInterval
	}
	return r
}

// plan returns how far the next batch reads, and what limits it, "" if nothing does. A bounded run waits for no minimum: it has to end.
func (r *ration) plan(from, ends offsets.Positions, now time.Time, bounded bool) (offsets.Positions, string) {
	if until, by, ok := r.ask(from, ends); ok {
		return until, by
	}
	by := ""
	if n := backlog(from, ends); !bounded && n < r.limits.MinRows {
		if r.tooFew(now) {
			return from.Clone(), ""
		}
		if n > 0 && !r.last.IsZero() {
			by = LimitedByDelay
		}
	}
	rows, adapted := r.rows()
	l := offsets.Limits{Rows: rows, PartitionRows: r.limits.RowsPerPartition, Bytes: r.limits.BytesPerBatch, RowBytes: r.rowBytes}
	until, byBytes := l.Plan(from, ends)
	left := backlog(until, ends)
	if left < backlog(from, ends) {
		r.last = now
	}
	switch {
	case left == 0:
		return until, by
	case byBytes:
		return until, LimitedByBytes
	case adapted:
		return until, LimitedByRate
	}
	return until, LimitedByRows
}

// ask lets a source that cuts batches itself do so. Minima and limits of a partition are for offsets that are rows.
func (r *ration) ask(from, ends offsets.Positions) (until offsets.Positions, by string, ok bool) {
	if r.cut = false; r.own == nil {
		return nil, "", false
	}
	rows, adapted := r.rows()
	if until, r.cut = r.own.Plan(from, ends, source.Size{Rows: rows, Bytes: r.limits.BytesPerBatch}); !r.cut {
		return nil, "", false
	}
	switch {
	case backlog(until, ends) == 0:
		return until, "", true
	case r.cutsAt(until, from, ends, source.Size{}):
		return until, LimitedByFiles, true
	case r.cutsAt(until, from, ends, source.Size{Bytes: r.limits.BytesPerBatch}):
		return until, LimitedByBytes, true
	case adapted:
		return until, LimitedByRate, true
	}
	return until, LimitedByRows, true
}

// cutsAt reports whether the source would cut at a place if there were no other limits than these.
func (r *ration) cutsAt(until, from, ends offsets.Positions, size source.Size) bool {
	at, ok := r.own.Plan(from, ends, size)
	return ok && maps.Equal(at, until)
}

// rows is how many a batch may have, and whether that is less than the limit because batches took too long.
func (r *ration) rows() (rows int64, adapted bool) {
	rows = r.limits.RowsPerBatch
	if r.rate == nil {
		return rows, false
	}
	if n := r.rate.limit(); n > 0 && (rows <= 0 || n < rows) {
		return n, true
	}
	return rows, false
}

// tooFew reports whether fewer rows than the minimum have to wait, as with Spark's minOffsetsPerTrigger and maxTriggerDelay: the first batch of
// a run never does.
func (r *ration) tooFew(now time.Time) bool {
	return !r.last.IsZero() && now.Sub(r.last) < r.limits.MaxDelay
}

// rowBytes is what an offset of a partition takes, by what was read of it, or else of the others.
func (r *ration) rowBytes(p offsets.Partition) float64 {
	if size, ok := r.sizes[p]; ok {
		return size
	}
	if r.mean > 0 {
		return r.mean
	}
	return unknownRow
}

// measure takes note of the bytes that a batch read of each partition. Larger rows count at once, smaller ones by half each time.
func (r *ration) measure(p part, bytes map[offsets.Partition]int64) {
	if r.cut {
		return
	}
	var total, rows float64
	for partition, n := range bytes {
		span := float64(p.until[partition] - p.from[partition])
		if span <= 0 {
			continue
		}
		size := float64(n) / span
		r.sizes[partition] = max(size, (size+r.sizes[partition])/2)
		total, rows = total+float64(n), rows+span
	}
	if rows > 0 {
		r.mean = total / rows
	}
}

// learn takes note of how long a batch took, with the wait for the commit before it, and of how long after the batch before it began.
func (r *ration) learn(p part, at time.Time, took, gap time.Duration) {
	rows := backlog(p.from, p.until)
	if r.cut {
		rows = p.rows
	}
	if r.rate != nil {
		r.rate.learn(at, rows, took, max(0, gap-r.rate.interval))
	}
}

// backlog is the number of offsets between positions and ends.
func backlog(from, ends offsets.Positions) (n int64) {
	for p, at := range from {
		n += max(0, ends[p]-at)
	}
	return n
}
