package planner

import "github.com/lakewheel/lakewheel/columnar/compute"

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
