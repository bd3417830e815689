package microbatch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
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
	watermarks  map[string]int64
	active      map[string]int64
	watermark   committer.Watermark
	noDataDue   bool       // the last batch left nothing to read, and raised the watermark
	states      []*unsaved // what the commit has to write of each operator's state

	complete bool            // the result takes the place of everything before
	result   *columnar.Batch // nil: none, or no rows
	lane     int64           // of the result

	rows   atomic.Bool  // rows or dead letters were staged, or state has changed
	urgent bool         // must not wait for rows: a first position, a hole
	bytes  atomic.Int64 // staged, as they lie in memory
}

// due reports whether the fold is to be committed now. Another batch would begin an interval later.
func (f *fold) due(now time.Time, trigger time.Duration, p CommitPolicy) bool {
	age := now.Sub(f.since) + trigger
	if !f.rows.Load() && !f.urgent {
		return age >= max(p.MaxIdle, p.Interval)
	}
	return age >= p.Interval || (p.TargetBytes > 0 && f.bytes.Load() >= p.TargetBytes)
}

// waited takes note of how long the fold had to wait for the commit before it.
func (f *fold) waited(d time.Duration) {
	last := &f.progress[len(f.progress)-1]
	if d < time.Millisecond {
		return
	}
	last.DurationMs["waitCommit"] = d.Milliseconds()
	if notable(d.Milliseconds(), d.Milliseconds()+last.BatchDuration) {
		last.LimitedBy = LimitedByCommit
	}
}

func (f *fold) batch() committer.Batch {
	return committer.Batch{First: f.first, Last: f.last, Sources: f.sources, Watermarks: f.watermarks, Active: f.active, Watermark: f.watermark, NoDataDue: f.noDataDue, Time: f.time, Replace: f.complete}
}

func (f *fold) abort() {
	if f == nil {
		return
	}
	if f.out != nil {
		f.out.Abort()
	}
	for _, u := range f.states {
		u.release()
	}
	f.dropResult()
}

// writeResult stages the complete result.
func (f *fold) writeResult(ctx context.Context) error {
	defer f.dropResult()
	if f.result == nil || f.result.Rows() == 0 {
		return nil
	}
	return f.out.Write(ctx, f.lane, f.result)
}

func (f *fold) dropResult() {
	if f.result != nil {
		f.result.Release()
		f.result = nil
	}
}
