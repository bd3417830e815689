package planner

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// pruneColumns makes every operator carry only the columns that those above it read.
func pruneColumns(n LogicalNode) (LogicalNode, bool) {
	all := make([]bool, n.Schema().Len())
	for i := range all {
		all[i] = true
	}
	out, _, changed := prune(n, all)
	if !changed {
		return n, false
	}
	return out, true
}

// prune keeps the wanted columns of n; moved gives each its new position.
func prune(n LogicalNode, wanted []bool) (out LogicalNode, moved []int, changed bool) {
	switch n := n.(type) {
	case *Filter:
		below := append([]bool{}, wanted...)
		mark(below, n.Pred)
		in, moved, changed := prune(n.In, below)
		return &Filter{In: in, Pred: move(n.Pred, moved)}, moved, changed
	case *Project:
		return pruneProject(n, wanted)
	case *Generate:
		return pruneGenerate(n, wanted)
	case *Union:
		return pruneUnion(n, wanted)
	case *Watermark:
		return pruneWatermark(n, wanted)
	case *Dedup:
		return pruneDedup(n, wanted)
	case *Window:
		return pruneWindow(n, wanted)
	case *Aggregate:
		return pruneAggregate(n, wanted)
	case *Sort, *Limit:
		return pruneOrdered(n, wanted)
	}
	return pruneScan(n.(*Scan), wanted)
}

func mark(wanted []bool, e compute.Expr) {
	for _, i := range compute.Columns(e) {
		wanted[i] = true
	}
}

func move(e compute.Expr, moved []int) compute.Expr {
	return compute.Remap(e, func(i int) int { return moved[i] })
}

// positions numbers the wanted columns.
func positions(wanted []bool) (moved []int, count int) {
	moved = make([]int, len(wanted))
	for i, w := range wanted {
		moved[i] = count
		if w {
			count++
		}
	}
	return moved, count
}

func pruneProject(n *Project, wanted []bool) (LogicalNode, []int, bool) {
	below := make([]bool, n.In.Schema().Len())
	for i, e := range n.Exprs {
		if wanted[i] {
			mark(below, e)
		}
	}
	in, inner, changed := prune(n.In, below)
	out := &Project{In: in, Out: &columnar.Schema{}}
	for i, e := range n.Exprs {
		if wanted[i] {
			out.Exprs = append(out.Exprs, move(e, inner))
			out.Out.Fields = append(out.Out.Fields, n.Out.Fields[i])
		}
	}
	moved, count := positions(wanted)
	return out, moved, changed || count < len(wanted)
}

// pruneGenerate drops kept columns; the new ones stay.
func pruneGenerate(n *Generate, wanted []bool) (LogicalNode, []int, bool) {
	below := make([]bool, n.In.Schema().Len())
	for i, from := range n.Keep {
		below[from] = below[from] || wanted[i]
	}
	mark(below, n.Generator.List)
	in, inner, changed := prune(n.In, below)
	out := &Generate{In: in, Generator: n.Generator.With(move(n.Generator.List, inner)), Out: &columnar.Schema{}}
	stays := append([]bool{}, wanted...)
	for i, f := range n.Out.Fields {
		if i >= len(n.Keep) {
			stays[i] = true
		} else if wanted[i] {
			out.Keep = append(out.Keep, inner[n.Keep[i]])
		}
		if stays[i] {
			out.Out.Fields = append(out.Out.Fields, f)
		}
	}
	moved, count := positions(stays)
	return out, moved, changed || count < len(wanted)
}

func pruneUnion(n *Union, wanted []bool) (LogicalNode, []int, bool) {
	out, changed := &Union{Out: only(n.Out, wanted)}, false
	for _, in := range n.In {
		x, inner, different := prune(in, wanted)
		out.In, changed = append(out.In, pick(x, inner, wanted)), changed || different
	}
	moved, count := positions(wanted)
	return out, moved, changed || count < len(wanted)
}

// only is a schema without the columns that are not wanted.
func only(s *columnar.Schema, wanted []bool) *columnar.Schema {
	out := &columnar.Schema{}
	for i, f := range s.Fields {
		if wanted[i] {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// pick projects the wanted columns of what pruning left, where it left more than those.
func pick(n LogicalNode, moved []int, wanted []bool) LogicalNode {
	p := &Project{In: n, Out: &columnar.Schema{}}
	for i, w := range wanted {
		if !w {
			continue
		}
		f := n.Schema().Fields[moved[i]]
		p.Exprs = append(p.Exprs, compute.Column(moved[i], f.Name, f.Type, f.Nullable))
		p.Out.Fields = append(p.Out.Fields, f)
	}
	if len(p.Exprs) == n.Schema().Len() {
		return n
	}
	return p
}

func pruneScan(n *Scan, wanted []bool) (LogicalNode, []int, bool) {
	out := &Scan{Source: n.Source, Out: &columnar.Schema{}}
	for i, c := range n.Columns {
		if wanted[i] {
			out.Columns = append(out.Columns, c)
			out.Out.Fields = append(out.Out.Fields, n.Out.Fields[i])
		}
	}
	moved, count := positions(wanted)
	return out, moved, count < len(wanted)
}
