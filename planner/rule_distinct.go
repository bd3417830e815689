package planner

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// dropDistinctOfGroups drops groups without aggregates over rows that are groups already: no two of those are equal in their keys, so
// none are equal in more columns than those. As in Spark, which keeps no state for them either.
func dropDistinctOfGroups(n LogicalNode) (LogicalNode, bool) {
	a, ok := n.(*Aggregate)
	if !ok || len(a.Calls) > 0 || a.Session != nil {
		return n, false
	}
	in := a.In
	for {
		f, ok := in.(*Filter)
		if !ok {
			break
		}
		in = f.In
	}
	lower, ok := in.(*Aggregate)
	if !ok || lower.Event.Size != a.Event.Size || !a.readsKeysOf(lower) {
		return n, false
	}
	return &Project{In: a.In, Exprs: a.Keys, Out: a.Out}, true
}

// readsKeysOf reports whether every column that tells the groups below apart is a key as it is.
func (a *Aggregate) readsKeysOf(lower *Aggregate) bool {
	read := map[int]bool{}
	for _, k := range a.Keys {
		if at, plain := compute.Position(k); plain {
			read[at] = true
		}
	}
	for i := range lower.firstKey() + len(lower.Keys) {
		if !read[i] {
			return false
		}
	}
	return true
}

// duplicatesAgnostic are the aggregates to which equal rows are one, in Spark's eyes.
var duplicatesAgnostic = map[string]bool{"max": true, "min": true, "bool_and": true, "every": true, "bool_or": true, "some": true, "bit_and": true, "bit_or": true,
	"collect_set": true, "first": true, "first_value": true, "last": true, "last_value": true, "any_value": true}

// dropGroupsBelow drops groups without aggregates below others to which equal rows are one anyway. As in Spark they may lie below
// windows of a column, unless a row is in several of them.
func dropGroupsBelow(n LogicalNode) (LogicalNode, bool) {
	a, ok := n.(*Aggregate)
	if !ok || slices.ContainsFunc(a.Calls, func(c *aggregate.Call) bool { return !duplicatesAgnostic[c.Name()] }) {
		return n, false
	}
	w, windows := a.In.(*Window)
	in := a.In
	if windows {
		in = w.In
	}
	lower, ok := in.(*Aggregate)
	if !ok || len(lower.Calls) > 0 || lower.Session != nil || windows && !w.once() {
		return n, false
	}
	in = &Project{In: lower.In, Exprs: lower.Keys, Out: lower.Out}
	if windows {
		in = withInputs(w, []LogicalNode{in})
	}
	return withInputs(a, []LogicalNode{in}), true
}

// once reports whether the windows are of a column and none overlap.
func (w *Window) once() bool {
	_, column := compute.Position(w.Time)
	return column && w.Size == w.Slide
}
