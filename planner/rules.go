package planner

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

// rule rewrites a logical plan and says whether it changed it. The plan it is given
// stays as it was.
type rule struct {
	name  string
	apply func(LogicalNode) (LogicalNode, bool)
}

var rules = []rule{
	{"ReadMembers", everywhere(readMembers)},
	{"FoldConstants", everywhere(foldConstants)},
	{"SimplifyFilter", everywhere(simplifyFilter)},
	{"PushThroughUnion", everywhere(pushThroughUnion)},
	{"PushFilter", everywhere(pushFilter)},
	{"PushFilterBelowGenerate", everywhere(pushFilterBelowGenerate)},
	{"PushFilterBelowWatermark", everywhere(pushFilterBelowWatermark)},
	{"PushFilterBelowWindow", everywhere(pushFilterBelowWindow)},
	{"PushFilterBelowAggregate", everywhere(pushFilterBelowAggregate)},
	{"MergeProjects", everywhere(mergeProjects)},
	{"PullProjectAboveWindow", everywhere(pullProjectAboveWindow)},
	{"MergeProjectIntoAggregate", everywhere(mergeProjectIntoAggregate)},
	{"DropGroupsBelow", everywhere(dropGroupsBelow)},
	{"DropDistinctOfGroups", everywhere(dropDistinctOfGroups)},
	{"PruneColumns", pruneColumns},
}

// maxPasses caps the passes over the rules. A pass moves each operator past at most one
// other; a test asserts that no plan of the tests reaches the cap.
const maxPasses = 64

// optimize applies the rules until none changes the plan.
func optimize(n LogicalNode) (LogicalNode, []string) {
	var fired []string
	for range maxPasses {
		again := false
		for _, r := range rules {
			if next, changed := r.apply(n); changed {
				n, again = next, true
				fired = append(fired, r.name)
			}
		}
		if !again {
			break
		}
	}
	return n, fired
}

// everywhere applies a rewrite of one operator to all of a plan, inputs first.
func everywhere(one func(LogicalNode) (LogicalNode, bool)) func(LogicalNode) (LogicalNode, bool) {
	var apply func(LogicalNode) (LogicalNode, bool)
	apply = func(n LogicalNode) (LogicalNode, bool) {
		changed := false
		in := n.Inputs()
		next := make([]LogicalNode, len(in))
		for i, x := range in {
			var different bool
			next[i], different = apply(x)
			changed = changed || different
		}
		if changed {
			n = withInputs(n, next)
		}
		out, different := one(n)
		return out, changed || different
	}
	return apply
}

// foldConstants replaces what reads no column by its value.
func foldConstants(n LogicalNode) (LogicalNode, bool) { return rewritten(n, compute.Fold) }

// readMembers replaces a field of a STRUCT that is made on the spot, such as window.start, by what it is made of.
func readMembers(n LogicalNode) (LogicalNode, bool) { return rewritten(n, compute.Direct) }

// rewritten rewrites the expressions of an operator and says whether any of them prints differently.
func rewritten(n LogicalNode, f func(compute.Expr) compute.Expr) (LogicalNode, bool) {
	changed := false
	out := mapExpressions(n, func(e compute.Expr) compute.Expr {
		next := f(e)
		changed = changed || next.String() != e.String()
		return next
	})
	if !changed {
		return n, false
	}
	return out, true
}

// foldedParts lists what foldConstants finds in a plan, each once.
func foldedParts(n LogicalNode) (list []string) {
	for _, in := range n.Inputs() {
		list = append(list, foldedParts(in)...)
	}
	for _, e := range expressions(n) {
		compute.FoldEach(e, func(part, value compute.Expr) {
			if text := part.String() + " = " + value.String(); !slices.Contains(list, text) {
				list = append(list, text)
			}
		})
	}
	return list
}

// simplifyFilter drops a filter that keeps every row.
func simplifyFilter(n LogicalNode) (LogicalNode, bool) {
	f, ok := n.(*Filter)
	if !ok || !compute.Literal(f.Pred) || f.Pred.String() != compute.Bool(true).String() {
		return n, false
	}
	return f.In, true
}

// pushThroughUnion moves an operator without state into the inputs of a union below it, and joins unions.
func pushThroughUnion(n LogicalNode) (LogicalNode, bool) {
	switch n := n.(type) {
	case *Union:
		return joinUnions(n)
	case *Filter, *Project, *Generate, *Window:
	default:
		return n, false
	}
	u, ok := n.Inputs()[0].(*Union)
	if !ok {
		return n, false
	}
	out := &Union{Out: n.Schema()}
	for _, x := range u.In {
		out.In = append(out.In, withInputs(n, []LogicalNode{x}))
	}
	return out, true
}

func joinUnions(u *Union) (LogicalNode, bool) {
	out, changed := &Union{Out: u.Out}, false
	for _, in := range u.In {
		if inner, ok := in.(*Union); ok {
			out.In, changed = append(out.In, inner.In...), true
		} else {
			out.In = append(out.In, in)
		}
	}
	if !changed {
		return u, false
	}
	return out, true
}

// pushFilter moves a filter below a projection, and joins two filters, the lower one first.
func pushFilter(n LogicalNode) (LogicalNode, bool) {
	f, ok := n.(*Filter)
	if !ok {
		return n, false
	}
	switch in := f.In.(type) {
	case *Project:
		pred := compute.Substitute(f.Pred, func(i int) compute.Expr { return in.Exprs[i] })
		if compute.Size(pred) > maxNodes {
			return n, false
		}
		return &Project{In: &Filter{In: in.In, Pred: pred}, Exprs: in.Exprs, Out: in.Out}, true
	case *Filter:
		if both, err := compute.Call("and", in.Pred, f.Pred); err == nil {
			return &Filter{In: in.In, Pred: both}, true
		}
	}
	return n, false
}

// mergeProjects puts the expressions of a projection into the one above it.
func mergeProjects(n LogicalNode) (LogicalNode, bool) {
	upper, ok := n.(*Project)
	if !ok {
		return n, false
	}
	lower, ok := upper.In.(*Project)
	if !ok {
		return n, false
	}
	out := &Project{In: lower.In, Out: upper.Out}
	size := 0
	for _, e := range upper.Exprs {
		merged := compute.Substitute(e, func(i int) compute.Expr { return lower.Exprs[i] })
		if size += compute.Size(merged); size > maxNodes {
			return n, false
		}
		out.Exprs = append(out.Exprs, merged)
	}
	return out, true
}
