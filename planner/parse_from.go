package planner

import (
	"sort"
	"strings"
)

// fromClause reads the tables of a FROM: the first becomes q.from, joins and lateral
// views become extras.
func (p *parser) fromClause(q *query) {
	q.from = p.table()
	for p.err == nil {
		start := p.peek().start
		switch {
		case p.at("LATERAL", "VIEW"):
			q.views = append(q.views, p.lateralView())
		case p.accept(","):
			p.accept("LATERAL")
			p.table()
			q.extras = append(q.extras, extra{span: p.from(start), keyword: "JOIN"})
		case p.atJoin():
			nodes := p.join()
			q.extras = append(q.extras, extra{p.from(start), "JOIN", nodes})
		default:
			return
		}
	}
}

func (p *parser) atJoin() bool {
	return p.atAnyOf("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI")
}

func (p *parser) join() []node {
	for p.atAnyOf("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI", "OUTER") {
		p.next()
	}
	p.expect("JOIN")
	p.accept("LATERAL")
	p.table()
	switch {
	case p.accept("ON"):
		return []node{p.expr(lowest)}
	case p.accept("USING"):
		p.parenthesized()
	}
	return nil
}

// lateralView reads LATERAL VIEW [OUTER] call [table] [AS columns].
func (p *parser) lateralView() lateralView {
	start := p.peek().start
	p.accept("LATERAL", "VIEW")
	v := lateralView{outer: p.accept("OUTER"), call: p.expr(lowest)}
	if p.atName(0) && !p.at("AS") && !afterTable[strings.ToLower(p.peek().text)] {
		v.table = p.anyWord()
	}
	if p.accept("AS") {
		for more := true; more; more = p.accept(",") {
			v.columns = append(v.columns, p.ident("a name"))
		}
	}
	v.span = p.from(start)
	return v
}

func (p *parser) table() *tableRef {
	start := p.peek().start
	t := &tableRef{}
	switch {
	case p.at("("):
		p.next()
		t.query = p.query()
		p.expect(")")
	case p.accept("TABLE", "("):
		t.call = p.tableCall()
		p.expect(")")
	case p.atName(0) && p.ahead(1).is("("):
		t.call = p.tableCall()
	default:
		t.name = p.qualified("a table name")
	}
	t.span = p.from(start)
	if t.alias = p.alias(); t.alias.text != "" {
		t.columns = p.columnNames()
	}
	return t
}

// tableCall reads a table function: an argument may also be TABLE name [PARTITION BY ...].
func (p *parser) tableCall() *call {
	start := p.peek().start
	c := &call{name: p.ident("a table function")}
	var ranks []int
	p.expect("(")
	for more := !p.at(")"); more; more = p.accept(",") {
		rank := len(ranks)
		if p.isWordAhead(0) && p.ahead(1).is("=>") {
			rank = argumentRank[strings.ToLower(p.next().text)]
			p.next()
		}
		ranks = append(ranks, rank)
		c.args = append(c.args, p.tableArgument())
	}
	p.expect(")")
	c.span = p.from(start)
	sort.Stable(&byRank{ranks, c.args})
	return c
}

// argumentRank gives the arguments that Flink names the places of the unnamed ones.
var argumentRank = map[string]int{"data": 0, "timecol": 1, "slide": 2, "step": 2, "size": 3, "gap": 3, "offset": 4}

// byRank sorts arguments by the place that they would have without a name.
type byRank struct {
	ranks []int
	args  []node
}

func (b *byRank) Len() int           { return len(b.ranks) }
func (b *byRank) Less(i, j int) bool { return b.ranks[i] < b.ranks[j] }
func (b *byRank) Swap(i, j int) {
	b.ranks[i], b.ranks[j] = b.ranks[j], b.ranks[i]
	b.args[i], b.args[j] = b.args[j], b.args[i]
}

func (p *parser) tableArgument() node {
	start := p.peek().start
	if !p.at("TABLE") || !p.isWordAhead(1) {
		return p.expr(lowest)
	}
	p.next()
	n := &name{parts: p.qualified("a table name")}
	if p.accept("PARTITION") {
		p.expect("BY")
		p.qualified("a column name")
	}
	n.span = p.from(start)
	return n
}

// parenthesized skips (...) with whatever is in it.
func (p *parser) parenthesized() {
	p.expect("(")
	for depth := 1; depth > 0 && p.err == nil; {
		switch t := p.next(); {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.kind == endToken:
			p.unexpected(")")
		}
	}
}

// dotted joins name parts for messages.
func dotted(parts []ident) string {
	out := make([]string, len(parts))
	for i, part := range parts {
		out[i] = part.text
	}
	return strings.Join(out, ".")
}
