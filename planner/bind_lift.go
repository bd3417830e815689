package planner

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// lift makes an expression over the input one over the groups; nil after a fault. As in Spark, a column that is not grouped is unknown
// outside of the SELECT list.
func (b *binder) lift(g *groups, e compute.Expr, at span, list bool) compute.Expr {
	missing := ""
	from := g.from()
	out := compute.Replace(e, func(x compute.Expr) compute.Expr {
		if k := g.find(x); k != nil {
			return k
		}
		position, ok := compute.Position(x)
		switch {
		case !ok:
			return nil
		case position == sessionStart:
			return keyColumn(x, 0)
		case position == sessionEnd:
			return keyColumn(x, 1)
		case position < 0:
			return keyColumn(x, from+g.keys-1-position)
		}
		if missing == "" {
			missing = x.String()
		}
		return nil
	})
	if missing != "" {
		b.notGrouped(g, missing, at, list)
		return nil
	}
	return out
}

// from is the position of the first key in the result of the Aggregate.
func (g *groups) from() int {
	if g.session != nil {
		return 2
	}
	return 0
}

// find is the column of the key that an expression is, or nil.
func (g *groups) find(x compute.Expr) compute.Expr {
	for i := range g.list {
		k := &g.list[i]
		if compute.Same(x, k.expr) {
			return k.above(g.from())
		}
		for j, key := range k.keys {
			if compute.Same(x, key) {
				return keyColumn(key, g.from()+k.first+j)
			}
		}
	}
	return nil
}

func (b *binder) notGrouped(g *groups, column string, at span, list bool) {
	hint := fmt.Sprintf("add it to GROUP BY, aggregate it, or take any_value(%s) if any of its values will do", column)
	if !list {
		b.fail(at.start, "UNRESOLVED_COLUMN.WITH_SUGGESTION", fmt.Sprintf("%s is neither in GROUP BY nor within an aggregate", column), hint)
		return
	}
	if !g.all {
		b.fail(at.start, "MISSING_GROUP_BY", fmt.Sprintf("%s stands beside an aggregate, and the query has no GROUP BY", column), hint)
		return
	}
	b.fail(at.start, "MISSING_AGGREGATION", fmt.Sprintf("%s is neither in GROUP BY nor within an aggregate", column), hint)
}

// aggregate builds the operator that makes the groups.
func (b *binder) aggregate(g *groups, in LogicalNode, at int) *Aggregate {
	out := &Aggregate{In: in, Calls: g.calls, Event: Event{Key: -1}, Session: g.session, Mode: b.mode, Out: &columnar.Schema{}, at: at}
	if g.session != nil {
		out.In = withTime(g.session.Time, in)
		out.Out.Fields = append(out.Out.Fields, columnar.Field{Name: "session_start", Type: columnar.Timestamp}, columnar.Field{Name: "session_end", Type: columnar.Timestamp})
	}
	for i := range g.list {
		k := &g.list[i]
		if k.mark.event {
			b.eventKey(out, k)
		}
		for _, key := range k.keys {
			out.Keys = append(out.Keys, key)
			out.Out.Fields = append(out.Out.Fields, columnar.Field{Name: keyName(key), Type: key.Type(), Nullable: key.Nullable()})
		}
	}
	for _, c := range g.calls {
		out.Out.Fields = append(out.Out.Fields, columnar.Field{Name: c.String(), Type: c.Type(), Nullable: c.Nullable()})
	}
	return out
}

// eventKey makes a key the event time of the groups: a time, the start of a window of a size, or the end of a session.
func (b *binder) eventKey(a *Aggregate, k *group) {
	if (a.Event.Key >= 0 || a.Session != nil && a.Session.Watermarked) && a.Mode != Complete {
		b.fail(a.at, "_LEGACY_ERROR_TEMP_3077", "the groups have two event times, so that it is not clear when one is complete", "group by one of them")
		return
	}
	a.Event = Event{Key: k.first + len(k.keys) - 1}
	if len(k.keys) == 1 {
		a.Event.Size = k.mark.size
	}
}
