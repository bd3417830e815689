package microbatch

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/offsets"
)

// watermarks follows event time, as Spark's WatermarkTracker does: each place where event time is observed has a watermark of
// its own, the largest time seen less the delay; the global one is the least of them, or the greatest, counts
// a place that has seen nothing as 1970, and never goes back. All are in milliseconds.
//
// Two settings go beyond Spark. With per_partition the watermark of a place is the least of those of its partitions. With idle_timeout
// a place or a partition that has had nothing to read for so long is left out until it has rows again.
type watermarks struct {
	places []place
	max    bool // the global one is the greatest
	own    map[string]int64
	active map[string]int64 // batch time when there last was something to read
	global committer.Watermark
	// hold keeps the global one where it is while there is more to read; then it becomes holdTo, or, where that is 0, what it would have been.
	hold   bool
	holdTo int64
}

// place is where event time is observed.
type place struct {
	exec.Watermark
	perPartition bool
	idle         int64 // 0: never
	partitions   []offsets.Partition
}

func newWatermarks(q *Query) *watermarks {
	w := &watermarks{max: q.Event.Greatest, hold: q.Event.Hold, holdTo: q.Event.HoldTo, own: map[string]int64{}, active: map[string]int64{}}
	for _, p := range q.Program.Watermarks {
		for _, in := range q.Inputs {
			if in.Name == p.Source {
				w.places = append(w.places, place{Watermark: p, perPartition: in.PerPartition, idle: in.IdleTimeout.Milliseconds()})
			}
		}
	}
	return w
}

// key names the watermark that a partition moves: that of the place, or its own.
func (p *place) key(partition offsets.Partition) string {
	if p.perPartition {
		return p.Name + "/" + partition.String()
	}
	return p.Name
}

// keys are the watermarks of a place.
func (p *place) keys() []string {
	if !p.perPartition {
		return []string{p.Name}
	}
	out := make([]string, len(p.partitions))
	for i, partition := range p.partitions {
		out[i] = p.key(partition)
	}
	return out
}

// restore goes on from a commit; without the watermarks of the places, as in Spark, if they do not survive a restart.
func (w *watermarks) restore(p *Position, survive bool) {
	w.global = p.Watermark
	if survive {
		maps.Copy(w.own, p.Watermarks)
		maps.Copy(w.active, p.Active)
	}
}

// activity is what a commit keeps of active: nothing where nothing becomes idle.
func (w *watermarks) activity() map[string]int64 {
	if !w.idles() {
		return nil
	}
	return maps.Clone(w.active)
}

// moment is what a batch that begins now knows of time.
func (w *watermarks) moment(batchTime int64) exec.Moment {
	return exec.Moment{Batch: batchTime, Late: w.global.RanWith, Evict: w.global.Next}
}

// risen reports whether the watermark in force is above that of the last batch.
func (w *watermarks) risen() bool { return w.global.Next > w.global.RanWith }

// look notes which partitions of a source there are, and which of them have something to read, now or later: those are not idle, even if a
// bounded run leaves their newest rows to the next one, or a transaction hides them.
func (w *watermarks) look(source string, at, latest offsets.Positions, now int64) {
	for i := range w.places {
		p := &w.places[i]
		if p.Source != source {
			continue
		}
		p.partitions = slices.SortedFunc(maps.Keys(at), func(a, b offsets.Partition) int {
			return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.ID, b.ID))
		})
		for _, partition := range p.partitions {
			key := p.key(partition)
			if _, known := w.active[key]; !known || latest[partition] > at[partition] {
				w.active[key] = now
			}
		}
	}
}

// settle raises the watermark over what has become idle. It is called before each batch, after a look at every source.
func (w *watermarks) settle(now int64) {
	if w.idles() && !w.hold {
		w.global.Next = max(w.global.Next, w.combined(now))
	}
}

func (w *watermarks) idles() bool {
	return slices.ContainsFunc(w.places, func(p place) bool { return p.idle > 0 })
}

// after moves the watermarks by what a batch has seen, by key; more says whether it left something to read.
func (w *watermarks) after(seen map[string]exec.EventTime, now int64, more bool) {
	for _, p := range w.places {
		for _, key := range p.keys() {
			s := seen[key]
			if !s.Seen {
				continue
			}
			w.active[key] = now
			at := floorMillis(s.Micros) - p.Delay/1000
			if old, ok := w.own[key]; !ok || at > old {
				w.own[key] = at
			}
		}
	}
	w.global.RanWith = w.global.Next
	switch {
	case w.hold && more:
	case w.hold && w.holdTo > 0:
		w.global.Next = max(w.global.Next, w.holdTo)
	default:
		w.global.Next = max(w.global.Next, w.combined(now))
	}
}

// combined is the global watermark of the places that are not idle; 0 if all are.
func (w *watermarks) combined(now int64) int64 {
	var out int64
	first := true
	for i := range w.places {
		own, idle := w.of(&w.places[i], now)
		if idle {
			continue
		}
		if first || (own > out) == w.max {
			out, first = own, false
		}
	}
	return out
}

// idle reports whether a place, or its partition, has had nothing to read for too long.
func (w *watermarks) idle(p *place, key string, now int64) bool {
	return p.idle > 0 && now-w.active[key] >= p.idle
}

// of is the watermark of a place: the least of those of its partitions that are not idle.
func (w *watermarks) of(p *place, now int64) (least int64, idle bool) {
	idle = true
	for _, key := range p.keys() {
		if w.idle(p, key, now) {
			continue
		}
		if own := w.own[key]; idle || own < least {
			least, idle = own, false
		}
	}
	return least, idle
}

// holder names the place, or its partition, that holds the global watermark back, "" if there is none.
func (w *watermarks) holder(now int64) string {
	name, least := "", int64(0)
	for i := range w.places {
		p := &w.places[i]
		for _, key := range p.keys() {
			if w.idle(p, key, now) {
				continue
			}
			if own := w.own[key]; name == "" || own < least {
				name, least = key, own
			}
		}
	}
	return name
}

func floorMillis(micros int64) int64 {
	if micros < 0 {
		return (micros - 999) / 1000
	}
	return micros / 1000
}
