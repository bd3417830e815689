package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// flow is the rows of a raw batch on their way through a branch.
type flow struct {
	batch *columnar.Batch
	sel   columnar.Selection // the rows of batch that are left
	// origin is the raw row that each row of batch comes from; nil: the same row.
	origin []int32
	// failed are the raw rows that an operator failed on, in any order.
	failed []columnar.RowError
	// many: a raw row may have made several rows.
	many bool
	// observed is the event time of the rows at some places.
	observed []observed
}

// release ends a flow.
func (f *flow) release() {
	f.batch.Release()
	for _, o := range f.observed {
		o.times.Release()
	}
}

// next replaces the rows.
func (f *flow) next(b *columnar.Batch, origin []int32) {
	f.batch.Release()
	f.batch, f.sel, f.origin = b, nil, origin
}

// pack leaves the selected rows alone in the batch.
func (f *flow) pack() {
	if f.sel != nil {
		f.next(columnar.GatherBatch(f.batch, f.sel), originsOf(f, f.sel))
	}
}

// raw is the raw row of a row.
func (f *flow) raw(row int32) int32 {
	if f.origin == nil {
		return row
	}
	return f.origin[row]
}

// collect moves the errors of an evaluation to the raw rows, and drops their rows.
func (f *flow) collect(eval *compute.Evaluator) {
	f.fail(eval.Errors())
	eval.Reset()
}

// fail drops rows of the batch, and notes the raw rows that they come from; errs is ascending.
func (f *flow) fail(errs []columnar.RowError) {
	if len(errs) == 0 {
		return
	}
	for _, e := range errs {
		f.failed = append(f.failed, columnar.RowError{Row: f.raw(e.Row), Err: e.Err})
	}
	f.drop(errs)
}

// drop takes rows of the batch out of the selection; errs is ascending.
func (f *flow) drop(errs []columnar.RowError) {
	keep := make(columnar.Selection, 0, f.sel.Len(f.batch.Rows()))
	for i := range f.sel.Len(f.batch.Rows()) {
		row := int32(i)
		if f.sel != nil {
			row = f.sel[i]
		}
		for len(errs) > 0 && errs[0].Row < row {
			errs = errs[1:]
		}
		if len(errs) == 0 || errs[0].Row != row {
			keep = append(keep, row)
		}
	}
	f.sel = keep
}

// without lists the rows whose raw row did not fail; errs is ascending.
func (f *flow) without(errs []columnar.RowError) columnar.Selection {
	bad := make(map[int32]bool, len(errs))
	for _, e := range errs {
		bad[e.Row] = true
	}
	keep := make(columnar.Selection, 0, f.batch.Rows())
	for i := range int32(f.batch.Rows()) {
		if !bad[f.raw(i)] {
			keep = append(keep, i)
		}
	}
	return keep
}

// originsOf are the raw rows of some rows.
func originsOf(f *flow, rows columnar.Selection) []int32 {
	out := make([]int32, len(rows))
	for i, row := range rows {
		out[i] = f.raw(row)
	}
	return out
}

// countOrigins counts the raw rows that made a row in any flow.
func countOrigins(flows []*flow, rows int) int {
	if len(flows) == 1 && !flows[0].many {
		return flows[0].batch.Rows()
	}
	seen, n := make([]bool, rows), 0
	for _, f := range flows {
		for i := range int32(f.batch.Rows()) {
			if row := f.raw(i); !seen[row] {
				seen[row] = true
				n++
			}
		}
	}
	return n
}

// filter keeps the rows for which a condition is true.
type filter struct{ pred compute.Expr }

func (s *filter) run(eval *compute.Evaluator, f *flow) (err error) {
	f.sel, err = eval.Filter(s.pred, f.batch, f.sel)
	if err == nil {
		f.collect(eval)
	}
	return err
}

func newProject(n *planner.ProjectExec) *project { return &project{exprs: n.Exprs, out: n.Out} }

// project computes columns of the rows that are left, packed.
type project struct {
	exprs []compute.Expr
	out   *columnar.Schema
}

func (s *project) run(eval *compute.Evaluator, f *flow) error {
	cols, err := eval.EvalAll(s.exprs, f.batch, f.sel)
	if err != nil {
		return err
	}
	f.collect(eval)
	n := f.sel.Len(f.batch.Rows())
	origin := f.origin
	if f.sel != nil {
		origin = make([]int32, n)
		for i, row := range f.sel {
			origin[i] = f.raw(row)
		}
		for i, full := range cols {
			cols[i] = columnar.Gather(full, f.sel, nil)
			full.Release()
		}
	}
	f.next(columnar.NewBatch(s.out, cols, n), origin)
	return nil
}

// generate makes the rows of a generator.
type generate struct{ node *planner.GenerateExec }

func (s *generate) run(eval *compute.Evaluator, f *flow) error {
	parents, added, err := eval.Generate(s.node.Generator, f.batch, f.sel)
	if err != nil {
		return err
	}
	cols := make([]columnar.Column, 0, s.node.Out.Len())
	for _, k := range s.node.Keep {
		cols = append(cols, columnar.Gather(f.batch.Column(k), parents, nil))
	}
	f.collect(eval)
	origin := parents
	for i, row := range parents {
		origin[i] = f.raw(row)
	}
	f.many = true
	f.next(columnar.NewBatch(s.node.Out, append(cols, added...), len(parents)), origin)
	return nil
}
