package delta

import (
	"context"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// ScanWhere is Scan for the rows for which a condition over the columns of the table is TRUE. Files that have none, as their partition values,
// their statistics or their Bloom filters say, are not read; skipped counts them. A row for which the condition fails, as a division by zero does, ends the scan.
func (t *Table) ScanWhere(ctx context.Context, s lakehouse.Snapshot, where compute.Expr, fn func(*columnar.Batch) error) (skipped int, err error) {
	where = compute.Fold(where)
	ev := compute.NewDefaultEvaluator()
	skip := newSkipper(s, where, ev)
	err = t.scan(ctx, s, skip, func(b *columnar.Batch) error {
		kept, err := ev.Where(where, b)
		if err != nil {
			return err
		}
		defer kept.Release()
		if kept.Rows() == 0 {
			return nil
		}
		return fn(kept)
	})
	return skip.skipped, err
}
