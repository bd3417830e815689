package microbatch

import (
	"sync/atomic"
	"time"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/offsets"
)

// fold is the batches that one commit will make visible.
type fold struct {
	first, last int64
	since       time.Time // when its first batch began
	out         Output
	sources     map[string]offsets.Progress
	time        int64 // of the last batch, milliseconds since 1970
	progress    []Progress
	rows        atomic.Bool  // rows or dead letters were staged
	urgent      bool         // must not wait for rows: a first position, a hole
	bytes       atomic.Int64 // staged, as they lie in memory
}

// due reports whether the fold is to be committed now. Another batch would begin an interval later.
func (f *fold) due(now time.Time, trigger time.Duration, p CommitPolicy) bool {
	age := now.Sub(f.since) + trigger
	if !f.rows.Load() && !f.urgent {
		return age >= max(p.MaxIdle, p.Interval)
	}
	return age >= p.Interval || (p.TargetBytes > 0 && f.bytes.Load() >= p.TargetBytes)
}

func (f *fold) batch() committer.Batch {
	return committer.Batch{First: f.first, Last: f.last, Sources: f.sources, Watermarks: map[string]int64{}, Time: f.time}
}

func (f *fold) abort() {
	if f != nil && f.out != nil {
		f.out.Abort()
	}
}
