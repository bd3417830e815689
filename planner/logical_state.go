package planner

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

type (
	// Watermark observes the event time of an input; see [WatermarkExec].
	Watermark struct {
		In     LogicalNode
		Source string
		Column int
		Delay  int64
	}

	// Dedup passes the first row of each combination of Keys; see [DedupExec].
	Dedup struct {
		In        LogicalNode
		Keys      []int
		Within    bool
		Delay     int64
		EventTime int
	}

	// Window puts each row into its windows; see [WindowExec].
	Window struct {
		In                 LogicalNode
		Time               compute.Expr
		Size, Slide, Start int64
		Out                *columnar.Schema
	}

	// Aggregate computes Calls for each combination of Keys; see [AggregateExec].
	Aggregate struct {
		In      LogicalNode
		Keys    []compute.Expr
		Calls   []*aggregate.Call
		Event   Event
		Session *Session
		Mode    OutputMode
		Out     *columnar.Schema

		at int // where the text asks for it
	}

	// Sort orders the rows of a complete result.
	Sort struct {
		In   LogicalNode
		Keys []SortKey

		at int
	}

	// Limit leaves out the first Skip rows and keeps N after them, all if N < 0.
	Limit struct {
		In      LogicalNode
		N, Skip int64

		at int
	}
)

func (w *Watermark) Schema() *columnar.Schema { return w.In.Schema() }
func (d *Dedup) Schema() *columnar.Schema     { return d.In.Schema() }
func (w *Window) Schema() *columnar.Schema    { return w.Out }
func (a *Aggregate) Schema() *columnar.Schema { return a.Out }
func (s *Sort) Schema() *columnar.Schema      { return s.In.Schema() }
func (l *Limit) Schema() *columnar.Schema     { return l.In.Schema() }

func (w *Watermark) Inputs() []LogicalNode { return []LogicalNode{w.In} }
func (d *Dedup) Inputs() []LogicalNode     { return []LogicalNode{d.In} }
func (w *Window) Inputs() []LogicalNode    { return []LogicalNode{w.In} }
func (a *Aggregate) Inputs() []LogicalNode { return []LogicalNode{a.In} }
func (s *Sort) Inputs() []LogicalNode      { return []LogicalNode{s.In} }
func (l *Limit) Inputs() []LogicalNode     { return []LogicalNode{l.In} }

func (w *Watermark) line() string {
	return "Watermark " + watermarkText(w.Schema(), w.Column, w.Delay)
}

func (d *Dedup) line() string {
	return "Dedup " + dedupText(d.Schema(), d.Keys, d.Within, d.Delay, d.EventTime)
}

func (w *Window) line() string {
	return "Window " + windowText(w.Time, w.Size, w.Slide, w.Start)
}

func (a *Aggregate) line() string {
	return "Aggregate " + aggregateText(a.Keys, a.Calls, a.Session)
}

func (s *Sort) line() string  { return "Sort " + sortText(s.Keys) }
func (l *Limit) line() string { return "Limit " + limitText(l.N, l.Skip) }
