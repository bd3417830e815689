package microbatch

import (
	"maps"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/exec"
)

// watermarks follows event time, as Spark's WatermarkTracker does: each place where event time is observed has a watermark of
// its own, the largest time seen less the delay; the global one is the least of them, or the greatest, counts
// a place that has seen nothing as 1970, and never goes back. All are in milliseconds.
type watermarks struct {
	places []exec.Watermark
	max    bool // the global one is the greatest
	own    map[string]int64
	global committer.Watermark
}

func newWatermarks(places []exec.Watermark, greatest bool) *watermarks {
	return &watermarks{places: places, max: greatest, own: map[string]int64{}}
}

// restore goes on from a commit; without the watermarks of the places, as in Spark, if they do not survive a restart.
func (w *watermarks) restore(p *Position, survive bool) {
	w.global = p.Watermark
	if survive {
		maps.Copy(w.own, p.Watermarks)
	}
}

// moment is what a batch that begins now knows of time.
func (w *watermarks) moment(batchTime int64) exec.Moment {
	return exec.Moment{Batch: batchTime, Late: w.global.RanWith, Evict: w.global.Next}
}

// risen reports whether the watermark in force is above that of the last batch.
func (w *watermarks) risen() bool { return w.global.Next > w.global.RanWith }

// after moves the watermarks by what a batch has seen, by place.
func (w *watermarks) after(seen []exec.EventTime) {
	for i, p := range w.places {
		if !seen[i].Seen {
			continue
		}
		at := floorMillis(seen[i].Micros) - p.Delay/1000
		if old, ok := w.own[p.Name]; !ok || at > old {
			w.own[p.Name] = at
		}
	}
	w.global.RanWith = w.global.Next
	w.global.Next = max(w.global.Next, w.combined())
}

func (w *watermarks) combined() int64 {
	var out int64
	for i, p := range w.places {
		own := w.own[p.Name]
		if i == 0 || (own > out) == w.max {
			out = own
		}
	}
	return out
}

// holder names the place that holds the global watermark back, "" if there is none.
func (w *watermarks) holder() string {
	name, least := "", int64(0)
	for _, p := range w.places {
		if own := w.own[p.Name]; name == "" || own < least {
			name, least = p.Name, own
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
