package aggregate

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var listaggFunctions = []function{
	entry("listagg", "listagg(a[, delimiter])", "The texts that are not NULL behind each other, in the order of the rows.", "listagg('a', ', ')", 1, 2, bindListagg),
	entry("string_agg", "string_agg(a[, delimiter])", "The same as listagg.", "string_agg('a', ', ')", 1, 2, bindListagg),
}

// bindListagg takes BINARY as it is and everything else as STRING.
func bindListagg(c *Call) error {
	if c.one().Type() != columnar.Binary {
		if err := c.parameter(0, columnar.String); err != nil {
			return compute.UnexpectedInput(c.name, 0, `("STRING" or "BINARY")`, c.one())
		}
	}
	t := c.one().Type()
	delimiter, err := c.delimiter(t)
	if err != nil {
		return err
	}
	c.typ = t
	c.def = definition{
		ordered: true,
		state:   []columnar.Field{{Name: "values", Type: columnar.Array(t)}},
		make: func() Accumulator {
			pile := newPile(t).(*textPile)
			return &joined{list: list{typ: columnar.Array(t), result: columnar.Array(t), pile: pile}, texts: pile, delimiter: delimiter}
		},
	}
	return nil
}

// delimiter moves the constant between the texts, which is of their type, to the settings; NULL is none.
func (c *Call) delimiter(t columnar.Type) ([]byte, error) {
	if len(c.inputs) == 1 {
		c.settings = append(c.settings, compute.Null())
		return nil, nil
	}
	e := c.inputs[1]
	if from := e.Type(); from != t && (from == columnar.Binary || t == columnar.Binary) && from != columnar.Null {
		return nil, &compute.TypeError{Condition: "DATATYPE_MISMATCH.DATA_DIFF_TYPES", Message: fmt.Sprintf("Input to `%s` should all be the same type, but it's %s and %s.", c.name, t, from)}
	}
	cast, err := compute.Parameter(c.name, 1, e, t)
	if err != nil {
		return nil, err
	}
	value, ok := constantOf(cast)
	if !ok {
		return nil, &compute.TypeError{Condition: "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", Message: fmt.Sprintf("The input `delimiter` of %s should be a foldable STRING expression; however, got %s.", c.name, e)}
	}
	c.settings, c.inputs = append(c.settings, e), c.inputs[:1]
	if value.IsNull(0) {
		return nil, nil
	}
	return columnar.BinaryAt(value, 0), nil
}

// joined is listagg: a list whose values are put together in the end.
type joined struct {
	list
	texts     *textPile // the pile of the list
	delimiter []byte
}

func (a *joined) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	items, offsets := a.items(groups)
	w := newWriter(a.typ.Elem())
	var text []byte
	for g := range len(offsets) - 1 {
		if offsets[g] == offsets[g+1] {
			w.writeNull()
			continue
		}
		text = text[:0]
		for at := offsets[g]; at < offsets[g+1]; at++ {
			if at > offsets[g] {
				text = append(text, a.delimiter...)
			}
			text = append(text, a.texts.value(items[at])...)
		}
		w.write(text)
	}
	return w.column(), nil
}
