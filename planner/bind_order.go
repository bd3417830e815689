package planner

import (
	"fmt"
	"strconv"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

// order binds ORDER BY. Names are those of the SELECT list before those of FROM, and numbers are positions in the list.
func (b *binder) order(q *query, out *columns) []SortKey {
	b.clause = "ORDER BY"
	defer func() { b.clause = "" }()
	var keys []SortKey
	for _, item := range q.order {
		e := b.orderExpr(item.expr, out)
		if e == nil {
			continue
		}
		if holdsMap(e.Type()) {
			b.fail(item.expr.place().start, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", fmt.Sprintf("%s is %s, and a MAP has no order", e, e.Type()), "")
			continue
		}
		keys = append(keys, SortKey{Expr: e, Descending: item.descending, NullsLast: item.nullsLast})
	}
	return keys
}

func (b *binder) orderExpr(n node, out *columns) compute.Expr {
	l, ok := n.(*literal)
	if !ok || l.kind != numberLiteral {
		return b.expr(n)
	}
	at, err := strconv.Atoi(l.text)
	switch {
	case err != nil:
		return b.expr(n)
	case at < 1 || at > len(out.exprs):
		b.fail(l.start, "ORDER_BY_POS_OUT_OF_RANGE", fmt.Sprintf("ORDER BY %d: the SELECT list has %d columns", at, len(out.exprs)), "")
		return nil
	}
	return out.exprs[at-1]
}

// ordered puts ORDER BY above a query that is no plain SELECT, whose columns its names are.
func (b *binder) ordered(q *query, n LogicalNode) LogicalNode {
	scope, laterals := b.scope, b.laterals
	defer func() { b.scope, b.laterals = scope, laterals }()
	b.scope, b.laterals = derivedScope("", n, b.marks[n]), nil
	out := &columns{}
	for i, f := range n.Schema().Fields {
		out.add(b.scope.column(i), f.Name, span{}, span{})
	}
	s := &Sort{In: n, Keys: b.order(q, out), at: q.order[0].expr.place().start}
	b.marks[s] = b.marks[n]
	return s
}

// limited puts LIMIT and OFFSET above a query.
func (b *binder) limited(q *query, n LogicalNode) LogicalNode {
	l := &Limit{In: n, N: -1}
	for _, bound := range []struct {
		n  node
		to *int64
	}{{q.limit, &l.N}, {q.offset, &l.Skip}} {
		if bound.n == nil {
			continue
		}
		rows, ok := b.rows(bound.n, n)
		if !ok {
			return nil
		}
		*bound.to, l.at = rows, bound.n.place().start
	}
	b.marks[l] = b.marks[n]
	return l
}

// rows binds the number in LIMIT or OFFSET of a query.
func (b *binder) rows(n node, in LogicalNode) (int64, bool) {
	outer := b.scope
	defer func() { b.scope = outer }()
	b.scope = derivedScope("", in, b.marks[in])
	e := b.expr(n)
	if e == nil {
		return 0, false
	}
	e = compute.Fold(e)
	if len(compute.Columns(e)) > 0 {
		b.fail(n.place().start, "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", fmt.Sprintf("a constant number of rows is expected, not %s", e), "")
		return 0, false
	}
	if !compute.Literal(e) || !e.Type().Integral() {
		b.fail(n.place().start, "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", fmt.Sprintf("a constant number of rows is expected, not %s", e), "")
		return 0, false
	}
	rows, err := strconv.ParseInt(e.String(), 10, 64)
	if err != nil || rows < 0 {
		b.fail(n.place().start, "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", fmt.Sprintf("%s is no number of rows", e), "")
		return 0, false
	}
	return rows, true
}
