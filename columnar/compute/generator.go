package compute

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// Generator makes any number of rows of one: explode and its like.
type Generator struct {
	List Expr // an ARRAY or MAP, an element a row
	// Position adds the column pos: the number of the element, from 0.
	Position bool
	// Spread makes columns of the fields of the elements, which are STRUCTs.
	Spread bool
	// Outer keeps a row whose list is empty or NULL, with NULL in the new columns.
	Outer bool
	name  string
}

// GeneratorNames lists the generators that NewGenerator knows.
func GeneratorNames() []string {
	return []string{"explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack", "json_tuple"}
}

// NewGenerator binds a generator by its lower-case name.
func NewGenerator(name string, args []Expr) (*Generator, error) {
	plain := strings.TrimSuffix(name, "_outer")
	g := &Generator{name: plain, Outer: plain != name, Position: plain == "posexplode", Spread: plain == "inline"}
	switch plain {
	case "stack":
		return g, g.bindStack(args)
	case "json_tuple":
		return g, g.bindTuple(args)
	}
	if len(args) != 1 {
		return nil, wrongCount(name, "1", len(args))
	}
	g.List = args[0]
	t := args[0].Type()
	switch {
	case plain == "inline" && (t.Kind != columnar.ArrayKind || t.Elem().Kind != columnar.StructKind):
		return nil, unexpectedInput(name, 0, `"ARRAY<STRUCT>"`, args[0])
	case !listed(t):
		return nil, unexpectedInput(name, 0, `("ARRAY" or "MAP")`, args[0])
	}
	return g, nil
}

// bindStack spreads k values over n rows.
func (g *Generator) bindStack(args []Expr) error {
	if len(args) < 2 {
		return wrongCount("stack", "> 1", len(args))
	}
	n, ok := integerLiteral(Fold(args[0]))
	if !ok || n < 1 || n > int64(len(args)) {
		return mismatch("VALUE_OUT_OF_RANGE", "the first parameter of stack must be a constant number of rows, at least 1, however %s was given.", args[0])
	}
	values := args[1:]
	width := (len(values) + int(n) - 1) / int(n)
	rows := make([]Expr, n)
	for r := range rows {
		fields := make([]Expr, 0, 2*width)
		for c := range width {
			value := Null()
			if at := r*width + c; at < len(values) {
				value = values[at]
			}
			fields = append(fields, Text(fmt.Sprintf("col%d", c)), value)
		}
		row, err := bindNamedStruct("named_struct", fields)
		if err != nil {
			return err
		}
		rows[r] = row
	}
	list, err := bindArray("stack", rows)
	g.List, g.Spread = list, true
	return err
}

// bindTuple reads members of a JSON object as strings: one row of columns c0, c1, ...
func (g *Generator) bindTuple(args []Expr) error {
	if len(args) < 2 {
		return wrongCount("json_tuple", "> 1", len(args))
	}
	var fields []Expr
	for i, name := range args[1:] {
		path, err := Call("concat", Text("$['"), name, Text("']"))
		if err != nil {
			return err
		}
		value, err := bindGetJSON("get_json_object", []Expr{args[0], Fold(path)})
		if err != nil {
			return err
		}
		fields = append(fields, Text(fmt.Sprintf("c%d", i)), value)
	}
	row, err := bindNamedStruct("named_struct", fields)
	if err != nil {
		return err
	}
	g.Spread = true
	g.List, err = bindArray("json_tuple", []Expr{row})
	return err
}

// Fields are the columns that the generator adds, with the names that they have without
// an alias.
func (g *Generator) Fields() []columnar.Field {
	var fields []columnar.Field
	if g.Position {
		fields = append(fields, columnar.Field{Name: "pos", Type: columnar.Int})
	}
	t := g.List.Type()
	switch {
	case g.Spread:
		return append(fields, t.Elem().Parts()...)
	case t.Kind == columnar.MapKind:
		return append(fields, t.Parts()...)
	}
	return append(fields, columnar.Field{Name: "col", Type: t.Elem()})
}

// String prints the generator as SQL.
func (g *Generator) String() string {
	text := g.name + "(" + g.List.String() + ")"
	if g.Outer {
		text += " OUTER"
	}
	return text
}

// With returns the generator over another list of the same type.
func (g *Generator) With(list Expr) *Generator {
	same := *g
	same.List = list
	return &same
}

// Generate makes the new columns for the selected rows of b, and for each row of them
// the row of b that it belongs to, ascending. The caller releases the columns. Rows whose
// list fails are listed by Errors and make no rows.
func (ev *Evaluator) Generate(g *Generator, b *columnar.Batch, sel columnar.Selection) (parents []int32, cols []columnar.Column, err error) {
	rows := ev.begin(b, sel)
	defer ev.end()
	if err := ev.checkAll(g.List); err != nil {
		return nil, nil, err
	}
	known := len(ev.errors)
	list := g.List.eval(ev, rows)
	if ev.fault != nil {
		return nil, nil, ev.fault
	}
	rows = ev.dropFailed(rows, ev.errors[known:])
	at := ev.spans(list, rows, g.Outer)
	if ev.fault != nil {
		return nil, nil, ev.fault
	}
	parents = append([]int32{}, at.parents...)
	ev.within(len(parents), parents, nil, func(all []int32) { cols, err = ev.generated(g, list, at, all) })
	return parents, cols, err
}

// spans is where the rows of a generator come from.
type spans struct {
	parents  []int32
	elements []int32 // position among the kids, -1 for the row of an empty list
	numbers  []int32 // position in the list
}

func (ev *Evaluator) spans(list *vector, rows []int32, outer bool) spans {
	var s spans
	for _, i := range rows {
		if len(s.parents) > ev.mostElements {
			ev.fault = ErrTooLarge
			return spans{}
		}
		from, until := int32(0), int32(0)
		if !list.isNull(i) {
			from, until = list.rangeAt(i)
		}
		for k := from; k < until; k++ {
			s.parents, s.elements, s.numbers = append(s.parents, i), append(s.elements, k), append(s.numbers, k-from)
		}
		if outer && from == until {
			s.parents, s.elements, s.numbers = append(s.parents, i), append(s.elements, -1), append(s.numbers, -1)
		}
	}
	return s
}

// generated makes the columns in a scope that has a row for each element.
func (ev *Evaluator) generated(g *Generator, list *vector, at spans, all []int32) (cols []columnar.Column, err error) {
	var parts []*vector
	if g.Position {
		parts = append(parts, ev.numbered(at.numbers))
	}
	for _, kid := range list.kids {
		v := ev.elements(kid, at.elements, all)
		if !g.Spread {
			parts = append(parts, v)
			continue
		}
		for k := range v.kids {
			parts = append(parts, ev.member(v, k))
		}
	}
	for _, v := range parts {
		c, fault := ev.column(v, all)
		if fault != nil {
			release(cols)
			return nil, fault
		}
		cols = append(cols, c)
	}
	return cols, nil
}

func (ev *Evaluator) numbered(numbers []int32) *vector {
	v := ev.vector(columnar.Int)
	out := slice[int32](v)
	for i, n := range numbers {
		if out[i] = n; n < 0 {
			ev.setNull(v, int32(i))
		}
	}
	return v
}
