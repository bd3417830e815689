package backfill

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/planner"
)

// shape is what a plan says about ranges of its rows.
type shape struct {
	out     *columnar.Schema
	origins []planner.Origin
	derived map[string]string      // how columns came about
	times   map[string]string      // the event time of each source that has one
	groups  *planner.AggregateExec // nil: the query has none
	clocked bool                   // columns depend on when they are computed
}

// newShape looks at a plan. It refuses those of which no range can be computed by itself, or only all into another table.
func newShape(plan planner.PhysicalNode, mode planner.OutputMode, r Request, into bool) (*shape, error) {
	if whole := r.Kind == All && into; mode != planner.Append && !whole {
		return nil, fmt.Errorf("%w: with output_mode: %s a row is what all rows before it have made it, so a range has no rows of its own; all rows can be computed into another table (--all --into)", ErrInexact, mode)
	}
	s := &shape{out: plan.Schema(), origins: planner.Origins(plan), derived: planner.Derivations(plan), times: map[string]string{}}
	var stateful []planner.PhysicalNode
	var moving compute.Expr // the filter that wants other rows now
	walk(plan, func(n planner.PhysicalNode) {
		switch n := n.(type) {
		case *planner.FilterExec:
			if compute.ReadsClock(n.Pred) {
				moving = n.Pred
			}
		case *planner.ProjectExec:
			s.clocked = s.clocked || slices.ContainsFunc(n.Exprs, compute.ReadsClock)
		case *planner.WatermarkExec:
			if o := planner.Origins(n.In)[n.Column]; o.Kind == planner.SourceColumn {
				s.times[o.Source] = o.Column
			}
		case *planner.AggregateExec, *planner.DedupExec:
			stateful = append(stateful, n)
		}
	})
	if moving != nil && !into {
		return nil, fmt.Errorf("%w: the query wants other rows now than it did then (%s): give the times as constants, or fill a new table with --into", ErrInexact, moving)
	}
	if r.Kind == Offsets || r.Kind == KafkaTime {
		if len(stateful) > 0 {
			return nil, fmt.Errorf("%w: the query keeps state, and rows of its result come from more records than those of a range of offsets: give a range of event time", ErrInexact)
		}
		return s, nil
	}
	for _, n := range stateful {
		if err := s.keeps(n, r, into); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func walk(n planner.PhysicalNode, f func(planner.PhysicalNode)) {
	f(n)
	for _, in := range n.Inputs() {
		walk(in, f)
	}
}

// keeps looks at an operator that keeps state.
func (s *shape) keeps(n planner.PhysicalNode, r Request, into bool) error {
	whole := r.Kind == All
	switch n := n.(type) {
	case *planner.DedupExec:
		switch timed := slices.Contains(n.Keys, n.EventTime); {
		case n.Within && (!whole || !into):
			return fmt.Errorf("%w: dedup within the watermark forgets keys as time goes by, so what passes depends on when rows were read; all rows can be computed into another table (--all --into)", ErrInexact)
		case !timed && !whole:
			return fmt.Errorf("%w: the first row of a key of dedup may lie outside of the range; put the event time among the keys, or fill all rows (--all)", ErrInexact)
		}
		return nil
	case *planner.AggregateExec:
		switch {
		case whole && into:
		case n.Session != nil && (!whole || !into):
			return fmt.Errorf("%w: a session may reach beyond any range, and late rows may have cut it; all rows can be computed into another table (--all --into)", ErrInexact)
		case n.Session == nil && n.Event.Key < 0:
			return fmt.Errorf("%w: the groups of the query are never complete", ErrInexact)
		case s.groups != nil && !whole:
			return fmt.Errorf("%w: the query groups groups, whose windows reach beyond each other; fill all rows (--all)", ErrInexact)
		}
		s.groups = n
	}
	return nil
}

// column is the one of the result that tells the event time of a row, or its window.
type column struct {
	name   string // as SQL
	size   int64  // of the window, microseconds; 0: it is a time
	slide  int64
	start  int64
	isEnd  bool // the column is where the window ends
	within bool // rows whose event time is outside of the range can be left out at the source
}

// timeColumn finds the column that a range of event time goes by.
func (s *shape) timeColumn(name string) (column, error) {
	if name != "" {
		at := s.out.Index(name)
		if at < 0 {
			return column{}, fmt.Errorf("%w: the result has no column %s; it has %s", ErrInexact, name, names(s.out))
		}
		if s.clocked && s.origins[at].Kind == planner.Computed {
			return column{}, fmt.Errorf("%w: column %s may have other values now than then, as the query reads the clock: name a column that the records alone decide", ErrInexact, name)
		}
		c, ok := s.tells(at)
		if !ok {
			return column{}, fmt.Errorf("%w: column %s is %s", ErrInexact, name, s.wanted())
		}
		return c, nil
	}
	for _, kind := range []planner.OriginKind{planner.WindowStart, planner.WindowEnd, planner.WindowBounds, planner.SourceColumn} {
		for at, o := range s.origins {
			if o.Kind != kind || kind == planner.SourceColumn && !s.isEventTime(o) {
				continue
			}
			if c, ok := s.tells(at); ok {
				return c, nil
			}
		}
	}
	return column{}, fmt.Errorf("%w: no column of the result is %s; name one with --time-column, add one to the query, or fill a new table with --into", ErrInexact, s.columnOf())
}

func (s *shape) columnOf() string {
	if s.groups != nil {
		return "the start or the end of the window"
	}
	return "the event time that the watermark goes by"
}

func (s *shape) wanted() string {
	if s.groups != nil {
		return "neither the start nor the end of the query's window"
	}
	return "no TIMESTAMP"
}

func names(s *columnar.Schema) string {
	out := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		out[i] = f.Name
	}
	return strings.Join(out, ", ")
}

func (s *shape) isEventTime(o planner.Origin) bool {
	return o.Kind == planner.SourceColumn && !o.Hidden && s.times[o.Source] == o.Column && o.Column != ""
}

// tells reports whether a column of the result tells which rows are of a range, and how.
func (s *shape) tells(at int) (column, bool) {
	f, o := s.out.Fields[at], s.origins[at]
	c := column{name: quoted(f.Name)}
	if w := o.Window; w != nil {
		c.size, c.slide, c.start = w.Size, w.Slide, w.Start
		in := planner.Origins(w.In)
		at, plain := compute.Position(w.Time)
		c.within = plain && s.isEventTime(in[at])
	}
	switch {
	case s.groups == nil && f.Type == columnar.Timestamp && o.Window == nil:
		c.within = s.isEventTime(o)
		return c, true
	case s.groups == nil, s.groups.Session != nil:
		return c, false
	case o.Kind == planner.WindowEnd:
		c.isEnd = true
	case o.Kind == planner.WindowBounds:
		c.name += ".start"
	case o.Kind == planner.SourceColumn && s.groups.Event.Size == 0 && s.isEventTime(o): // groups of one time each
		c.within = true
		return c, true
	case o.Kind != planner.WindowStart:
		return c, false
	}
	return c, o.Window.Size == s.groups.Event.Size
}

// quoted is a name in SQL.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// coordinates are the columns of the result that tell which record a row comes from; topic is "" where the pipeline reads one topic.
type coordinates struct{ topic, partition, offset string }

// coordinateColumns finds them.
func (s *shape) coordinateColumns(topics int) (c coordinates, err error) {
	for _, want := range []struct {
		column string
		into   *string
		need   bool
	}{{source.TopicColumn, &c.topic, topics > 1}, {source.PartitionColumn, &c.partition, true}, {source.OffsetColumn, &c.offset, true}} {
		at := slices.IndexFunc(s.origins, func(o planner.Origin) bool { return o.Hidden && o.Column == want.column })
		switch {
		case !want.need:
		case at >= 0:
			*want.into = quoted(s.out.Fields[at].Name)
		default:
			return c, fmt.Errorf("%w: the result has no column %s, so rows of the range cannot be told from others: select it, give a range of event time, or fill a new table with --into", ErrInexact, want.column)
		}
	}
	return c, nil
}
