package planner

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// pullProjectAboveWindow makes rows into windows before they are projected, so that the projection can merge with what is above. What
// is computed stays below windows that overlap: there it is computed once a row.
func pullProjectAboveWindow(n LogicalNode) (LogicalNode, bool) {
	w, ok := n.(*Window)
	if !ok {
		return n, false
	}
	p, ok := w.In.(*Project)
	if !ok || w.Slide < w.Size && !renames(p.Exprs) {
		return n, false
	}
	time := compute.Substitute(w.Time, func(i int) compute.Expr { return p.Exprs[i] })
	if compute.Size(time) > maxNodes {
		return n, false
	}
	start := w.Out.Fields[w.Out.Len()-1]
	lower := *w
	lower.In, lower.Time = p.In, time
	lower.Out = columnar.NewSchema(append(slices.Clone(p.In.Schema().Fields), start)...)
	at := p.In.Schema().Len()
	exprs := append(slices.Clone(p.Exprs), compute.Column(at, start.Name, start.Type, start.Nullable))
	return &Project{In: &lower, Exprs: exprs, Out: w.Out}, true
}

// renames reports whether all expressions are plain columns.
func renames(list []compute.Expr) bool {
	return !slices.ContainsFunc(list, func(e compute.Expr) bool {
		_, plain := compute.Position(e)
		return !plain
	})
}

// mergeProjectIntoAggregate computes what a projection below an Aggregate computes where it is read.
func mergeProjectIntoAggregate(n LogicalNode) (LogicalNode, bool) {
	a, ok := n.(*Aggregate)
	if !ok {
		return n, false
	}
	p, ok := a.In.(*Project)
	if !ok {
		return n, false
	}
	size := 0
	out := a.mapExpressions(func(e compute.Expr) compute.Expr {
		e = compute.Substitute(e, func(i int) compute.Expr { return p.Exprs[i] })
		size += compute.Size(e)
		return e
	})
	if size > maxNodes {
		return n, false
	}
	out.In = p.In
	return out, true
}
