package aggregate

import "github.com/lakewheel/lakewheel/columnar"

var countFunctions = []function{
	entry("count", "count(*), count(a, ...)", "Number of rows, or of those in which no argument is NULL.", "count(*)", 0, -1, bindCount),
}

func bindCount(c *Call) error {
	c.typ, c.nullable = columnar.BigInt, false
	c.def = definition{
		state: []columnar.Field{{Name: "count", Type: columnar.BigInt}},
		make:  func() Accumulator { return &count{} },
	}
	return nil
}

// count counts rows.
type count struct {
	live
	n []int64
}

func (a *count) Resize(n int)                   { a.n = resized(a.n, n) }
func (a *count) Keep(groups columnar.Selection) { a.n = columnar.Keep(a.n, groups) }
func (a *count) Bytes() int64                   { return sizeOf(a.n) }

func (a *count) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	for _, g := range a.of(groups, inputs...) {
		if g >= 0 {
			a.n[g]++
		}
	}
	return nil
}

func (a *count) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	values := columnar.FixedValues[int64](state[0])
	for i, g := range groups {
		if g >= 0 {
			a.n[g] += values[i]
		}
	}
	return nil
}

func (a *count) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{columnar.NewInt64Column(picked(a.n, groups), nil)}
}

func (a *count) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.State(groups)[0], nil
}
