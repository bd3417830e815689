package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// sorting orders the rows of a complete result.
type sorting struct{ keys []planner.SortKey }

func (s *sorting) run(eval *compute.Evaluator, f *flow) error {
	keys := make([]compute.OrderKey, len(s.keys))
	for i, k := range s.keys {
		keys[i] = compute.OrderKey{Expr: k.Expr, Descending: k.Descending, NullsLast: k.NullsLast}
	}
	rows, err := eval.Sort(keys, f.batch, f.sel)
	if err != nil {
		return err
	}
	f.collect(eval)
	f.next(columnar.GatherBatch(f.batch, rows), nil)
	return nil
}

// limit keeps the first rows of a complete result.
type limit struct{ n, skip int64 }

func (s *limit) run(_ *compute.Evaluator, f *flow) error {
	rows := int64(f.batch.Rows())
	from := min(s.skip, rows)
	until := rows
	if s.n >= 0 {
		until = min(rows, from+s.n)
	}
	f.next(columnar.Slice(f.batch, int(from), int(until)), nil)
	return nil
}
