package exec

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// branch is one chain of a plan, from a scan to a stateful operator or the sink.
type branch struct {
	scan    *columnar.Schema
	columns []scanColumn
	steps   []step
	target  int // position of a stateful operator, or ToSink
}

// scanColumn says where a column of the scan comes from.
type scanColumn struct {
	decoded int    // position in the decoded batch, -1 for a column of the raw batch
	hidden  string // name of the raw column
}

// step is an operator that takes the rows of a flow through it.
type step interface {
	run(eval *compute.Evaluator, f *flow) error
}

// share lets steps that run over the same batch, filters and the projection after them,
// compute once what their expressions have in common.
func share(steps []step) {
	var exprs []compute.Expr
	var give []func(compute.Expr)
	done := func() {
		for i, e := range compute.Share(exprs) {
			give[i](e)
		}
		exprs, give = nil, nil
	}
	for _, s := range steps {
		switch s := s.(type) {
		case *filter:
			exprs, give = append(exprs, s.pred), append(give, func(e compute.Expr) { s.pred = e })
		case *project:
			s.exprs = slices.Clone(s.exprs)
			for i, e := range s.exprs {
				exprs, give = append(exprs, e), append(give, func(e compute.Expr) { s.exprs[i] = e })
			}
			done()
		case *generate, *windows, *spans:
			done()
		}
	}
	done()
}

// compileScan adds the fields that the branch reads to those that are decoded.
func (p *Pipeline) compileScan(b *branch, scan *planner.ScanExec) {
	b.scan = scan.Out
	for i, c := range scan.Columns {
		if c.Hidden {
			b.columns = append(b.columns, scanColumn{decoded: -1, hidden: c.Name})
			continue
		}
		if c.Name == CorruptField {
			p.keepsCorrupt = true
			b.columns = append(b.columns, scanColumn{decoded: -1, hidden: c.Name})
			continue
		}
		field := p.input.Schema.Fields[c.Index]
		field.Nullable = scan.Out.Fields[i].Nullable
		b.columns = append(b.columns, scanColumn{decoded: p.decode(field)})
	}
}

// decode is the position of a field among the decoded ones.
func (p *Pipeline) decode(field columnar.Field) int {
	for i, f := range p.decoded.Fields {
		if f.Name == field.Name {
			return i
		}
	}
	p.decoded.Fields = append(p.decoded.Fields, field)
	return p.decoded.Len() - 1
}
