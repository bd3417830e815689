package aggregate

import (
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// A bare NULL has a type, VOID, of which no column can be stored. Functions that take any type take it as a BOOLEAN.

// stored casts an argument that is VOID to BOOLEAN and returns its type.
func (c *Call) stored(arg int) columnar.Type {
	if c.inputs[arg].Type() == columnar.Null {
		c.inputs[arg] = compute.Implicit(c.inputs[arg], columnar.Boolean)
	}
	return c.inputs[arg].Type()
}

// result gives the call the type of an argument, before stored, and its definition.
func (c *Call) result(t columnar.Type, def definition) {
	c.typ, c.def = t, def
	if t == columnar.Null {
		c.def.make = func() Accumulator { return void{def.make()} }
	}
}

// void has results of the type VOID.
type void struct{ Accumulator }

func (v void) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	c, _ := v.Accumulator.Result(groups)
	defer c.Release()
	return array.NewNull(c.Len()), nil
}

// emptyLists are n values of the type ARRAY<VOID>.
func emptyLists(t columnar.Type, n int) columnar.Column {
	return columnar.NewArrayColumn(t, make([]int32, n+1), array.NewNull(0), nil)
}
