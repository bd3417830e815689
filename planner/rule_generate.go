package planner

import "github.com/lakewheel/lakewheel/columnar/compute"

// pushFilterBelowGenerate moves the conditions of a filter that read no new column of a
// generator below it, so that rows are dropped before they multiply.
func pushFilterBelowGenerate(n LogicalNode) (LogicalNode, bool) {
	f, ok := n.(*Filter)
	if !ok {
		return n, false
	}
	g, ok := f.In.(*Generate)
	if !ok {
		return n, false
	}
	below, above := split(f.Pred, func(c compute.Expr) bool { return readsOnly(c, len(g.Keep)) })
	if below == nil {
		return n, false
	}
	below = compute.Remap(below, func(i int) int { return g.Keep[i] })
	return filterIf(above, withInputs(g, []LogicalNode{&Filter{In: g.In, Pred: below}})), true
}

// readsOnly reports whether an expression reads only the first n columns, and at least one.
func readsOnly(e compute.Expr, n int) bool {
	read := compute.Columns(e)
	return len(read) > 0 && read[len(read)-1] < n
}
