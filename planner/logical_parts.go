package planner

import "github.com/lakewheel/lakewheel/columnar/compute"

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
	case *Watermark:
		return &Watermark{In: in[0], Source: n.Source, Column: n.Column, Delay: n.Delay}
	case *Dedup:
		return &Dedup{In: in[0], Keys: n.Keys, Within: n.Within, Delay: n.Delay, EventTime: n.EventTime}
	case *Window:
		same := *n
		same.In = in[0]
		return &same
	case *Aggregate:
		same := *n
		same.In = in[0]
		return &same
	case *Sort:
		return &Sort{In: in[0], Keys: n.Keys, at: n.at}
	case *Limit:
		return &Limit{In: in[0], N: n.N, Skip: n.Skip, at: n.at}
	}
	return n
}

// expressions lists the expressions of an operator itself.
func expressions(n LogicalNode) []compute.Expr {
	switch n := n.(type) {
	case *Filter:
		return []compute.Expr{n.Pred}
	case *Project:
		return n.Exprs
	case *Generate:
		return []compute.Expr{n.Generator.List}
	case *Window:
		return []compute.Expr{n.Time}
	case *Aggregate:
		return n.expressions()
	case *Sort:
		out := make([]compute.Expr, len(n.Keys))
		for i, k := range n.Keys {
			out[i] = k.Expr
		}
		return out
	}
	return nil
}

func (a *Aggregate) expressions() []compute.Expr {
	out := append([]compute.Expr{}, a.Keys...)
	for _, c := range a.Calls {
		out = append(out, c.Inputs()...)
	}
	if a.Session != nil {
		out = append(out, a.Session.Time, a.Session.Gap)
	}
	return out
}

// mapExpressions returns the same operator with each of its expressions replaced by one of the same type.
func mapExpressions(n LogicalNode, f func(compute.Expr) compute.Expr) LogicalNode {
	switch n := n.(type) {
	case *Filter:
		return &Filter{In: n.In, Pred: f(n.Pred)}
	case *Project:
		return &Project{In: n.In, Exprs: mapped(n.Exprs, f), Out: n.Out}
	case *Generate:
		return &Generate{In: n.In, Generator: n.Generator.With(f(n.Generator.List)), Keep: n.Keep, Out: n.Out}
	case *Window:
		same := *n
		same.Time = f(n.Time)
		return &same
	case *Aggregate:
		return n.mapExpressions(f)
	case *Sort:
		same := &Sort{In: n.In, at: n.at}
		for _, k := range n.Keys {
			k.Expr = f(k.Expr)
			same.Keys = append(same.Keys, k)
		}
		return same
	}
	return n
}

func (a *Aggregate) mapExpressions(f func(compute.Expr) compute.Expr) *Aggregate {
	same := *a
	same.Keys, same.Calls = mapped(a.Keys, f), nil
	for _, c := range a.Calls {
		same.Calls = append(same.Calls, c.With(mapped(c.Inputs(), f)))
	}
	if s := a.Session; s != nil {
		same.Session = &Session{Time: f(s.Time), Gap: f(s.Gap), Watermarked: s.Watermarked}
	}
	return &same
}

func mapped(list []compute.Expr, f func(compute.Expr) compute.Expr) []compute.Expr {
	out := make([]compute.Expr, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}
