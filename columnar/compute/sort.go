package compute

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
)

// OrderKey is what rows are ordered by. NULL is the smallest value, unless it is put last or, descending, first.
type OrderKey struct {
	Expr       Expr
	Descending bool
	NullsLast  bool // where NULL stands, whatever the direction
}

// Sort returns the selected rows of b in the order of the keys; rows that are equal keep their order.
func (ev *Evaluator) Sort(keys []OrderKey, b *columnar.Batch, sel columnar.Selection) (columnar.Selection, error) {
	rows := ev.begin(b, sel)
	defer ev.end()
	vectors := make([]*vector, len(keys))
	for i, k := range keys {
		if err := ev.checkAll(k.Expr); err != nil {
			return nil, err
		}
		if vectors[i] = k.Expr.eval(ev, rows); ev.fault != nil {
			return nil, ev.fault
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(x, y int32) int {
		for i, k := range keys {
			if c := k.compare(vectors[i], x, y); c != 0 {
				return c
			}
		}
		return 0
	})
	return out, nil
}

func (k OrderKey) compare(v *vector, x, y int32) int {
	if xn, yn := v.isNull(x), v.isNull(y); xn || yn {
		c := int(bit(yn)) - int(bit(xn)) // NULL first
		if k.NullsLast {
			return -c
		}
		return c
	}
	c := compareAt(v, x, v, y)
	if k.Descending {
		return -c
	}
	return c
}
