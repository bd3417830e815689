package microbatch

import (
	"time"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/offsets"
)

// Progress is what one batch did, under the names of Spark's StreamingQueryProgress, with
// fields of our own where Spark has none. It is reported after the commit that holds the batch.
type Progress struct {
	ID        string `json:"id"`
	RunID     string `json:"runId"`
	Name      string `json:"name"`
	Timestamp string `json:"timestamp"` // start of the trigger, RFC 3339 in UTC
	BatchID   int64  `json:"batchId"`
	// BatchDuration and all durations are in milliseconds; stages that run in parallel are summed over tasks.
	BatchDuration          int64            `json:"batchDuration"`
	NumInputRows           int64            `json:"numInputRows"`
	NumInputBytes          int64            `json:"numInputBytes"` // of the rows as they were read, unpacked, in memory
	InputRowsPerSecond     float64          `json:"inputRowsPerSecond"`
	ProcessedRowsPerSecond float64          `json:"processedRowsPerSecond"`
	DurationMs             map[string]int64 `json:"durationMs"`
	// EventTime holds "watermark", which the batch ran with, as RFC 3339 with milliseconds; nil without event time.
	EventTime      map[string]string `json:"eventTime,omitempty"`
	StateOperators []StateOperator   `json:"stateOperators,omitempty"` // from the sink down
	Sources        []SourceProgress  `json:"sources"`
	Sink           SinkProgress      `json:"sink"`

	Trigger        string           `json:"trigger"` // "data" or "no-data"
	Epoch          int64            `json:"epoch"`
	FilteredRows   int64            `json:"filteredRows"`
	NullRows       int64            `json:"nullRows"`
	BadRows        int64            `json:"badRows"`
	DeadLetterRows int64            `json:"deadLetterRows"`
	LimitedBy      string           `json:"limitedBy,omitempty"` // what kept the batch from being larger or faster: LimitedByRows and so on
	StageMs        map[string]int64 `json:"stageMs"`
	Holes          []string         `json:"holes,omitempty"` // ranges lost for ever and stepped over

	// LateRows are rows of the sources that lost a window, or all of themselves, at the first stateful operator; LateGroups are
	// what the operators dropped: late keys by source partition, and late rows where an operator takes rows one by one.
	LateRows   int64 `json:"lateRows,omitempty"`
	LateGroups int64 `json:"lateGroups,omitempty"`
	// Watermark is the one in force after the batch, in milliseconds since 1970; it means something only if HasWatermark.
	Watermark    int64 `json:"watermarkMs,omitempty"`
	HasWatermark bool  `json:"-"`
}

// StateOperator is what one stateful operator keeps and did in a batch, under Spark's names.
type StateOperator struct {
	// OperatorName is window_aggregate, aggregate, session_aggregate, dedup or dedup_within.
	OperatorName              string `json:"operatorName"`
	NumRowsTotal              int64  `json:"numRowsTotal"` // kept after the batch
	NumRowsUpdated            int64  `json:"numRowsUpdated"`
	NumRowsRemoved            int64  `json:"numRowsRemoved"`
	NumRowsDroppedByWatermark int64  `json:"numRowsDroppedByWatermark"`
	MemoryUsedBytes           int64  `json:"memoryUsedBytes"`
}

// SourceProgress is the part of one source.
type SourceProgress struct {
	Description            string            `json:"description"`
	StartOffset            offsets.Positions `json:"startOffset"`
	EndOffset              offsets.Positions `json:"endOffset"`
	LatestOffset           offsets.Positions `json:"latestOffset"`
	TargetOffset           offsets.Positions `json:"targetOffset,omitempty"` // where an available-now run ends
	NumInputRows           int64             `json:"numInputRows"`
	InputRowsPerSecond     float64           `json:"inputRowsPerSecond"`
	ProcessedRowsPerSecond float64           `json:"processedRowsPerSecond"`
}

// SinkProgress is the part of the sink. Version and files are those of the commit that holds the batch.
type SinkProgress struct {
	Description   string `json:"description"`
	NumOutputRows int64  `json:"numOutputRows"`
	Version       int64  `json:"version"`
	Files         int    `json:"files"`
	Bytes         int64  `json:"bytes"`
	// MergedFiles, small ones, became MergedInto files with the commit; the rows are what they were.
	MergedFiles int `json:"mergedFiles,omitempty"`
	MergedInto  int `json:"mergedInto,omitempty"`
	// What it took to replace rows by key, in the commit that holds the batch: files whose keys were read, files that were written again
	// without some rows, the bytes of what they became, the rows that were copied for it, and those that were taken out.
	ScannedFiles   int   `json:"scannedFiles,omitempty"`
	RewrittenFiles int   `json:"rewrittenFiles,omitempty"`
	RewrittenBytes int64 `json:"rewrittenBytes,omitempty"`
	RewrittenRows  int64 `json:"rewrittenRows,omitempty"`
	RemovedRows    int64 `json:"removedRows,omitempty"`
	// Requests that the store of the table was sent since the commit before, by kind: put, get, head, list and so on. The last batch of a
	// commit has them.
	Requests map[string]int64 `json:"requests,omitempty"`
}

