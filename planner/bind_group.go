package planner

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// groups is what the SELECT list, HAVING and ORDER BY of a query with groups are made of. They are bound over the columns
// of the input, with call i of an aggregate as the column at position -1-i, and lifted above the Aggregate when all are known.
type groups struct {
	list    []group
	keys    int // how many keys the groups have together
	calls   []*aggregate.Call
	session *Session
	all     bool // there is a GROUP BY
}

// group is an expression of GROUP BY.
type group struct {
	expr compute.Expr
	mark timeMark
	// keys are what the rows are grouped by: expr or, where it is a window, its start, or the start and the end
	// of a session. first is the position of the first one among the keys of all groups.
	keys  []compute.Expr
	first int
}

// add groups by an expression.
func (g *groups) add(e compute.Expr, mark timeMark) {
	for _, known := range g.list {
		if compute.Same(known.expr, e) {
			return
		}
	}
	keys := []compute.Expr{e}
	if mark.window() {
		if keys = []compute.Expr{member(e, "start"), member(e, "end")}; !mark.session {
			keys = keys[:1]
		}
	}
	g.list = append(g.list, group{expr: e, mark: mark, keys: keys, first: g.keys})
	g.keys += len(keys)
}

// above is what an expression of GROUP BY is above the Aggregate, whose keys begin at a position.
func (k *group) above(from int) compute.Expr {
	at := func(i int) compute.Expr { return keyColumn(k.keys[i], from+k.first+i) }
	switch {
	case len(k.keys) == 2:
		return bounds(at(0), at(1), k.keys[0].Type())
	case k.mark.window():
		return windowStruct(at(0), k.mark.size, k.keys[0].Type())
	}
	return at(0)
}

func keyColumn(key compute.Expr, at int) compute.Expr {
	return compute.Column(at, keyName(key), key.Type(), key.Nullable())
}

// keyName is the name of the column of a key in the plan.
func keyName(key compute.Expr) string {
	if _, ok := compute.Position(key); ok {
		return compute.FieldName(key, 0)
	}
	return compute.Fold(key).String()
}

// grouped reports whether the rows of a SELECT are groups.
func (q *query) grouped() bool {
	if q.group != nil || q.having != nil {
		return true
	}
	for _, item := range q.items {
		if hasAggregate(item.expr) {
			return true
		}
	}
	for _, s := range q.order {
		if len(q.unions) == 0 && hasAggregate(s.expr) {
			return true
		}
	}
	return false
}

func hasAggregate(n node) bool {
	if c, ok := n.(*call); ok && isAggregate(c) {
		return true
	}
	for _, c := range children(n) {
		if hasAggregate(c) {
			return true
		}
	}
	return false
}

// group binds GROUP BY; nil if the query has no groups.
func (b *binder) group(q *query) *groups {
	if !q.grouped() {
		return nil
	}
	g := &groups{all: q.group != nil}
	b.clause = "GROUP BY"
	defer func() { b.clause = "" }()
	switch {
	case q.group == nil:
	case q.group.all:
		b.groupByAll(g, q)
	default:
		for _, n := range q.group.keys {
			if n = b.keyNode(q, n); n != nil {
				b.groupBy(g, n)
			}
		}
	}
	return g
}

// groupByAll groups by every item of the SELECT list without an aggregate.
func (b *binder) groupByAll(g *groups, q *query) {
	for _, item := range q.items {
		if s, ok := item.expr.(*star); ok {
			out := &columns{}
			b.star(out, s, ident{})
			for _, e := range out.exprs {
				g.add(e, b.scope.markOf(e))
			}
			continue
		}
		if !hasAggregate(item.expr) {
			b.groupBy(g, item.expr)
		}
	}
}

// keyNode is what a key of GROUP BY means: an item of the SELECT list where it is its position, or its alias and no column.
func (b *binder) keyNode(q *query, n node) node {
	switch key := n.(type) {
	case *literal:
		if at, err := strconv.Atoi(key.text); err == nil && key.kind == numberLiteral {
			return b.keyAt(q, key, at)
		}
	case *name:
		if _, found := b.scope.one(-1, key.parts[0].text); found > 0 || len(key.parts) > 1 {
			return n
		}
		for _, item := range q.items {
			if strings.EqualFold(item.alias.text, key.parts[0].text) {
				return item.expr
			}
		}
	}
	return n
}

func (b *binder) keyAt(q *query, n *literal, at int) node {
	if at < 1 || at > len(q.items) {
		b.fail(n.start, "GROUP_BY_POS_OUT_OF_RANGE", fmt.Sprintf("GROUP BY %d: the SELECT list has %d columns", at, len(q.items)), "")
		return nil
	}
	item := q.items[at-1].expr
	for _, other := range q.items[:at] {
		if _, ok := other.expr.(*star); ok {
			b.fail(n.start, "", "a position in GROUP BY cannot count the columns of *", "name the column")
			return nil
		}
	}
	if hasAggregate(item) {
		b.fail(n.start, "GROUP_BY_POS_AGGREGATE", fmt.Sprintf("GROUP BY %d: %s is an aggregate", at, b.source(item.place())), "")
		return nil
	}
	return item
}

// groupBy adds a key of GROUP BY.
func (b *binder) groupBy(g *groups, n node) {
	e := b.expr(n)
	if e == nil {
		return
	}
	w := b.scope.windows
	switch {
	case w.name == "session_window" && e == w.value:
		g.session = &Session{Time: conversion(w.parts[0], columnar.Timestamp), Gap: w.parts[1], Watermarked: b.scope.markOf(e).event}
	case placeholders(e):
		b.fail(n.place().start, "", "session_window stands alone in GROUP BY", "")
	case e.Type() == columnar.Null:
		b.fail(n.place().start, "", fmt.Sprintf("the key %s has no type", e), "give NULL a type: CAST(NULL AS STRING)")
	case holdsMap(e.Type()):
		b.fail(n.place().start, "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", fmt.Sprintf("%s is %s, and a MAP cannot be a key", e, e.Type()), "group by map_entries(...) or by its values")
	default:
		g.add(e, b.scope.markOf(e))
	}
}

// placeholders reports whether e reads what is only known above the groups.
func placeholders(e compute.Expr) bool {
	read := compute.Columns(e)
	return len(read) > 0 && read[0] < 0
}

func holdsMap(t columnar.Type) bool {
	if t.Kind == columnar.MapKind {
		return true
	}
	for _, part := range t.Parts() {
		if holdsMap(part.Type) {
			return true
		}
	}
	return false
}
