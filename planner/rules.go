package planner

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// rule rewrites a logical plan and says whether it changed it. The plan it is given
// stays as it was.
type rule struct {
	name  string
	apply func(LogicalNode) (LogicalNode, bool)
}

var rules = []rule{
	{"FoldConstants", foldConstants},
	{"SimplifyFilter", simplifyFilter},
	{"PruneScanColumns", pruneScanColumns},
}

// maxPasses caps the passes over the rules. Two suffice for the rules there are; a
// test asserts that no plan reaches the cap.
const maxPasses = 8

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

// foldConstants replaces what reads no column by its value.
func foldConstants(n LogicalNode) (LogicalNode, bool) {
	switch n := n.(type) {
	case *Filter:
		pred, changed := fold(n.Pred)
		return &Filter{In: n.In, Pred: pred}, changed
	case *Project:
		in, changed := foldConstants(n.In)
		exprs := make([]compute.Expr, len(n.Exprs))
		for i, e := range n.Exprs {
			folded, different := fold(e)
			exprs[i], changed = folded, changed || different
		}
		return &Project{In: in, Exprs: exprs, Out: n.Out}, changed
	}
	return n, false
}

func fold(e compute.Expr) (compute.Expr, bool) {
	folded := compute.Fold(e)
	return folded, folded.String() != e.String()
}

// simplifyFilter drops a filter that keeps every row.
func simplifyFilter(n LogicalNode) (LogicalNode, bool) {
	p, ok := n.(*Project)
	if !ok {
		return n, false
	}
	f, ok := p.In.(*Filter)
	if !ok || !compute.Literal(f.Pred) || f.Pred.String() != compute.Bool(true).String() {
		return n, false
	}
	return &Project{In: f.In, Exprs: p.Exprs, Out: p.Out}, true
}

// pruneScanColumns makes the scan read only the columns that an expression uses.
func pruneScanColumns(n LogicalNode) (LogicalNode, bool) {
	p, ok := n.(*Project)
	if !ok {
		return n, false
	}
	scan, used := usedColumns(p)
	moved := make([]int, len(scan.Columns))
	pruned := &Scan{Source: scan.Source, Out: &columnar.Schema{}}
	for i, c := range scan.Columns {
		if used[i] {
			moved[i] = len(pruned.Columns)
			pruned.Columns = append(pruned.Columns, c)
			pruned.Out.Fields = append(pruned.Out.Fields, scan.Out.Fields[i])
		}
	}
	if len(pruned.Columns) == len(scan.Columns) {
		return n, false
	}
	return moveColumns(p, pruned, func(i int) int { return moved[i] }), true
}

// usedColumns returns the scan below p and which of its columns are read.
func usedColumns(p *Project) (*Scan, []bool) {
	exprs, in := p.Exprs, p.In
	if f, ok := in.(*Filter); ok {
		exprs, in = append(exprs[:len(exprs):len(exprs)], f.Pred), f.In
	}
	scan := in.(*Scan)
	used := make([]bool, len(scan.Columns))
	for _, e := range exprs {
		for _, i := range compute.Columns(e) {
			used[i] = true
		}
	}
	return scan, used
}

// moveColumns puts p onto another scan, where each column has another position.
func moveColumns(p *Project, scan *Scan, to func(int) int) LogicalNode {
	var in LogicalNode = scan
	if f, ok := p.In.(*Filter); ok {
		in = &Filter{In: scan, Pred: compute.Remap(f.Pred, to)}
	}
	exprs := make([]compute.Expr, len(p.Exprs))
	for i, e := range p.Exprs {
		exprs[i] = compute.Remap(e, to)
	}
	return &Project{In: in, Exprs: exprs, Out: p.Out}
}
