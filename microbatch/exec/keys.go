package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// keyed makes the keys of the groups that an operator puts out as they stand in the result.
type keyed struct {
	exprs []compute.Expr
	out   *columnar.Schema
}

func newKeyed(k *planner.Keys, result *columnar.Schema) *keyed {
	if k == nil {
		return nil
	}
	out := &keyed{exprs: k.Exprs, out: &columnar.Schema{}}
	for _, at := range k.Columns {
		out.out.Fields = append(out.out.Fields, result.Fields[at])
	}
	return out
}

// Keys are the keys of the groups that the last operator has put out, those included that HAVING leaves out above it. Nil: a
// program without Settings.Keys. The caller releases them.
func (p *Program) Keys(out *columnar.Batch) (*columnar.Batch, error) {
	if p.keyed == nil {
		return nil, nil
	}
	cols, err := compute.NewDefaultEvaluator().EvalAll(p.keyed.exprs, out, nil)
	if err != nil {
		return nil, err
	}
	return columnar.NewBatch(p.keyed.out, cols, out.Rows()), nil
}
