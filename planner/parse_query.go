package planner

import (
	"fmt"
	"strings"
)

// parseQuery reads one statement, which has to be a query.
func parseQuery(text string) (*query, *Error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	q := p.statement()
	if p.err == nil {
		p.checkHeight(q)
	}
	return q, p.err
}

func (p *parser) checkHeight(q *query) {
	for _, inner := range q.queries() {
		p.checkHeight(inner)
	}
	for _, e := range q.expressions() {
		p.checkExpression(e)
	}
}

func (p *parser) checkExpression(e node) {
	switch nodes, bound := extent(e); {
	case height(e) > maxHeight:
		p.fail(e.place().start, "", fmt.Sprintf("the expression nests deeper than %d operators", maxHeight), "IN (...) is shorter than a chain of OR")
	case bound-nodes > maxRepeated:
		p.fail(e.place().start, "", "the expression is too large: each nested BETWEEN, NULLIF and CASE x WHEN repeats its first operand", "use CASE WHEN with conditions")
	}
}

func (p *parser) statement() *query {
	first := p.peek()
	switch {
	case first.kind == endToken:
		p.fail(first.start, "PARSE_EMPTY_STATEMENT", "the query is empty", "write a SELECT")
	case first.is("FROM"), first.is("TABLE"), first.is("VALUES"):
		p.fail(first.start, "PARSE_SYNTAX_ERROR", "a query begins with SELECT or WITH, not with "+strings.ToUpper(first.text), otherForms[strings.ToUpper(first.text)])
	case first.kind == wordToken && otherStatements[strings.ToLower(first.text)]:
		p.otherStatement(first)
	}
	q := p.query()
	p.accept(";")
	if t := p.peek(); t.kind != endToken {
		if t.is("SELECT") || t.is("INSERT") || t.is("CREATE") {
			p.fail(t.start, "", "a pipeline has one query, a second statement follows", "make it a pipeline file of its own")
		}
		p.unexpected("end of statement")
	}
	return q
}

// otherForms are ways to write what SELECT and WHERE can say.
var otherForms = map[string]string{
	"FROM": "write SELECT ... FROM ...", "TABLE": "write SELECT * FROM ...", "VALUES": "a pipeline reads from a source: constants can stand in the SELECT list",
	"|>":    "write the steps as SELECT ... FROM (SELECT ...)",
	"PIVOT": "write one CASE WHEN for each column", "UNPIVOT": "write LATERAL VIEW stack(n, ...)",
	"TABLESAMPLE": "write WHERE pmod(xxhash64(_partition, _offset), 100) < 10 for a tenth",
	"COLLATE":     "compare lower(a) with lower(b)",
}

// otherStatement refuses what is not a query and says where the pipeline file has it.
func (p *parser) otherStatement(first token) {
	verb := strings.ToUpper(first.text)
	hint := "write only a SELECT"
	switch verb {
	case "INSERT", "MERGE", "UPDATE", "DELETE":
		hint = "write only the SELECT and name the target table under `sink:` in the pipeline file"
	case "CREATE":
		hint = "describe an input under `sources:` and the output under `sink:` in the pipeline file; write only the SELECT here"
	}
	p.fail(first.start, "", verb+" is not a query, and a pipeline runs one query", hint)
}

// query reads WITH, a SELECT, the set operations between SELECTs, and what may follow.
func (p *parser) query() *query {
	defer p.leave()
	if !p.enter() {
		return &query{}
	}
	start := p.peek().start
	with := p.with()
	q := p.querySpecification()
	if q.inner == nil || len(with) > 0 || p.atAnyOf("UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET") {
		q.with = with
	} else {
		q = q.inner // the parentheses alone mean nothing
	}
	for p.atAnyOf("UNION", "EXCEPT", "INTERSECT", "MINUS") {
		p.setOperation(q)
	}
	p.ordering(q)
	q.span = p.from(start)
	return q
}

func (p *parser) atAnyOf(words ...string) bool {
	for _, w := range words {
		if p.at(w) {
			return true
		}
	}
	return false
}

// with reads the named queries before a SELECT.
func (p *parser) with() (list []cte) {
	if !p.accept("WITH") {
		return nil
	}
	if t := p.peek(); t.is("RECURSIVE") && p.isWordAhead(1) {
		p.fail(t.start, "", "WITH RECURSIVE is not supported on a stream", "a named query may refer to those before it")
	}
	for more := true; more; more = p.accept(",") {
		c := cte{name: p.ident("a name"), columns: p.columnNames()}
		p.accept("AS")
		p.expect("(")
		c.query = p.query()
		p.expect(")")
		list = append(list, c)
	}
	return list
}

// columnNames reads (a, b), if it comes.
func (p *parser) columnNames() (names []ident) {
	if !p.accept("(") {
		return nil
	}
	for more := true; more; more = p.accept(",") {
		names = append(names, p.ident("a column name"))
	}
	p.expect(")")
	return names
}

// setOperation reads UNION [ALL] and another query; the other operations become extras.
func (p *parser) setOperation(q *query) {
	op := p.next()
	keyword := strings.ToUpper(op.text)
	all := p.accept("ALL")
	if !all {
		p.accept("DISTINCT")
	}
	other := p.querySpecification()
	if keyword == "UNION" {
		q.unions = append(q.unions, union{other, !all})
		return
	}
	if all {
		keyword += " ALL"
	}
	q.extras = append(q.extras, extra{span: p.from(op.start), keyword: keyword})
}

// querySpecification reads one SELECT or a query in parentheses.
func (p *parser) querySpecification() *query {
	if p.at("(") {
		start := p.next().start
		q := &query{inner: p.query()}
		p.expect(")")
		q.span = p.from(start)
		return q
	}
	q := &query{}
	defer func(start int) { q.span = p.from(start) }(p.peek().start)
	p.expect("SELECT")
	if q.distinct = p.accept("DISTINCT"); !q.distinct {
		p.accept("ALL")
	}
	p.selectList(q)
	if p.accept("FROM") {
		p.fromClause(q)
	}
	if p.accept("WHERE") {
		q.where = p.expr(lowest)
	}
	p.groupClauses(q)
	return q
}

func (p *parser) selectList(q *query) {
	for more := true; more; more = p.accept(",") {
		if len(q.items) > 0 && p.at("FROM") {
			comma := p.tokens[p.pos-1]
			p.fail(comma.start, "PARSE_SYNTAX_ERROR", "unexpected comma before FROM", "remove it or name another column")
			return
		}
		item := selectItem{expr: p.expr(lowest)}
		if p.at("AS", "(") {
			p.next()
			item.aliases = p.columnNames()
		} else {
			item.alias = p.alias()
		}
		q.items = append(q.items, item)
	}
}

// alias reads [AS] name, if one comes.
func (p *parser) alias() ident {
	if p.accept("AS") {
		return p.ident("a name after AS")
	}
	t := p.peek()
	if !p.atName(0) || t.kind == wordToken && afterTable[strings.ToLower(t.text)] {
		return ident{}
	}
	p.slip = &t
	return p.anyWord()
}

func (p *parser) exprList() []node {
	var out []node
	for more := true; more; more = p.accept(",") {
		out = append(out, p.expr(lowest))
	}
	return out
}
