package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// columns are those of a SELECT list.
type columns struct {
	exprs  []compute.Expr
	fields []columnar.Field
	places []span // of the names
	values []span // of the expressions
}

func (c *columns) add(e compute.Expr, name string, place, value span) {
	c.exprs = append(c.exprs, e)
	c.fields = append(c.fields, columnar.Field{Name: name, Type: e.Type(), Nullable: e.Nullable()})
	c.places, c.values = append(c.places, place), append(c.values, value)
}

// lateral finds the column that a name of the SELECT list refers to: one to the left
// that has it as its alias.
func (b *binder) lateral(name string) (e compute.Expr, found int) {
	if b.laterals == nil {
		return nil, 0
	}
	for i, f := range b.laterals.fields {
		if strings.EqualFold(f.Name, name) {
			e = b.laterals.exprs[i]
			found++
		}
	}
	return e, found
}

// maxNodes bounds the size of an expression after aliases and subqueries were put in.
const maxNodes = 1 << 15

// selected binds a SELECT: its groups, its list, HAVING and ORDER BY.
func (b *binder) selected(q *query) LogicalNode {
	before := len(b.errs)
	g := b.group(q)
	b.groups = g
	out := b.list(q.items)
	var having compute.Expr
	if q.having != nil {
		having = b.condition(q, "HAVING", q.having)
	}
	var order []SortKey
	if q.plain() {
		order = b.order(q, out)
	}
	marks, node := b.scope.markAll(out.exprs), b.scope.node
	if g != nil && len(b.errs) == before {
		node = b.raise(q, g, out, &having, order)
	}
	if len(b.errs) > before {
		return nil
	}
	node = filterIf(having, node)
	if len(order) > 0 {
		node = &Sort{In: node, Keys: order, at: q.order[0].expr.place().start}
	}
	p := &Project{In: node, Exprs: out.exprs, Out: columnar.NewSchema(out.fields...)}
	b.marks[p] = marks
	return p
}

// raise makes what was bound over the rows of the groups read the groups.
func (b *binder) raise(q *query, g *groups, out *columns, having *compute.Expr, order []SortKey) LogicalNode {
	at := q.start
	if q.group != nil {
		at = q.group.start
	}
	a := b.aggregate(g, b.scope.node, at)
	for i, e := range out.exprs {
		if i > 0 && out.exprs[i-1] == nil && out.values[i] == out.values[i-1] {
			continue // another column of the same *
		}
		if out.exprs[i] = b.lift(g, e, out.values[i], true); out.exprs[i] != nil {
			out.fields[i].Nullable = out.exprs[i].Nullable()
		}
	}
	if *having != nil {
		*having = b.lift(g, *having, q.having.place(), false)
	}
	for i := range order {
		order[i].Expr = b.lift(g, order[i].Expr, q.order[i].expr.place(), false)
	}
	return a
}

// list binds the SELECT list.
func (b *binder) list(items []selectItem) *columns {
	out := &columns{}
	b.laterals = out
	generator := false
	for _, item := range items {
		switch e := item.expr.(type) {
		case *star:
			b.star(out, e, item.alias)
			continue
		case *call:
			if generators[strings.ToLower(e.name.text)] {
				b.onlyGenerator(e, generator)
				generator = true
				b.generated(out, item, e)
				continue
			}
		}
		if e := b.expr(item.expr); e != nil {
			b.output(out, item, e)
		}
	}
	b.checkColumns(out)
	return out
}

// onlyGenerator refuses a second generator, and one whose rows would be groups.
func (b *binder) onlyGenerator(c *call, another bool) {
	if another {
		b.fail(c.start, "UNSUPPORTED_GENERATOR.MULTI_GENERATOR", "only one generator is allowed in a SELECT list", "use LATERAL VIEW for the others")
	}
	if b.groups != nil {
		b.fail(c.start, "", "the generator "+c.name.text+" cannot stand in the SELECT list of groups", "group in a subquery, or use LATERAL VIEW for its rows to be grouped")
	}
}

// output adds a column.
func (b *binder) output(out *columns, item selectItem, e compute.Expr) {
	name, place := item.alias.text, item.alias.span
	if name == "" {
		name, place = outputName(item.expr), item.expr.place()
	}
	if len(item.aliases) > 0 {
		b.fail(item.aliases[0].start, "PARSE_SYNTAX_ERROR", "several names for one column", "only generators such as explode have several")
		return
	}
	if compute.Size(e) > maxNodes {
		b.fail(item.expr.place().start, "", "the expression is too large", "an alias stands for its whole expression wherever it is named")
		return
	}
	out.add(e, name, place, item.expr.place())
}

