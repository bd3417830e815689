package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// unique makes the call one over the distinct combinations of its arguments.
func (c *Call) unique() error {
	if c.def.undistinct != nil {
		return c.def.undistinct
	}
	c.distinct = true
	if c.def.idempotent || len(c.inputs) == 0 {
		return nil
	}
	types := make([]columnar.Type, len(c.inputs))
	for k, e := range c.inputs {
		if err := c.comparable(e.Type()); err != nil {
			return err
		}
		types[k] = c.stored(k)
	}
	of := c.def.make
	c.def.state = []columnar.Field{{Name: "distinct", Type: columnar.Array(combined(types))}}
	c.def.make = func() Accumulator { return &distinct{set: newSet(types), of: of()} }
	return nil
}

// distinct gives another aggregate each combination of values once for a group. Its state is the set.
type distinct struct {
	*set
	of    Accumulator
	fresh []int32 // the rows of the new items
}

func (a *distinct) Resize(n int) {
	a.set.Resize(n)
	a.of.Resize(n)
}

func (a *distinct) Keep(groups columnar.Selection) {
	a.set.Keep(groups)
	a.of.Keep(groups)
}

func (a *distinct) Bytes() int64 { return a.set.Bytes() + a.of.Bytes() }

func (a *distinct) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	rows, ids, before := a.add(groups, inputs)
	a.fresh = a.fresh[:0]
	var items, owners []int32
	for i, id := range ids {
		if int(id) == before+len(a.fresh) {
			a.fresh = append(a.fresh, rows[i])
			items, owners = append(items, id), append(owners, groups[rows[i]])
		}
	}
	if len(items) == 0 {
		return nil
	}
	values := a.values(items)
	defer release(values)
	return ofRows(a.of.Update(owners, values), a.fresh)
}

func release(columns []columnar.Column) {
	for _, c := range columns {
		c.Release()
	}
}

func (a *distinct) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	spread, from, elements := members(groups, state[0])
	return ofRows(a.Update(spread, a.parts(elements)), from)
}

func (a *distinct) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.arrays(groups)}
}

func (a *distinct) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.of.Result(groups)
}
