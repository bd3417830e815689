package planner

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

func pruneWatermark(n *Watermark, wanted []bool) (LogicalNode, []int, bool) {
	below := slices.Clone(wanted)
	below[n.Column] = true
	in, moved, changed := prune(n.In, below)
	return &Watermark{In: in, Source: n.Source, Column: moved[n.Column], Delay: n.Delay}, moved, changed
}

func pruneDedup(n *Dedup, wanted []bool) (LogicalNode, []int, bool) {
	below := slices.Clone(wanted)
	for _, k := range n.Keys {
		below[k] = true
	}
	if n.EventTime >= 0 {
		below[n.EventTime] = true
	}
	in, moved, changed := prune(n.In, below)
	out := &Dedup{In: in, Within: n.Within, Delay: n.Delay, EventTime: -1}
	for _, k := range n.Keys {
		out.Keys = append(out.Keys, moved[k])
	}
	if n.EventTime >= 0 {
		out.EventTime = moved[n.EventTime]
	}
	return out, moved, changed
}

// pruneWindow keeps the start of the window, which may make more rows of one.
func pruneWindow(n *Window, wanted []bool) (LogicalNode, []int, bool) {
	last := len(wanted) - 1
	below := slices.Clone(wanted[:last])
	mark(below, n.Time)
	in, moved, changed := prune(n.In, below)
	out := *n
	out.In, out.Time = in, move(n.Time, moved)
	out.Out = columnar.NewSchema(append(slices.Clone(in.Schema().Fields), n.Out.Fields[last])...)
	return &out, append(moved, in.Schema().Len()), changed
}

// pruneAggregate drops calls; the keys say which groups there are and stay.
func pruneAggregate(n *Aggregate, wanted []bool) (LogicalNode, []int, bool) {
	stays := slices.Clone(wanted)
	first := n.firstKey() + len(n.Keys)
	for i := range first {
		stays[i] = true
	}
	out := *n
	out.Calls = nil
	for i, c := range n.Calls {
		if stays[first+i] {
			out.Calls = append(out.Calls, c)
		}
	}
	below := make([]bool, n.In.Schema().Len())
	for _, e := range out.expressions() {
		mark(below, e)
	}
	in, inner, changed := prune(n.In, below)
	pruned := out.mapExpressions(func(e compute.Expr) compute.Expr { return move(e, inner) })
	pruned.In, pruned.Out = in, only(n.Out, stays)
	moved, count := positions(stays)
	return pruned, moved, changed || count < len(stays)
}

// pruneOrdered is for operators that read columns and pass all.
func pruneOrdered(n LogicalNode, wanted []bool) (LogicalNode, []int, bool) {
	below := slices.Clone(wanted)
	for _, e := range expressions(n) {
		mark(below, e)
	}
	in, moved, changed := prune(n.Inputs()[0], below)
	out := mapExpressions(n, func(e compute.Expr) compute.Expr { return move(e, moved) })
	return withInputs(out, []LogicalNode{in}), moved, changed
}
