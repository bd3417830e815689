package compute

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// Evaluator runs expressions over batches. It belongs to one goroutine.
type Evaluator struct {
	mem     memory.Allocator
	batch   *columnar.Batch
	n       int
	loaded  []*vector // columns of the batch that were viewed
	every   []int32   // 0, 1, 2, ...
	failed  map[int32]error
	errs    []columnar.RowError
	kept    [2][]int32 // results of Filter, in turn: a filter may read the result of the one before
	current int
}

// NewEvaluator returns an evaluator whose results come from the allocator.
func NewEvaluator(mem memory.Allocator) *Evaluator { return &Evaluator{mem: mem} }

// NewDefaultEvaluator returns an evaluator with the default allocator.
func NewDefaultEvaluator() *Evaluator { return NewEvaluator(memory.DefaultAllocator) }

// Reset forgets the errors.
func (ev *Evaluator) Reset() { ev.failed, ev.errs = nil, nil }

// Errors are the rows that failed since Reset, ascending, each once with its first error.
func (ev *Evaluator) Errors() []columnar.RowError {
	if len(ev.errs) < len(ev.failed) {
		ev.errs = ev.errs[:0]
		for row, err := range ev.failed {
			ev.errs = append(ev.errs, columnar.RowError{Row: row, Err: err})
		}
		slices.SortFunc(ev.errs, func(a, b columnar.RowError) int { return cmp.Compare(a.Row, b.Row) })
	}
	return ev.errs
}

// fail records the first error of a row.
func (ev *Evaluator) fail(row int32, err error) {
	if ev.failed == nil {
		ev.failed = map[int32]error{}
	}
	if _, ok := ev.failed[row]; !ok {
		ev.failed[row] = err
	}
}

func (ev *Evaluator) begin(b *columnar.Batch, sel columnar.Selection) []int32 {
	if ev.batch != b {
		ev.batch, ev.n = b, b.Rows()
		ev.loaded = append(ev.loaded[:0], make([]*vector, b.Schema().Len())...)
	}
	if sel != nil {
		return sel
	}
	for len(ev.every) < ev.n {
		ev.every = append(ev.every, int32(len(ev.every)))
	}
	return ev.every[:ev.n]
}

// load views a column of the batch, once.
func (ev *Evaluator) load(i int) *vector {
	if ev.loaded[i] == nil {
		ev.loaded[i] = loadVector(ev.batch.Schema().Fields[i].Type, ev.batch.Column(i))
	}
	return ev.loaded[i]
}

// vector makes room for a result.
func (ev *Evaluator) vector(t columnar.Type) *vector { return newVector(t, ev.n) }

// Eval computes e for the selected rows. The caller releases the column, which has the length of the batch.
func (ev *Evaluator) Eval(e Expr, b *columnar.Batch, sel columnar.Selection) (columnar.Column, error) {
	if c, ok := e.(*column); ok {
		out := b.Column(c.index)
		out.Retain()
		return out, nil
	}
	rows := ev.begin(b, sel)
	defer ev.end()
	return e.eval(ev, rows).column(ev.n, ev.mem), nil
}

// end drops what views the batch.
func (ev *Evaluator) end() { ev.batch = nil }

// Filter returns the selected rows for which pred is TRUE. The result lives until the call after the next one.
func (ev *Evaluator) Filter(pred Expr, b *columnar.Batch, sel columnar.Selection) (columnar.Selection, error) {
	rows := ev.begin(b, sel)
	defer ev.end()
	v := pred.eval(ev, rows)
	ev.current = 1 - ev.current
	out := ev.kept[ev.current][:0]
	if out == nil {
		out = make([]int32, 0, len(rows))
	}
	for _, r := range rows {
		if v.bools[r&v.mask] && !v.isNull(r) {
			out = append(out, r)
		}
	}
	ev.kept[ev.current] = out
	return out, nil
}

// split divides rows by a condition: those for which it is true, and the rest. A row that failed is in neither.
func (ev *Evaluator) split(cond *vector, rows []int32) (hit, rest []int32) {
	for _, r := range rows {
		if _, failed := ev.failed[r]; failed {
			continue
		}
		if !cond.isNull(r) && cond.bools[r&cond.mask] {
			hit = append(hit, r)
		} else {
			rest = append(rest, r)
		}
	}
	return hit, rest
}

// merge copies rows of a branch into the result.
func (ev *Evaluator) merge(out, branch *vector, rows []int32) {
	for _, r := range rows {
		copyRow(out, branch, r, ev.n)
	}
}
