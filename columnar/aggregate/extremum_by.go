package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var extremumByFunctions = []function{
	entry("max_by", "max_by(a, b)", "Value of a where b is the greatest; the last such row.", "max_by(a, b)", 2, 2, bindExtremumBy),
	entry("min_by", "min_by(a, b)", "Value of a where b is the least; the last such row.", "min_by(a, b)", 2, 2, bindExtremumBy),
}

func bindExtremumBy(c *Call) error {
	if t := c.inputs[1].Type(); !compute.Orderable(t) {
		return unordered(c.name, t)
	}
	t, value, key, greatest := c.one().Type(), c.stored(0), c.stored(1), c.name == "max_by"
	c.result(t, definition{
		ordered: true,
		state:   []columnar.Field{{Name: "value", Type: value, Nullable: true}, {Name: "by", Type: key, Nullable: true}},
		make:    func() Accumulator { return &extremumBy{slots: newSlots(value), by: newBest(key, greatest, true)} },
	})
	return nil
}

// extremumBy is max_by or min_by.
type extremumBy struct {
	slots
	live
	picks
	by  best
	won []int32
}

func (a *extremumBy) Resize(n int) {
	a.slots.Resize(n)
	a.picks.Resize(n)
	a.by.Resize(n)
}

func (a *extremumBy) Keep(groups columnar.Selection) {
	a.slots.Keep(groups)
	a.picks.Keep(groups)
	a.by.Keep(groups)
}

func (a *extremumBy) Bytes() int64 { return a.slots.Bytes() + a.picks.Bytes() + a.by.Bytes() }

func (a *extremumBy) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	groups, a.won = a.of(groups, inputs[1]), a.won[:0]
	if a.by.enter(groups, inputs[1], &a.won); len(a.won) > 0 {
		p := a.picks.last(groups, a.won)
		a.put(p.groups, p.rows, inputs[0])
	}
	return nil
}

func (a *extremumBy) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	return a.Update(groups, state)
}

func (a *extremumBy) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.column(groups), a.by.column(groups)}
}

func (a *extremumBy) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.column(groups), nil
}
