package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// generated binds a generator in the SELECT list: its rows multiply those of FROM.
func (b *binder) generated(out *columns, item selectItem, c *call) {
	names := item.aliases
	if item.alias.text != "" {
		names = []ident{item.alias}
	}
	from, ok := b.generate(c, false, names)
	if !ok {
		return
	}
	for i := from; i < len(b.scope.columns); i++ {
		b.scope.columns[i].hidden = true // the SELECT list names them already
		out.add(b.scope.column(i), b.scope.schema.Fields[i].Name, c.span, c.span)
	}
}

// view binds LATERAL VIEW.
func (b *binder) view(v lateralView) {
	c, ok := v.call.(*call)
	if !ok || !generators[strings.ToLower(c.name.text)] {
		b.fail(v.call.place().start, "UNSUPPORTED_GENERATOR.NOT_GENERATOR", "LATERAL VIEW needs a generator", "such as explode(a)")
		return
	}
	b.scope.relations = append(b.scope.relations, v.table.text)
	b.generate(c, v.outer, v.columns)
}

// generate puts a Generate on top of the scope's plan and its columns into the scope; it
// returns the position of the first.
func (b *binder) generate(c *call, outer bool, names []ident) (from int, ok bool) {
	args, ok := b.exprs(c.args)
	if !ok {
		return 0, false
	}
	function := strings.ToLower(c.name.text)
	g, err := compute.NewGenerator(function, args)
	if err != nil {
		b.exprError(c, err)
		return 0, false
	}
	fields := g.Fields()
	if len(names) > 0 {
		if len(names) != len(fields) {
			b.fail(names[0].start, "UDTF_ALIAS_NUMBER_MISMATCH", fmt.Sprintf("%s has %d columns, not %d", function, len(fields), len(names)), "")
			return 0, false
		}
		for i, name := range names {
			fields[i].Name = name.text
		}
	}
	g.Outer = g.Outer || outer
	node := &Generate{In: b.scope.node, Generator: g, Out: &columnar.Schema{}}
	for i, f := range b.scope.schema.Fields {
		node.Keep = append(node.Keep, i)
		node.Out.Fields = append(node.Out.Fields, f)
	}
	from = len(b.scope.columns)
	b.scope.schema = columnar.NewSchema(b.scope.schema.Fields...)
	for _, f := range fields {
		f.Nullable = true
		node.Out.Fields = append(node.Out.Fields, f)
		b.scope.add(f, len(b.scope.relations)-1, false)
	}
	if watermarkBelow(node) != nil {
		node.In = filterIf(fruitful(g), node.In)
	}
	b.scope.node = node
	return from, true
}

// fruitful is the condition that a generator makes rows of a row, nil if it is always true or not simply told: only of a column, as in
// Spark. It moves below a watermark, which the other rows then do not move.
func fruitful(g *compute.Generator) compute.Expr {
	if _, column := compute.Position(g.List); !column || g.Outer {
		return nil
	}
	size, err := compute.Call("size", g.List)
	if err != nil {
		panic(err) // generators take an ARRAY or a MAP
	}
	some, err := compute.Call(">", size, compute.Integer(0, columnar.Int))
	if err != nil {
		panic(err)
	}
	return some
}
