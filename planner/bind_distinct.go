package planner

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// distinct keeps one of the rows that are equal: groups by all columns, without aggregates.
func (b *binder) distinct(n LogicalNode, at int) LogicalNode {
	if n == nil {
		return nil
	}
	g, marks, list := &groups{all: true}, b.marks[n], make([]compute.Expr, n.Schema().Len())
	for i, f := range n.Schema().Fields {
		if holdsMap(f.Type) {
			b.fail(at, "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", fmt.Sprintf("rows with a MAP cannot be compared, and %s is %s", f.Name, f.Type), "")
			return nil
		}
		list[i] = compute.Column(i, f.Name, f.Type, f.Nullable)
		g.add(list[i], marks[i])
	}
	p := &Project{In: b.aggregate(g, n, at), Out: columnar.NewSchema(n.Schema().Fields...)}
	for _, e := range list {
		p.Exprs = append(p.Exprs, g.find(e))
	}
	b.marks[p] = marks
	return p
}
