package planner

import (
	"fmt"
	"slices"
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
	return "WatermarkExec " + watermarkText(w.Schema(), w.Column, w.Delay)
}

func (d *DedupExec) line() string {
	return "DedupExec " + dedupText(d.Schema(), d.Keys, d.Within, d.Delay, d.EventTime)
}

func (w *WindowExec) line() string {
	return "WindowExec " + windowText(w.Time, w.Size, w.Slide, w.Start)
}

func (a *AggregateExec) line() string {
	return "AggregateExec " + aggregateText(a.Keys, a.Calls, a.Session) + " mode=" + a.Mode.String() + " state=" + a.bound()
}

func (s *SortExec) line() string  { return "SortExec " + sortText(s.Keys) }
func (l *LimitExec) line() string { return "LimitExec " + limitText(l.N, l.Skip) }

// watermarkText is "ts delay=10s".
func watermarkText(s *columnar.Schema, column int, delay int64) string {
	return columnar.QuoteName(s.Fields[column].Name) + " delay=" + micros(delay)
}

// dedupText is "keys=(id, ts) state=until the watermark".
func dedupText(s *columnar.Schema, keys []int, within bool, delay int64, eventTime int) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = columnar.QuoteName(s.Fields[k].Name)
	}
	bound := "for ever"
	switch {
	case within:
		bound = "for " + micros(delay)
	case slices.Contains(keys, eventTime):
		bound = "until the watermark"
	}
	return "keys=(" + strings.Join(names, ", ") + ") state=" + bound
}

// windowText is "ts size=10s slide=5s start=0s".
func windowText(t compute.Expr, size, slide, start int64) string {
	return fmt.Sprintf("%s size=%s slide=%s start=%s", t, micros(size), micros(slide), micros(start))
}

// aggregateText is "keys=(page) calls=(count(1)) session=(ts, gap 10000000)".
func aggregateText(keys []compute.Expr, calls []*aggregate.Call, session *Session) string {
	text := "keys=(" + texts(keys) + ") calls=(" + texts(calls) + ")"
	if session != nil {
		text += fmt.Sprintf(" session=(%s, gap %s)", session.Time, session.Gap)
	}
	return text
}

func texts[E fmt.Stringer](list []E) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return strings.Join(out, ", ")
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

// sortText is "n DESC, page NULLS LAST": NULLS FIRST or LAST stands only where it is not what Spark takes anyway.
func sortText(keys []SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Expr.String()
		if k.Descending {
			out[i] += " DESC"
		}
		if k.NullsLast != k.Descending {
			out[i] += map[bool]string{true: " NULLS LAST", false: " NULLS FIRST"}[k.NullsLast]
		}
	}
	return strings.Join(out, ", ")
}

// limitText is "10 skip=5".
func limitText(n, skip int64) string {
	text := "all"
	if n >= 0 {
		text = fmt.Sprint(n)
	}
	if skip > 0 {
		text += fmt.Sprintf(" skip=%d", skip)
	}
	return text
}

// micros prints microseconds: "10s", "1.5s", "1m0s".
func micros(n int64) string { return (time.Duration(n) * time.Microsecond).String() }
