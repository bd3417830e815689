package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var bitFunctions = []function{
	entry("bit_and", "bit_and(a)", "Bits that are set in all values.", "bit_and(a)", 1, 1, bindBits),
	entry("bit_or", "bit_or(a)", "Bits that are set in some value.", "bit_or(a)", 1, 1, bindBits),
	entry("bit_xor", "bit_xor(a)", "Bits that are set in an odd number of values.", "bit_xor(a)", 1, 1, bindBits),
}

func bindBits(c *Call) error {
	if !integral(c.one().Type()) {
		return compute.UnexpectedInput(c.name, 0, "INTEGRAL", c.one())
	}
	if c.one().Type() == columnar.Null {
		c.inputs[0] = compute.Implicit(c.one(), columnar.Int)
	}
	c.typ = c.one().Type()
	switch c.typ {
	case columnar.TinyInt:
		c.def = bitsOf[int8](c)
	case columnar.SmallInt:
		c.def = bitsOf[int16](c)
	case columnar.Int:
		c.def = bitsOf[int32](c)
	default:
		c.def = bitsOf[int64](c)
	}
	return nil
}

// integral reports whether a type is that of integers, or of NULL.
func integral(t columnar.Type) bool { return t.Integral() || t == columnar.Null }

func bitsOf[T signed](c *Call) definition {
	t, name := c.typ, c.name
	return definition{
		idempotent: name != "bit_xor",
		state:      []columnar.Field{{Name: "bits", Type: t, Nullable: true}},
		make:       func() Accumulator { return &bitwise[T]{cells: cells[T]{typ: t}, combine: combiner[T](name)} },
	}
}

func combiner[T signed](name string) func(a, b T) T {
	switch name {
	case "bit_and":
		return func(a, b T) T { return a & b }
	case "bit_or":
		return func(a, b T) T { return a | b }
	}
	return func(a, b T) T { return a ^ b }
}

// bitwise combines the values of a group.
type bitwise[T signed] struct {
	live
	cells[T]
	combine func(a, b T) T
}

func (a *bitwise[T]) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	values := columnar.FixedValues[T](inputs[0])
	for i, g := range a.of(groups, inputs[0]) {
		switch {
		case g < 0:
		case a.set[g]:
			a.values[g] = a.combine(a.values[g], values[i])
		default:
			a.values[g], a.set[g] = values[i], true
		}
	}
	return nil
}

func (a *bitwise[T]) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	return a.Update(groups, state)
}

func (a *bitwise[T]) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.column(groups)}
}

func (a *bitwise[T]) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.column(groups), nil
}
