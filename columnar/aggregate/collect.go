package aggregate

import "github.com/lakewheel/lakewheel/columnar"

var collectFunctions = []function{
	entry("collect_list", "collect_list(a)", "ARRAY of the values that are not NULL, in the order of the rows.", "collect_list(a)", 1, 1, bindList),
	entry("array_agg", "array_agg(a)", "ARRAY of the values that are not NULL, in the order of the rows.", "array_agg(a)", 1, 1, bindList),
	entry("collect_set", "collect_set(a)", "ARRAY of the distinct values that are not NULL, in the order in which they came.", "collect_set(a)", 1, 1, bindSet),
}

func bindList(c *Call) error {
	c.typ, c.nullable = columnar.Array(c.one().Type()), false
	stored := c.stored(0)
	c.def = definition{
		ordered: true,
		state:   []columnar.Field{{Name: "values", Type: columnar.Array(stored)}},
		make:    func() Accumulator { return &list{typ: columnar.Array(stored), result: c.typ, pile: newPile(stored)} },
	}
	return nil
}

// list is collect_list.
type list struct {
	live
	chains
	pile
	typ, result columnar.Type
	rows        []int32
}

func (a *list) Bytes() int64 { return a.chains.Bytes() + a.size() }

func (a *list) Keep(groups columnar.Selection) {
	items, offsets := a.items(groups)
	a.pile.keep(items)
	a.renew(offsets)
}

func (a *list) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	a.rows = a.rows[:0]
	for i, g := range a.of(groups, inputs[0]) {
		if g >= 0 {
			a.chains.add(g)
			a.rows = append(a.rows, int32(i))
		}
	}
	a.pile.add(a.rows, inputs[0])
	return nil
}

func (a *list) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	spread, _, elements := members(groups, state[0])
	return a.Update(spread, []columnar.Column{elements})
}

func (a *list) State(groups columnar.Selection) []columnar.Column {
	items, offsets := a.items(groups)
	return []columnar.Column{columnar.NewArrayColumn(a.typ, offsets, a.gather(items), nil)}
}

func (a *list) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	if a.result.Elem() == columnar.Null {
		return emptyLists(a.result, groups.Len(len(a.first))), nil
	}
	return a.State(groups)[0], nil
}

// pile holds values of a type, none of which is NULL, in the order in which they are added.
type pile interface {
	add(rows []int32, c columnar.Column)
	gather(items []int32) columnar.Column
	// keep forgets all values but these: items[i] becomes i.
	keep(items []int32)
	size() int64
}

func newPile(t columnar.Type) pile {
	switch t.Width() {
	case 1:
		return &fixedPile[int8]{typ: t}
	case 2:
		return &fixedPile[int16]{typ: t}
	case 4:
		return &fixedPile[int32]{typ: t}
	case 8:
		return &fixedPile[int64]{typ: t}
	case 16:
		return &fixedPile[decimalValue]{typ: t}
	}
	return &textPile{texts: texts{typ: t}, ends: []int{0}}
}

type fixedPile[T columnar.Fixed] struct {
	typ    columnar.Type
	values []T
}

func (p *fixedPile[T]) add(rows []int32, c columnar.Column) {
	values := columnar.FixedValues[T](c)
	for _, row := range rows {
		p.values = append(p.values, values[row])
	}
}

func (p *fixedPile[T]) gather(items []int32) columnar.Column {
	return columnar.NewFixedColumn(p.typ, picked(p.values, items), nil)
}

func (p *fixedPile[T]) keep(items []int32) { p.values = picked(p.values, items) }
func (p *fixedPile[T]) size() int64        { return sizeOf(p.values) }

// textPile keeps values as texts do; value i is data[ends[i]:ends[i+1]].
type textPile struct {
	texts
	ends []int
}

func (p *textPile) add(rows []int32, c columnar.Column) {
	read := p.reader(c)
	for _, row := range rows {
		p.data = append(p.data, read(int(row))...)
		p.ends = append(p.ends, len(p.data))
	}
}

// value is borrowed until the next add.
func (p *textPile) value(i int32) []byte { return p.data[p.ends[i]:p.ends[i+1]] }

func (p *textPile) gather(items []int32) columnar.Column {
	w := newWriter(p.typ)
	for _, i := range items {
		w.write(p.value(i))
	}
	return w.column()
}

func (p *textPile) keep(items []int32) {
	data, ends := []byte{}, []int{0}
	for _, i := range items {
		data = append(data, p.value(i)...)
		ends = append(ends, len(data))
	}
	p.data, p.ends = data, ends
}

func (p *textPile) size() int64 { return sizeOf(p.data) + sizeOf(p.ends) }
