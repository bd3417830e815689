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
	{"FoldConstants", everywhere(foldConstants)},
	{"SimplifyFilter", everywhere(simplifyFilter)},
	{"PushThroughUnion", everywhere(pushThroughUnion)},
	{"PushFilter", everywhere(pushFilter)},
	{"PushFilterBelowGenerate", everywhere(pushFilterBelowGenerate)},
	{"MergeProjects", everywhere(mergeProjects)},
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

// withInputs returns the same operator over other inputs.
func withInputs(n LogicalNode, in []LogicalNode) LogicalNode {
	switch n := n.(type) {
	case *Filter:
		return &Filter{In: in[0], Pred: n.Pred}
	case *Project:
		return &Project{In: in[0], Exprs: n.Exprs, Out: n.Out}
	case *Generate:
		return &Generate{In: in[0], Generator: n.Generator, Keep: n.Keep, Out: n.Out}
	case *Union:
		return &Union{In: in, Out: n.Out}
	}
	return n
}

// foldConstants replaces what reads no column by its value.
func foldConstants(n LogicalNode) (LogicalNode, bool) {
	changed := false
	fold := func(e compute.Expr) compute.Expr {
		folded := compute.Fold(e)
		changed = changed || folded.String() != e.String()
		return folded
	}
	var out LogicalNode
	switch n := n.(type) {
	case *Filter:
		out = &Filter{In: n.In, Pred: fold(n.Pred)}
	case *Project:
		exprs := make([]compute.Expr, len(n.Exprs))
		for i, e := range n.Exprs {
			exprs[i] = fold(e)
		}
		out = &Project{In: n.In, Exprs: exprs, Out: n.Out}
	case *Generate:
		out = &Generate{In: n.In, Generator: n.Generator.With(fold(n.Generator.List)), Keep: n.Keep, Out: n.Out}
	}
	if !changed {
		return n, false
	}
	return out, true
}

// foldedParts lists what foldConstants finds in a plan, each once.
func foldedParts(n LogicalNode) (list []string) {
	note := func(part, value compute.Expr) {
		if text := part.String() + " = " + value.String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	for _, in := range n.Inputs() {
		list = append(list, foldedParts(in)...)
	}
	switch n := n.(type) {
	case *Filter:
		compute.FoldEach(n.Pred, note)
	case *Project:
		for _, e := range n.Exprs {
			compute.FoldEach(e, note)
		}
	case *Generate:
		compute.FoldEach(n.Generator.List, note)
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

// pushThroughUnion moves an operator into the inputs of a union below it, and joins unions.
func pushThroughUnion(n LogicalNode) (LogicalNode, bool) {
	if u, ok := n.(*Union); ok {
		return joinUnions(u)
	}
	in := n.Inputs()
	if len(in) != 1 {
		return n, false
	}
	u, ok := in[0].(*Union)
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
