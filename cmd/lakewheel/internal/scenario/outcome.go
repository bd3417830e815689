package scenario

import "github.com/lakewheel/lakewheel/columnar"

// Outcome is what the latest run did. State and Dropped are by stateful operator, from the sink down.
type Outcome struct {
	Rows           []string // what the sink received, as JSON lines
	State, Dropped []int64
	Watermark      int64 // in force after the run, in milliseconds
}

// Schema is that of the rows of the newest pipeline.
func (e *Env) Schema() *columnar.Schema { return e.p.Planned.Physical.Schema() }

// Outcome tells what the latest run did, for those who compare it with other engines.
func (e *Env) Outcome() Outcome {
	o := Outcome{Rows: e.delivered, Watermark: e.watermark, Dropped: make([]int64, len(e.operators))}
	for _, op := range e.operators {
		o.State = append(o.State, op.NumRowsTotal)
	}
	for _, p := range e.progress {
		for i, op := range p.StateOperators {
			o.Dropped[i] += op.NumRowsDroppedByWatermark
		}
	}
	return o
}
