package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var firstFunctions = []function{
	entry("first", "first(a[, ignoreNulls])", "Value of the first row, or of the first one where it is not NULL.", "first(a, true)", 1, 2, bindFirst),
	entry("first_value", "first_value(a[, ignoreNulls])", "Value of the first row, or of the first one where it is not NULL.", "first_value(a)", 1, 2, bindFirst),
	entry("any_value", "any_value(a[, ignoreNulls])", "Some value: that of the first row.", "any_value(a)", 1, 2, bindFirst),
	entry("last", "last(a[, ignoreNulls])", "Value of the last row, or of the last one where it is not NULL.", "last(a, true)", 1, 2, bindLast),
	entry("last_value", "last_value(a[, ignoreNulls])", "Value of the last row, or of the last one where it is not NULL.", "last_value(a)", 1, 2, bindLast),
}

func bindFirst(c *Call) error { return bindEnd(c, false) }

func bindLast(c *Call) error { return bindEnd(c, true) }

func bindEnd(c *Call, last bool) error {
	ignore, err := c.flag(1, "ignoreNulls")
	if err != nil {
		return err
	}
	t, stored := c.one().Type(), c.stored(0)
	c.result(t, definition{
		ordered: true,
		state:   []columnar.Field{{Name: "value", Type: stored, Nullable: true}, {Name: "seen", Type: columnar.Boolean}},
		make:    func() Accumulator { return &end{slots: newSlots(stored), last: last, ignore: ignore} },
	})
	return nil
}

// flag moves a constant BOOLEAN, FALSE if there is none, from the end of the arguments to the settings.
func (c *Call) flag(position int, parameter string) (bool, error) {
	if len(c.inputs) <= position {
		return false, nil
	}
	value, ok := constantOf(c.inputs[position])
	if !ok || !columnar.IsBoolean(value) || value.IsNull(0) {
		return false, &compute.TypeError{Condition: "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
			Message: "The argument " + parameter + " of " + c.name + " should be a BOOLEAN literal, not " + c.inputs[position].String() + "."}
	}
	c.settings, c.inputs = append(c.settings, c.inputs[position]), c.inputs[:position]
	return columnar.BooleanAt(value, 0), nil
}

// constantOf is the value, as a column of one, of an expression that reads no column.
func constantOf(e compute.Expr) (columnar.Column, bool) {
	if len(compute.Columns(e)) > 0 {
		return nil, false
	}
	c, err := compute.NewDefaultEvaluator().Eval(e, columnar.NewBatch(&columnar.Schema{}, nil, 1), nil)
	return c, err == nil
}

// end is first or last.
type end struct {
	slots
	live
	picks
	seen         []bool
	last, ignore bool
}

func (a *end) Resize(n int) {
	a.slots.Resize(n)
	a.picks.Resize(n)
	a.seen = resized(a.seen, n)
}

func (a *end) Keep(groups columnar.Selection) {
	a.slots.Keep(groups)
	a.picks.Keep(groups)
	a.seen = columnar.Keep(a.seen, groups)
}

func (a *end) Bytes() int64 { return a.slots.Bytes() + a.picks.Bytes() + sizeOf(a.seen) }

func (a *end) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	if a.ignore {
		groups = a.of(groups, inputs[0])
	}
	a.choose(groups, inputs[0])
	return nil
}

// choose takes the first or the last row of each group.
func (a *end) choose(groups []int32, c columnar.Column) {
	if a.last {
		p := a.picks.last(groups, nil)
		for _, g := range p.groups {
			a.seen[g] = true
		}
		a.put(p.groups, p.rows, c)
		return
	}
	a.picks.groups, a.rows = a.picks.groups[:0], a.rows[:0]
	for i, g := range groups {
		if g >= 0 && !a.seen[g] {
			a.seen[g] = true
			a.picks.groups, a.rows = append(a.picks.groups, g), append(a.rows, int32(i))
		}
	}
	a.put(a.picks.groups, a.rows, c)
}

func (a *end) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	a.choose(a.whereTrue(groups, state[1]), state[0])
	return nil
}

func (a *end) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.column(groups), columnar.NewBooleanColumn(picked(a.seen, groups), nil)}
}

func (a *end) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.column(groups), nil
}
