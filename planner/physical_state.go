package planner

import (
	"fmt"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

type (
	// WatermarkExec observes the event time of an input: its watermark stays Delay
	// microseconds behind the largest value of Column, a TIMESTAMP, that any row has here.
	WatermarkExec struct {
		In     PhysicalNode
		Source string
		Column int
		Delay  int64
	}

	// DedupExec passes the first row of each combination of Keys. EventTime is the position
	// of the event-time column, -1 if there is none. A key is forgotten when the
	// watermark reaches its event time, which has to be among Keys, or, if Within,
	// Delay microseconds after the event time of its first row.
	DedupExec struct {
		In        PhysicalNode
		Keys      []int
		Within    bool
		Delay     int64
		EventTime int
	}

	// WindowExec puts each row into the windows of Size microseconds that begin every Slide
	// from Start on and hold its Time: Out is the columns of the input and the start
	// of the window, a TIMESTAMP. A row without a time has no window.
	WindowExec struct {
		In                 PhysicalNode
		Time               compute.Expr
		Size, Slide, Start int64
		Out                *columnar.Schema
	}

	// AggregateExec computes Calls for each combination of Keys. Out is the columns of the
	// keys, then those of the calls; a session aggregate has the start and the end of
	// the session before them.
	AggregateExec struct {
		In      PhysicalNode
		Keys    []compute.Expr
		Calls   []*aggregate.Call
		Event   Event
		Session *Session
		Mode    OutputMode
		Out     *columnar.Schema
	}

	// SortExec orders the rows of a complete result.
	SortExec struct {
		In   PhysicalNode
		Keys []SortKey
	}

	// LimitExec keeps the first rows of a complete result.
	LimitExec struct {
		In      PhysicalNode
		N, Skip int64 // N < 0: all
	}
)

// Event says which key of an aggregate is the event time, which bounds its state: a group is
// complete when the watermark reaches the value of the key plus Size, the length
// of the window that begins there or 0. Key is -1 where state is kept for ever.
type Event struct {
	Key  int
	Size int64
}

// Session says that an aggregate is over sessions: a row spans Gap microseconds, a BIGINT, from its
// Time on, and rows of a key whose spans meet are one group. Watermarked: Time is an event time.
type Session struct {
	Time, Gap   compute.Expr
	Watermarked bool
}

// SortKey is an expression over the rows and says which of them come first.
type SortKey struct {
	Expr       compute.Expr
	Descending bool
	NullsLast  bool
}

func (w *WatermarkExec) Schema() *columnar.Schema { return w.In.Schema() }
func (d *DedupExec) Schema() *columnar.Schema     { return d.In.Schema() }
func (w *WindowExec) Schema() *columnar.Schema    { return w.Out }
func (a *AggregateExec) Schema() *columnar.Schema { return a.Out }
func (s *SortExec) Schema() *columnar.Schema      { return s.In.Schema() }
func (l *LimitExec) Schema() *columnar.Schema     { return l.In.Schema() }

func (w *WatermarkExec) Inputs() []PhysicalNode { return []PhysicalNode{w.In} }
func (d *DedupExec) Inputs() []PhysicalNode     { return []PhysicalNode{d.In} }
func (w *WindowExec) Inputs() []PhysicalNode    { return []PhysicalNode{w.In} }
func (a *AggregateExec) Inputs() []PhysicalNode { return []PhysicalNode{a.In} }
func (s *SortExec) Inputs() []PhysicalNode      { return []PhysicalNode{s.In} }
func (l *LimitExec) Inputs() []PhysicalNode     { return []PhysicalNode{l.In} }

func (w *WatermarkExec) line() string {
	return fmt.Sprintf("WatermarkExec %s delay=%s", columnar.QuoteName(w.Schema().Fields[w.Column].Name), micros(w.Delay))
}

func (d *DedupExec) line() string {
	names := make([]string, len(d.Keys))
	for i, k := range d.Keys {
		names[i] = columnar.QuoteName(d.Schema().Fields[k].Name)
	}
	bound := "for ever"
	if d.EventTime >= 0 {
		bound = "until the watermark"
	}
	if d.Within {
		bound = "for " + micros(d.Delay)
	}
	return "DedupExec keys=(" + strings.Join(names, ", ") + ") state=" + bound
}

func (w *WindowExec) line() string {
	return fmt.Sprintf("WindowExec %s size=%s slide=%s start=%s", w.Time, micros(w.Size), micros(w.Slide), micros(w.Start))
}

func (a *AggregateExec) line() string {
	keys := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		keys[i] = k.String()
	}
	calls := make([]string, len(a.Calls))
	for i, c := range a.Calls {
		calls[i] = c.String()
	}
	text := fmt.Sprintf("AggregateExec keys=(%s) calls=(%s) mode=%s", strings.Join(keys, ", "), strings.Join(calls, ", "), a.Mode)
	if a.Session != nil {
		text += fmt.Sprintf(" session=(%s, gap %s)", a.Session.Time, a.Session.Gap)
	}
	return text + " state=" + a.bound()
}

// bound says how long a group is kept.
func (a *AggregateExec) bound() string {
	switch {
	case a.Mode == Complete:
		return "all groups"
	case a.Session != nil && a.Session.Watermarked:
		return "open sessions"
	case a.Event.Key < 0 || a.Session != nil:
		return "all groups"
	case a.Event.Size == 0:
		return "until the watermark"
	}
	return "open windows"
}

func (s *SortExec) line() string {
	keys := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		keys[i] = k.Expr.String()
		if k.Descending {
			keys[i] += " DESC"
		}
		if k.NullsLast {
			keys[i] += " NULLS LAST"
		}
	}
	return "SortExec " + strings.Join(keys, ", ")
}

func (l *LimitExec) line() string { return fmt.Sprintf("LimitExec %d skip=%d", l.N, l.Skip) }

// micros prints microseconds: "10s", "1.5s", "1m0s".
func micros(n int64) string { return (time.Duration(n) * time.Microsecond).String() }