// replaced takes over what a commit says about the rows that it has replaced.
func (p *Progress) replaced(c committer.Cost) {
	s := &p.Sink
	s.ScannedFiles, s.RewrittenFiles, s.RewrittenBytes, s.RewrittenRows, s.RemovedRows = c.Scanned, c.Rewritten, c.Bytes, c.Rows, c.Gone
	p.DurationMs["merge"] = c.Took.Milliseconds()
}

// Lag is the number of records that were there and not read when the batch was planned.
func (p Progress) Lag() int64 {
	var lag int64
	for _, s := range p.Sources {
		lag += s.EndOffset.Behind(s.LatestOffset)
	}
	return lag
}

// stages adds up what tasks spent, in nanoseconds.
type stages struct {
	fetch, decode, compute, write int64
	memory                        int64 // of fetch: waiting for room
}

func (s *stages) add(o stages) {
	s.fetch, s.decode, s.compute, s.write, s.memory = s.fetch+o.fetch, s.decode+o.decode, s.compute+o.compute, s.write+o.write, s.memory+o.memory
}

func (s stages) millis() map[string]int64 {
	ms := func(ns int64) int64 { return ns / int64(time.Millisecond) }
	return map[string]int64{"fetch": ms(s.fetch), "decode": ms(s.decode), "compute": ms(s.compute), "write": ms(s.write), "memory": ms(s.memory)}
}

// notable reports whether a wait is a tenth of the whole, and so what is to blame.
func notable(wait, whole int64) bool { return wait > 0 && wait*10 >= whole }

func (d *driver) progress(b *batch, t *totals) Progress {
	c, now := t.counts, d.q.Clock.Now()
	took := now.Sub(b.start)
	queryID, epoch := d.q.Sink.Identity()
	p := Progress{
		ID: queryID, RunID: d.q.RunID, Name: d.q.Name, Timestamp: b.start.UTC().Format(millisFormat),
		BatchID: b.id, BatchDuration: took.Milliseconds(), NumInputRows: c.In, NumInputBytes: t.bytes,
		InputRowsPerSecond: perSecond(c.In, d.sinceLast(b)), ProcessedRowsPerSecond: perSecond(c.In, took),
		DurationMs: map[string]int64{"latestOffset": b.planned.Sub(b.start).Milliseconds(), "addBatch": now.Sub(b.planned).Milliseconds(), "triggerExecution": took.Milliseconds()},
		Trigger:    "data", Epoch: epoch, FilteredRows: c.Filtered, NullRows: c.Null, BadRows: c.Bad, StageMs: t.stages.millis(),
		Sink: SinkProgress{Description: d.q.Sink.Describe(), NumOutputRows: c.Out}, LateRows: c.Late,
		LimitedBy: b.limitedBy,
	}
	if !b.data {
		p.Trigger = "no-data"
	}
	if s := t.stages; notable(s.memory, s.fetch+s.decode+s.compute+s.write) {
		p.LimitedBy = LimitedByMemory
	}
	for i, in := range d.q.Inputs {
		p.Sources = append(p.Sources, d.sourceProgress(b, in, b.parts[i], t.inputs[i].counts.In, took))
		if in.OnBad == DeadLetter {
			p.DeadLetterRows += t.inputs[i].counts.Bad
		}
		for _, h := range b.parts[i].holes {
			p.Holes = append(p.Holes, h.String())
		}
	}
	d.eventProgress(&p, b, t)
	return p
}

const millisFormat = "2006-01-02T15:04:05.000Z"

func (d *driver) sourceProgress(b *batch, in Input, part part, rows int64, took time.Duration) SourceProgress {
	return SourceProgress{Description: in.Description, StartOffset: part.from, EndOffset: part.until, LatestOffset: part.latest, TargetOffset: part.target,
		NumInputRows: rows, InputRowsPerSecond: perSecond(rows, d.sinceLast(b)), ProcessedRowsPerSecond: perSecond(rows, took)}
}

// eventProgress adds what concerns event time and state. It is called after the watermarks have moved.
func (d *driver) eventProgress(p *Progress, b *batch, t *totals) {
	for k, keeper := range d.keepers {
		s := t.stats[k]
		p.LateGroups += s.LateGroups
		p.StateOperators = append(p.StateOperators, StateOperator{OperatorName: keeper.op.Kind, NumRowsTotal: keeper.state.Rows(),
			NumRowsUpdated: s.Updated, NumRowsRemoved: s.Removed, NumRowsDroppedByWatermark: s.LateGroups, MemoryUsedBytes: keeper.state.Bytes()})
	}
	if len(d.q.Program.Watermarks) == 0 {
		return
	}
	p.HasWatermark, p.Watermark = true, d.marks.global.Next
	p.EventTime = map[string]string{"watermark": time.UnixMilli(b.moment.Evict).UTC().Format(millisFormat)}
	if holder := d.marks.holder(b.start.UnixMilli()); holder != "" {
		p.EventTime["holder"] = holder
	}
}

// sinceLast is the time from the start of the batch before, 0 for the first of a run.
func (d *driver) sinceLast(b *batch) time.Duration {
	if d.lastStart.IsZero() {
		return 0
	}
	return b.start.Sub(d.lastStart)
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