// checkColumns refuses columns that no table can have.
func (b *binder) checkColumns(out *columns) {
	taken := map[string]bool{}
	for i, f := range out.fields {
		switch {
		case f.Type == columnar.Null:
			b.fail(out.values[i].start, "", "the column "+f.Name+" has no type", "give NULL a type: CAST(NULL AS STRING)")
		case holdsVoid(f.Type):
			b.fail(out.values[i].start, "", "a part of the column "+f.Name+" "+f.Type.String()+" has no type", "cast it: CAST(array() AS ARRAY<INT>)")
		case taken[foldName(f.Name)]:
			b.fail(out.places[i].start, "COLUMN_ALREADY_EXISTS", "two columns of the result are named "+f.Name, "give one of them another name with AS")
		}
		taken[foldName(f.Name)] = true
	}
}

// holdsVoid reports whether a part of a type is that of a bare NULL.
func holdsVoid(t columnar.Type) bool {
	for _, part := range t.Parts() {
		if part.Type == columnar.Null || holdsVoid(part.Type) {
			return true
		}
	}
	return false
}

// star adds the visible columns of all relations or of one, those in EXCEPT excluded.
func (b *binder) star(out *columns, s *star, alias ident) {
	relation := -1
	if len(s.table) > 0 {
		if relation = b.scope.relation(s.table); relation < 0 {
			b.structStar(out, s)
			return
		}
	}
	if alias.text != "" {
		b.fail(alias.start, "PARSE_SYNTAX_ERROR", "* cannot have an alias", "name the columns one by one")
		return
	}
	skipped := make([]bool, len(b.scope.columns))
	for _, name := range s.except {
		if i, n := b.scope.one(relation, name.text); n > 0 && !b.scope.columns[i].hidden {
			skipped[i] = true
			continue
		}
		b.unknownColumn([]ident{name})
	}
	for i, c := range b.scope.columns {
		if !skipped[i] && !c.hidden && (relation < 0 || c.relation == relation) {
			out.add(b.scope.column(i), b.scope.schema.Fields[i].Name, s.span, s.span)
		}
	}
}

// structStar adds the fields of a STRUCT: s.*.
func (b *binder) structStar(out *columns, s *star) {
	var e compute.Expr
	if _, _, found := b.scope.resolve(s.table); found > 0 {
		e = b.name(&name{s.span, s.table})
	}
	if e == nil || e.Type().Kind != columnar.StructKind {
		b.fail(s.start, "CANNOT_RESOLVE_STAR_EXPAND", "unknown table "+dotted(s.table), "did you mean "+b.scope.relations[0]+".*?")
		return
	}
	for _, f := range e.Type().Parts() {
		field, err := compute.Field(e, f.Name)
		if err != nil {
			b.exprError(s, err)
			return
		}
		out.add(field, f.Name, s.span, s.span)
	}
}

// union makes the columns of all queries those of the first, of types that fit all.
func (b *binder) union(more []union, list []LogicalNode) LogicalNode {
	first := list[0].Schema()
	fields := append([]columnar.Field{}, first.Fields...)
	for k, n := range list[1:] {
		at := more[k].query.start
		if n.Schema().Len() != first.Len() {
			b.fail(at, "NUM_COLUMNS_MISMATCH", fmt.Sprintf("UNION needs queries of the same number of columns, got %d and %d", first.Len(), n.Schema().Len()), "")
			return nil
		}
		for i, f := range n.Schema().Fields {
			t, ok := compute.WiderType(fields[i].Type, f.Type)
			if !ok {
				b.fail(at, "INCOMPATIBLE_COLUMN_TYPE", fmt.Sprintf("UNION: column %d is %s and %s", i+1, fields[i].Type, f.Type), "cast one of them")
				return nil
			}
			fields[i].Type, fields[i].Nullable = t, fields[i].Nullable || f.Nullable
		}
	}
	out := columnar.NewSchema(fields...)
	u := &Union{Out: out}
	for _, n := range list {
		u.In = append(u.In, b.conform(n, out))
	}
	b.marks[u] = b.marks[list[0]]
	return u
}

// conform casts and renames the columns of a query to a schema, whose types are wider.
func (b *binder) conform(n LogicalNode, out *columnar.Schema) LogicalNode {
	p := &Project{In: n, Out: out}
	for i, f := range n.Schema().Fields {
		p.Exprs = append(p.Exprs, conversion(compute.Column(i, f.Name, f.Type, f.Nullable), out.Fields[i].Type))
	}
	return p
}
