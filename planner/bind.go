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
	// laterals are the columns of the SELECT list so far that later ones may name.
	laterals *columns
	// named are the queries of WITH that are in reach, innermost last.
	named []cte
	bound int // how many queries were bound
	mode  OutputMode
	spark bool // Options.Spark
	// groups are those of the SELECT that is bound, nil if its rows are no groups; clause is where the expression
	// stands that is bound, "" in the SELECT list.
	groups *groups
	clause string
	// marks are those of the columns of each query that was bound.
	marks map[LogicalNode][]timeMark
}

// maxFaults is how many faults of one text are reported.
const maxFaults = 20

// maxQueries bounds the queries that are bound, each reference to a named one counted.
const maxQueries = 256

func bind(text string, q *query, cat Catalog, opts Options) (LogicalNode, Errors) {
	b := &binder{text: text, cat: cat, mode: opts.Mode, spark: opts.Spark, marks: map[LogicalNode][]timeMark{}}
	n := b.whole(q)
	if len(b.errs) == 0 {
		b.checkMode(n)
	}
	slices.SortStableFunc(b.errs, func(x, y *Error) int { return x.Offset - y.Offset })
	return n, b.errs
}

func (b *binder) fail(offset int, condition, message, hint string) {
	if len(b.errs) == maxFaults {
		return
	}
	b.errs = append(b.errs, newError(b.text, offset, condition, message, hint))
}

// whole binds the query of the pipeline. A construct that is refused as a whole ends the
// binding, so that its parts are not refused once more.
func (b *binder) whole(q *query) LogicalNode {
	if b.foreign(q); len(b.errs) > 0 {
		return nil
	}
	if b.unsupported(q); len(b.errs) > 0 {
		return nil
	}
	return b.query(q)
}

// query binds a query, those that UNION adds to it and what is about all of them; nil after a fault.
func (b *binder) query(q *query) LogicalNode {
	if b.bound++; b.bound > maxQueries {
		if b.bound == maxQueries+1 {
			b.fail(q.start, "", fmt.Sprintf("the query is too large: with each reference to a named query it has more than %d SELECTs", maxQueries), "")
		}
		return nil
	}
	outer := len(b.named)
	b.named = append(b.named, q.with...)
	defer func() { b.named = b.named[:outer] }()
	n := b.united(q)
	if n != nil && len(q.order) > 0 && !q.plain() {
		n = b.ordered(q, n)
	}
	if n != nil && (q.limit != nil || q.offset != nil) {
		n = b.limited(q, n)
	}
	return n
}

// plain reports whether a query is one SELECT, whose ORDER BY may name the columns of its FROM.
func (q *query) plain() bool { return q.inner == nil && len(q.unions) == 0 && !q.distinct }

// united binds the SELECTs between UNIONs.
func (b *binder) united(q *query) LogicalNode {
	list := []LogicalNode{b.operand(q)}
	for _, u := range q.unions {
		list = append(list, b.query(u.query))
	}
	if slices.Contains(list, nil) {
		return nil
	}
	n := list[0]
	for i := 0; i < len(q.unions); {
		first := i
		for i < len(q.unions) && !q.unions[i].distinct {
			i++
		}
		distinct := i < len(q.unions)
		if distinct {
			i++
		}
		n = b.union(q.unions[first:i], append([]LogicalNode{n}, list[first+1:i+1]...))
		if n != nil && distinct {
			n = b.distinct(n, q.unions[i-1].query.start)
		}
		if n == nil {
			return nil
		}
	}
	return n
}

// operand binds what stands before the first UNION.
func (b *binder) operand(q *query) LogicalNode {
	if q.inner != nil {
		return b.query(q.inner)
	}
	scope, laterals, variables, groups, clause := b.scope, b.laterals, b.variables, b.groups, b.clause
	defer func() {
		b.scope, b.laterals, b.variables, b.groups, b.clause = scope, laterals, variables, groups, clause
	}()
	b.scope, b.laterals, b.variables, b.groups, b.clause = b.from(q), nil, nil, nil, ""
	if b.scope == nil {
		return nil
	}
	for _, v := range q.views {
		if b.view(v); len(b.errs) > 0 {
			return nil // its columns are unknown
		}
	}
	if q.where != nil {
		if pred := b.condition(q, "WHERE", q.where); pred != nil {
			b.scope.node = &Filter{In: b.scope.node, Pred: pred}
		}
	}
	n := b.selected(q)
	if q.distinct {
		return b.distinct(n, q.start)
	}
	return n
}

