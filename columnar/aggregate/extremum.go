package aggregate

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var extremumFunctions = []function{
	entry("min", "min(a)", "Least value.", "min(a)", 1, 1, bindExtremum),
	entry("max", "max(a)", "Greatest value; NaN is the greatest number.", "max(a)", 1, 1, bindExtremum),
}

func bindExtremum(c *Call) error {
	t := c.one().Type()
	if !compute.Orderable(t) {
		return unordered(c.name, t)
	}
	c.result(t, extremumOf(c.stored(0), c.name == "max"))
	return nil
}

func extremumOf(t columnar.Type, greatest bool) definition {
	return definition{
		idempotent: true,
		state:      []columnar.Field{{Name: "value", Type: t, Nullable: true}},
		make:       func() Accumulator { return &extremum{best: newBest(t, greatest, false)} },
	}
}

func unordered(name string, t columnar.Type) error {
	return &compute.TypeError{Condition: "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", Message: fmt.Sprintf("The `%s` does not support ordering on type %s.", name, t)}
}

// extremum is min or max.
type extremum struct {
	best
	live
}

func (a *extremum) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	a.enter(a.of(groups, inputs[0]), inputs[0], nil)
	return nil
}

func (a *extremum) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	return a.Update(groups, state)
}

func (a *extremum) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.column(groups)}
}

func (a *extremum) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.column(groups), nil
}
