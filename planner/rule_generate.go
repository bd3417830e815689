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
	var below, above compute.Expr
	for _, c := range compute.Conjuncts(f.Pred) {
		if readsOnly(c, len(g.Keep)) {
			below = both(below, compute.Remap(c, func(i int) int { return g.Keep[i] }))
		} else {
			above = both(above, c)
		}
	}
	if below == nil {
		return n, false
	}
	var out LogicalNode = &Generate{In: &Filter{In: g.In, Pred: below}, Generator: g.Generator, Keep: g.Keep, Out: g.Out}
	if above != nil {
		out = &Filter{In: out, Pred: above}
	}
	return out, true
}

// readsOnly reports whether an expression reads only the first n columns, and at least one.
func readsOnly(e compute.Expr, n int) bool {
	read := compute.Columns(e)
	return len(read) > 0 && read[len(read)-1] < n
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
