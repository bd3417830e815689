package planner

import "strings"

// groupClauses reads GROUP BY, HAVING and QUALIFY.
func (p *parser) groupClauses(q *query) {
	if start := p.peek().start; p.accept("GROUP") {
		p.expect("BY")
		p.groupKeys(q, start)
	}
	if p.accept("HAVING") {
		q.having = p.expr(lowest)
	}
	if start := p.peek().start; p.accept("QUALIFY") {
		nodes := []node{p.expr(lowest)}
		q.extras = append(q.extras, extra{p.from(start), "QUALIFY", nodes})
	}
}

// groupKeys reads what follows GROUP BY. GROUPING SETS in any of its forms becomes an extra.
func (p *parser) groupKeys(q *query, start int) {
	q.group = &groupBy{}
	if p.at("ALL") && !p.ahead(1).is(",") && !p.ahead(1).is(".") {
		p.next()
		q.group.all = true
		q.group.span = p.from(start)
		return
	}
	sets := false
	for more := true; more; more = p.accept(",") {
		if p.accept("GROUPING", "SETS") {
			p.parenthesized()
			sets = true
			continue
		}
		key := p.expr(lowest)
		c, ok := key.(*call)
		sets = sets || ok && (strings.EqualFold(c.name.text, "rollup") || strings.EqualFold(c.name.text, "cube"))
		q.group.keys = append(q.group.keys, key)
	}
	if p.accept("WITH", "ROLLUP") || p.accept("WITH", "CUBE") {
		sets = true
	}
	if p.accept("GROUPING", "SETS") {
		p.parenthesized()
		sets = true
	}
	q.group.span = p.from(start)
	if sets {
		q.extras = append(q.extras, extra{span: q.group.span, keyword: "GROUPING SETS"})
	}
}

// ordering reads ORDER BY and its relatives, LIMIT and OFFSET.
func (p *parser) ordering(q *query) {
	for _, first := range []string{"ORDER", "SORT", "CLUSTER", "DISTRIBUTE"} {
		start := p.peek().start
		if !p.accept(first) {
			continue
		}
		p.expect("BY")
		list := p.sortList()
		if first == "ORDER" {
			q.order = list
		} else {
			q.extras = append(q.extras, extra{span: p.from(start), keyword: first + " BY"})
		}
	}
	if p.accept("LIMIT") && !p.accept("ALL") {
		q.limit = p.expr(lowest)
	}
	if p.accept("OFFSET") {
		q.offset = p.expr(lowest)
	}
}

// sortList reads expressions with their directions. As in Spark, NULL is the smallest value.
func (p *parser) sortList() (out []sortItem) {
	for more := true; more; more = p.accept(",") {
		item := sortItem{expr: p.expr(lowest)}
		if !p.accept("ASC") {
			item.descending = p.accept("DESC")
		}
		item.nullsLast = item.descending
		if p.accept("NULLS") {
			if item.nullsLast = p.accept("LAST"); !item.nullsLast {
				p.expect("FIRST")
			}
		}
		out = append(out, item)
	}
	return out
}
