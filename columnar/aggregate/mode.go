package aggregate

import (
	"bytes"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

var modeFunctions = []function{
	entry("mode", "mode(a[, deterministic])", "The most frequent value; of several the least.", "mode(a)", 1, 2, bindMode),
}

func bindMode(c *Call) error {
	t := c.one().Type()
	if err := c.comparable(t); err != nil {
		return err
	}
	if _, err := c.flag(1, "deterministic"); err != nil {
		return err
	}
	stored := c.stored(0)
	c.result(t, definition{
		undistinct: &compute.TypeError{Condition: "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED", Message: "The function mode does not support DISTINCT."},
		state:      tallyState(stored),
		make:       func() Accumulator { return &mode{newTally(stored)} },
	})
	return nil
}

type mode struct{ tally }

func (a *mode) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	items, offsets := a.items(groups)
	values := a.values(items)[0]
	defer values.Release()
	in := rowcode.Open(values, a.types[0], true)
	var owners, rows []int32
	for g := range len(offsets) - 1 {
		if at := a.best(in, items, offsets[g], offsets[g+1]); at >= 0 {
			owners, rows = append(owners, int32(g)), append(rows, at)
		}
	}
	out := newSlots(a.types[0])
	out.Resize(len(offsets) - 1)
	out.put(owners, rows, values)
	return out.column(nil), nil
}

// best is the position of the most frequent of some items, the least of several, or -1.
func (a *mode) best(in *rowcode.Input, items []int32, from, until int32) int32 {
	best := int32(-1)
	for at := from; at < until; at++ {
		n := a.counts[items[at]]
		if best < 0 || n > a.counts[items[best]] || n == a.counts[items[best]] &&
			bytes.Compare(in.Append(nil, int(at)), in.Append(nil, int(best))) < 0 {
			best = at
		}
	}
	return best
}
