package planner

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// pullProjectAboveWindow makes rows into windows before they are projected, so that the projection can merge with what is above.
func pullProjectAboveWindow(n LogicalNode) (LogicalNode, bool) {
	w, ok := n.(*Window)
	if !ok {
		return n, false
	}
	p, ok := w.In.(*Project)
	if !ok {
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