// from resolves the table of a query; nil after a fault.
func (b *binder) from(q *query) *scope {
	t := q.from
	if t == nil {
		b.fail(q.end, "", "the query has no FROM, and a pipeline reads from a source", "name a source: FROM "+strings.Join(b.cat.names(), " or "))
		return nil
	}
	if t.query != nil {
		return b.derived(t, t.query, t.alias.text)
	}
	written := dotted(t.name)
	alias := t.name[len(t.name)-1].text
	if t.alias.text != "" {
		alias = t.alias.text
	}
	if at := b.namedQuery(t.name); at >= 0 {
		c := b.named[at]
		defer func(all []cte) { b.named = all }(b.named)
		b.named = b.named[:at] // it may refer to those before it
		return b.rename(b.derived(t, c.query, alias), t.columns, c.columns)
	}
	source, ok := b.cat.find(written)
	if !ok {
		b.fail(t.start, "TABLE_OR_VIEW_NOT_FOUND", "unknown source "+written, b.sourceHint(written))
		return nil
	}
	if !b.checkSource(t, source, b.cat[source]) {
		return nil
	}
	return b.rename(sourceScope(source, alias, b.cat[source]), t.columns)
}

// derived is the scope of a query in FROM.
func (b *binder) derived(t *tableRef, q *query, alias string) *scope {
	n := b.query(q)
	if n == nil {
		return nil
	}
	return b.rename(derivedScope(alias, n, b.marks[n]), t.columns)
}

// namedQuery is the position of the innermost query of WITH with a name, or -1.
func (b *binder) namedQuery(name []ident) int {
	if len(name) != 1 {
		return -1
	}
	for i := len(b.named) - 1; i >= 0; i-- {
		if strings.EqualFold(b.named[i].name.text, name[0].text) {
			return i
		}
	}
	return -1
}

// rename gives the visible columns of a scope the names of the first list that has any.
func (b *binder) rename(s *scope, lists ...[]ident) *scope {
	for _, names := range lists {
		if s == nil || len(names) == 0 {
			continue
		}
		if visible := s.visible(); len(visible) != len(names) {
			b.fail(names[0].start, "ASSIGNMENT_ARITY_MISMATCH", fmt.Sprintf("%d names for %d columns", len(names), len(visible)), "name "+strings.Join(visible, ", "))
			return nil
		}
		fields := slices.Clone(s.schema.Fields)
		for i, name := range names {
			fields[i].Name = name.text // visible columns come first
		}
		s.schema = &columnar.Schema{Fields: fields}
		return s
	}
	return s
}

func (b *binder) sourceHint(written string) string {
	names := b.cat.names()
	for _, c := range b.named {
		names = append(names, c.name.text)
	}
	if near := closest(written, names); near != "" {
		return didYouMean(near)
	}
	return "the pipeline's sources are " + strings.Join(b.cat.names(), ", ")
}

// condition binds WHERE or HAVING.
func (b *binder) condition(q *query, clause string, n node) compute.Expr {
	before := len(b.errs)
	b.clause = clause
	pred := b.expr(n)
	b.clause = ""
	if pred == nil {
		if clause == "WHERE" {
			b.hintAliases(b.errs[before:], q.items)
		}
		return nil
	}
	if t := pred.Type(); t != columnar.Boolean && t != columnar.Null {
		b.fail(n.place().start, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", fmt.Sprintf("%s needs a BOOLEAN, %s is %s", clause, pred, t), "compare it with something")
		return nil
	}
	return b.cast(n, pred, columnar.Boolean)
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
