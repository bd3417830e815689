package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// binder turns a syntax tree into a logical plan. It collects every fault it meets.
type binder struct {
	text  string
	cat   Catalog
	scope *scope
	errs  Errors
	// variables are the parameters of the lambdas around, innermost last.
	variables []compute.Expr
	// taken are the names of the result's columns so far, folded.
	taken map[string]bool
}

// maxFaults is how many faults of one text are reported.
const maxFaults = 20

func bind(text string, q *query, cat Catalog) (LogicalNode, Errors) {
	b := &binder{text: text, cat: cat}
	n := b.query(q)
	slices.SortStableFunc(b.errs, func(x, y *Error) int { return x.Offset - y.Offset })
	return n, b.errs
}

func (b *binder) fail(offset int, condition, message, hint string) {
	if len(b.errs) == maxFaults {
		return
	}
	b.errs = append(b.errs, newError(b.text, offset, condition, message, hint))
}

// query binds in the order in which the clauses take effect. A construct that is
// refused as a whole ends the binding, so that its parts are not refused once more.
func (b *binder) query(q *query) LogicalNode {
	if b.foreign(q); len(b.errs) > 0 {
		return nil
	}
	if b.unsupported(q); len(b.errs) > 0 {
		return nil
	}
	if b.from(q); b.scope == nil {
		return nil
	}
	var n LogicalNode = b.scope.scan()
	if q.where != nil {
		if pred := b.condition(q); pred != nil {
			n = &Filter{In: n, Pred: pred}
		}
	}
	return b.project(n, q.items)
}

// from resolves the one table of the query.
func (b *binder) from(q *query) {
	if q.from == nil {
		b.fail(q.end, "", "the query has no FROM, and a pipeline reads from a source", "name a source: FROM "+strings.Join(b.cat.names(), " or "))
		return
	}
	written := dotted(q.from.name)
	source, ok := b.cat.find(written)
	if !ok {
		b.fail(q.from.start, "TABLE_OR_VIEW_NOT_FOUND", "unknown source "+written, b.sourceHint(written))
		return
	}
	alias := q.from.name[len(q.from.name)-1].text
	if q.from.alias.text != "" {
		alias = q.from.alias.text
	}
	b.scope = newScope(source, alias, b.cat[source])
}

func (b *binder) sourceHint(written string) string {
	names := b.cat.names()
	if near := closest(written, names); near != "" {
		return didYouMean(near)
	}
	return "the pipeline's sources are " + strings.Join(names, ", ")
}

// condition binds WHERE.
func (b *binder) condition(q *query) compute.Expr {
	before := len(b.errs)
	pred := b.expr(q.where)
	if pred == nil {
		b.hintAliases(b.errs[before:], q.items)
		return nil
	}
	if t := pred.Type(); t != columnar.Boolean && t != columnar.Null {
		b.fail(q.where.place().start, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", fmt.Sprintf("WHERE needs a BOOLEAN, %s is %s", pred, t), "compare it with something")
		return nil
	}
	return b.cast(q.where, pred, columnar.Boolean)
}

// hintAliases says of unknown columns in WHERE that are aliases of the SELECT list why
// they are unknown.
func (b *binder) hintAliases(errs Errors, items []selectItem) {
	for _, e := range errs {
		for _, item := range items {
			if a := item.alias; a.text != "" && strings.EqualFold(e.Message, unknownColumn(a.text)) {
				e.Hint = "WHERE runs before SELECT names its columns: repeat the expression"
			}
		}
	}
}

// cast converts implicitly; the types are known to fit.
func (b *binder) cast(n node, e compute.Expr, to columnar.Type) compute.Expr {
	out, err := compute.Cast(e, to, false)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	return out
}

// project binds the SELECT list.
func (b *binder) project(in LogicalNode, items []selectItem) LogicalNode {
	p := &Project{In: in, Out: &columnar.Schema{}}
	b.taken = make(map[string]bool, len(items))
	for _, item := range items {
		if s, ok := item.expr.(*star); ok {
			b.star(p, s, item.alias)
			continue
		}
		if e := b.expr(item.expr); e != nil {
			b.output(p, item, e)
		}
	}
	return p
}

// output adds a column to p.
func (b *binder) output(p *Project, item selectItem, e compute.Expr) {
	name, place := item.alias.text, item.alias.span
	if name == "" {
		name, place = outputName(item.expr), item.expr.place()
	}
	if e.Type() == columnar.Null {
		b.fail(item.expr.place().start, "", "the column "+name+" has no type", "give NULL a type: CAST(NULL AS STRING)")
		return
	}
	if b.taken[foldName(name)] {
		b.fail(place.start, "COLUMN_ALREADY_EXISTS", "two columns of the result are named "+name, "give one of them another name with AS")
		return
	}
	b.taken[foldName(name)] = true
	p.Exprs = append(p.Exprs, e)
	p.Out.Fields = append(p.Out.Fields, columnar.Field{Name: name, Type: e.Type(), Nullable: e.Nullable()})
}

// star adds the visible columns of the table, those in EXCEPT excluded.
func (b *binder) star(p *Project, s *star, alias ident) {
	if len(s.table) > 0 && !b.scope.named(s.table) {
		b.fail(s.start, "CANNOT_RESOLVE_STAR_EXPAND", "unknown table "+dotted(s.table), "did you mean "+b.scope.alias+".*?")
		return
	}
	if alias.text != "" {
		b.fail(alias.start, "PARSE_SYNTAX_ERROR", "* cannot have an alias", "name the columns one by one")
		return
	}
	skipped := make([]bool, len(b.scope.columns))
	for _, name := range s.except {
		if i := b.scope.schema.Index(name.text); i >= 0 && i < b.scope.visible {
			skipped[i] = true
			continue
		}
		b.unknownColumn([]ident{name})
	}
	for i := range b.scope.visible {
		if !skipped[i] {
			f := b.scope.schema.Fields[i]
			item := selectItem{expr: &name{s.span, []ident{{s.span, f.Name, true}}}}
			b.output(p, item, b.scope.column(i))
		}
	}
}
