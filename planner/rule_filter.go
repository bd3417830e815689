package planner

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

// split parts the conditions that AND joins in a predicate: those that may move below an operator and those that stay.
// Either is nil if there are none.
func split(pred compute.Expr, moves func(compute.Expr) bool) (below, above compute.Expr) {
	for _, c := range compute.Conjuncts(pred) {
		if moves(c) {
			below = both(below, c)
		} else {
			above = both(above, c)
		}
	}
	return below, above
}

// both joins two conditions, of which the first may be missing.
func both(a, b compute.Expr) compute.Expr {
	if a == nil {
		return b
	}
	e, err := compute.Call("and", a, b)
	if err != nil {
		panic(err) // both are BOOLEAN: they were joined by AND before
	}
	return e
}

// filterIf filters by a condition, which may be nil.
func filterIf(pred compute.Expr, in LogicalNode) LogicalNode {
	if pred == nil {
		return in
	}
	return &Filter{In: in, Pred: pred}
}

// pushFilterBelowWatermark moves the conditions of a filter that do not read the event time below the watermark, as Spark does: rows
// that they drop do not move it. What reads the event time stays above.
func pushFilterBelowWatermark(n LogicalNode) (LogicalNode, bool) {
	f, w := filterOver[*Watermark](n)
	if f == nil {
		return n, false
	}
	below, above := split(f.Pred, func(c compute.Expr) bool { return !slices.Contains(compute.Columns(c), w.Column) })
	if below == nil {
		return n, false
	}
	return filterIf(above, withInputs(w, []LogicalNode{&Filter{In: w.In, Pred: below}})), true
}

// pushFilterBelowWindow moves the conditions of a filter that do not read the window below it.
func pushFilterBelowWindow(n LogicalNode) (LogicalNode, bool) {
	f, w := filterOver[*Window](n)
	if f == nil {
		return n, false
	}
	below, above := split(f.Pred, func(c compute.Expr) bool { return readsOnly(c, w.In.Schema().Len()) })
	if below == nil {
		return n, false
	}
	return filterIf(above, withInputs(w, []LogicalNode{&Filter{In: w.In, Pred: below}})), true
}

// pushFilterBelowAggregate moves the conditions of HAVING that read keys only below the groups, as Spark does: groups that would not be
// put out take no state.
func pushFilterBelowAggregate(n LogicalNode) (LogicalNode, bool) {
	f, a := filterOver[*Aggregate](n)
	if f == nil {
		return n, false
	}
	from := a.firstKey()
	below, above := split(f.Pred, func(c compute.Expr) bool {
		read := compute.Columns(c)
		return len(read) > 0 && read[0] >= from && read[len(read)-1] < from+len(a.Keys)
	})
	if below == nil {
		return n, false
	}
	below = compute.Substitute(below, func(i int) compute.Expr { return a.Keys[i-from] })
	return filterIf(above, withInputs(a, []LogicalNode{&Filter{In: a.In, Pred: below}})), true
}

// firstKey is the position of the first key in the result.
func (a *Aggregate) firstKey() int {
	if a.Session != nil {
		return 2
	}
	return 0
}

// filterOver matches a filter directly above an operator of a kind; nil if n is none.
func filterOver[N LogicalNode](n LogicalNode) (*Filter, N) {
	var none N
	f, ok := n.(*Filter)
	if !ok {
		return nil, none
	}
	below, ok := f.In.(N)
	if !ok {
		return nil, none
	}
	return f, below
}
