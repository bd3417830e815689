package aggregate

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
)

// set keeps for each group the distinct values, or combinations of values, that its rows have. NaN is one value, and so is
// zero.
type set struct {
	chains
	types []columnar.Type // of the values
	index *group.Index    // of the group, as INT, and the values; its numbers are the items of the chains
	ids   []int32
	rows  columnar.Selection
}

func newSet(types []columnar.Type) *set {
	return &set{types: types, index: group.NewIndex(append([]columnar.Type{columnar.Int}, types...))}
}

func (s *set) Bytes() int64 { return s.chains.Bytes() + s.index.Bytes() }

// add adds the values of the rows that are of a group: rows lists them, and ids the items that they are; before is how many
// items there were. The lists are valid until the next call.
func (s *set) add(groups []int32, values []columnar.Column) (rows columnar.Selection, ids []int32, before int) {
	s.rows = s.rows[:0]
	for i, g := range groups {
		if g >= 0 {
			s.rows = append(s.rows, int32(i))
		}
	}
	before = s.index.Len()
	if len(s.rows) == 0 {
		return s.rows, nil, before
	}
	keys := append([]columnar.Column{columnar.NewFixedColumn(columnar.Int, groups, nil)}, values...)
	s.ids = s.index.Add(keys, s.rows, s.ids)
	for i, id := range s.ids {
		if int(id) == len(s.next) {
			s.chains.add(groups[s.rows[i]])
		}
	}
	return s.rows, s.ids, before
}

// values makes columns of some items, in any order.
func (s *set) values(items []int32) []columnar.Column {
	keys := s.index.Keys(items)
	keys[0].Release()
	return keys[1:]
}

// Keep forgets groups and returns the items that are left, in their new order.
func (s *set) Keep(groups columnar.Selection) []int32 {
	items, offsets := s.items(groups)
	values := s.values(items)
	s.renew(offsets)
	owners := make([]int32, 0, len(items))
	for g := range len(offsets) - 1 {
		for range offsets[g+1] - offsets[g] {
			owners = append(owners, int32(g))
		}
	}
	s.index = newSet(s.types).index
	s.index.Add(append([]columnar.Column{columnar.NewFixedColumn(columnar.Int, owners, nil)}, values...), nil, nil)
	return items
}

// arrays makes a column of the items of each group; several values are a STRUCT.
func (s *set) arrays(groups columnar.Selection) columnar.Column {
	items, offsets := s.items(groups)
	values := s.values(items)
	if len(values) == 1 {
		return columnar.NewArrayColumn(columnar.Array(s.types[0]), offsets, values[0], nil)
	}
	t := combined(s.types)
	return columnar.NewArrayColumn(columnar.Array(t), offsets, columnar.NewStructColumn(t, values, len(items), nil), nil)
}

// combined is the type in which several values are stored.
func combined(types []columnar.Type) columnar.Type {
	if len(types) == 1 {
		return types[0]
	}
	fields := make([]columnar.Field, len(types))
	for k, t := range types {
		fields[k] = columnar.Field{Name: fmt.Sprintf("a%d", k+1), Type: t}
	}
	return columnar.Struct(fields...)
}

// parts are the columns of combined values.
func (s *set) parts(c columnar.Column) []columnar.Column {
	if len(s.types) == 1 {
		return []columnar.Column{c}
	}
	return columnar.StructParts(c)
}

// comparable refuses what cannot be a key.
func (c *Call) comparable(t columnar.Type) error {
	if compute.Orderable(t) {
		return nil
	}
	return &compute.TypeError{Condition: "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE", Message: fmt.Sprintf("The input of `%s` can't be of the type %s: a MAP has no equality.", c.name, t)}
}

func bindSet(c *Call) error {
	t := c.one().Type()
	if err := c.comparable(t); err != nil {
		return err
	}
	c.typ, c.nullable = columnar.Array(t), false
	stored := c.stored(0)
	c.def = definition{
		ordered:    true,
		idempotent: true,
		state:      []columnar.Field{{Name: "values", Type: columnar.Array(stored)}},
		make:       func() Accumulator { return &valueSet{set: newSet([]columnar.Type{stored}), result: c.typ} },
	}
	return nil
}

// valueSet is collect_set.
type valueSet struct {
	live
	*set
	result columnar.Type
}

func (a *valueSet) Keep(groups columnar.Selection) { a.set.Keep(groups) }

func (a *valueSet) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	a.add(a.of(groups, inputs[0]), inputs)
	return nil
}

func (a *valueSet) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	spread, _, elements := members(groups, state[0])
	return a.Update(spread, []columnar.Column{elements})
}

func (a *valueSet) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.arrays(groups)}
}

func (a *valueSet) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	if a.result.Elem() == columnar.Null {
		return emptyLists(a.result, groups.Len(len(a.first))), nil
	}
	return a.arrays(groups), nil
}
