package exec

import (
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Where are comparisons of columns of Reads with constants that hold for every row which the plan makes anything of. A source may leave out rows for
// which one is not TRUE: they would not be seen, neither by a watermark nor by an operator, and nothing that could fail for them comes
// before. There are none where several branches read the source.
func (p *Pipeline) Where() []compute.Expr {
	if len(p.branches) != 1 {
		return nil
	}
	var out []compute.Expr
	b := p.branches[0]
	for _, s := range b.steps {
		f, ok := s.(*filter)
		if !ok {
			break
		}
		for _, e := range compute.Conjuncts(f.pred) {
			if !compares(e) || !b.decodes(e) {
				return out
			}
			out = append(out, compute.Remap(e, func(at int) int { return b.columns[at].decoded }))
		}
	}
	return out
}

func compares(e compute.Expr) bool {
	_, _, _, compared := compute.Compared(e)
	_, _, among := compute.Among(e)
	return compared || among
}

// decodes reports whether a condition over the scan reads decoded columns alone.
func (b *branch) decodes(e compute.Expr) bool {
	for _, at := range compute.Columns(e) {
		if b.columns[at].decoded < 0 {
			return false
		}
	}
	return true
}
