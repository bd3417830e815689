package planner

import "strings"

// primary reads what no operator can take apart.
func (p *parser) primary() node {
	t := p.peek()
	switch t.kind {
	case numberToken:
		p.next()
		return &literal{span{t.start, t.end}, numberLiteral, t.text}
	case bytesToken:
		p.next()
		return &literal{span{t.start, t.end}, bytesLiteral, t.text}
	case stringToken:
		return p.strings()
	case quotedToken:
		return p.nameOrCall()
	case wordToken:
		return p.word(t)
	}
	switch {
	case t.is("("):
		return p.parentheses()
	case t.is("*"):
		p.next()
		return p.starOf(nil, t.start)
	}
	p.unexpected("an expression")
	return &literal{}
}

// strings reads a string; as in Spark, neighbouring strings are one.
func (p *parser) strings() node {
	start := p.peek().start
	var b strings.Builder
	for p.peek().kind == stringToken {
		b.WriteString(p.next().text)
	}
	return &literal{p.from(start), stringLiteral, b.String()}
}

func (p *parser) word(t token) node {
	call := p.ahead(1).is("(")
	switch strings.ToUpper(t.text) {
	case "NULL":
		p.next()
		return &literal{span{t.start, t.end}, nullLiteral, "NULL"}
	case "TRUE", "FALSE":
		p.next()
		return &literal{span{t.start, t.end}, boolLiteral, strings.ToLower(t.text)}
	case "CASE":
		return p.caseOf()
	case "INTERVAL":
		if p.atInterval() {
			return p.interval()
		}
	case "DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ":
		if p.ahead(1).kind == stringToken {
			return p.typedLiteral()
		}
	case "CAST", "TRY_CAST":
		if call {
			return p.castCall()
		}
	case "EXISTS":
		if call && p.atQuery(2) {
			p.pos += 2
			return p.subqueryBody(t.start)
		}
	case "EXTRACT", "SUBSTRING", "SUBSTR", "POSITION", "TRIM", "OVERLAY":
		if call {
			return p.keywordCall()
		}
	case "LEFT", "RIGHT", "LIKE", "ILIKE", "RLIKE":
		if call {
			return p.callOf(p.anyWord())
		}
	}
	return p.nameOrCall()
}

func (p *parser) nameOrCall() node {
	if !p.atName(0) {
		p.unexpected("an expression")
		return &literal{}
	}
	first := p.anyWord()
	if p.at("(") {
		return p.callOf(first)
	}
	parts := []ident{first}
	for p.at(".") {
		if p.ahead(1).is("*") {
			p.pos += 2
			return p.starOf(parts, first.start)
		}
		if !p.isWordAhead(1) {
			p.next()
			p.unexpected("a name after the dot")
			break
		}
		p.next()
		parts = append(parts, p.anyWord())
	}
	return &name{p.from(first.start), parts}
}

// starOf reads what follows a star: perhaps EXCEPT (columns).
func (p *parser) starOf(table []ident, start int) node {
	s := &star{table: table}
	if p.at("EXCEPT", "(") && !p.atQuery(2) {
		p.pos += 2
		for more := true; more; more = p.accept(",") {
			s.except = append(s.except, p.ident("a column name"))
		}
		p.expect(")")
	}
	s.span = p.from(start)
	return s
}

func (p *parser) atQuery(ahead int) bool {
	return p.ahead(ahead).is("SELECT") || p.ahead(ahead).is("WITH")
}

// parentheses reads (expr), (a, b) or (SELECT ...).
func (p *parser) parentheses() node {
	start := p.next().start
	if p.atQuery(0) {
		return p.subqueryBody(start)
	}
	items := p.exprList()
	p.expect(")")
	if len(items) == 1 {
		return items[0]
	}
	return &list{p.from(start), items}
}

// subqueryBody reads a query and the parenthesis that closes it.
func (p *parser) subqueryBody(start int) node {
	q := p.query()
	p.expect(")")
	return &subquery{p.from(start), q}
}

// postfix reads the casts and accesses that follow a primary expression.
func (p *parser) postfix(n node) node {
	start := n.place().start
	for p.err == nil {
		switch t := p.peek(); {
		case p.accept("::"):
			to := p.typeName()
			n = &cast{span: p.from(start), value: n, to: to}
		case p.accept("["):
			index := p.expr(lowest)
			p.expect("]")
			n = &access{span: p.from(start), value: n, kind: "[", index: index}
		case t.is(".") && p.isWordAhead(1):
			p.next()
			field := p.anyWord()
			n = &access{span: p.from(start), value: n, kind: ".", name: field, path: field.text}
		case t.is(":") && p.isWordAhead(1):
			n = p.colonPath(n, start)
		case t.is("->"), t.is("->>"):
			p.next()
			n = p.operation(t.text, t.start, start, n, p.arrowOperand())
		default:
			return n
		}
	}
	return n
}

// arrowOperand is the body of a lambda, which reaches as far as it can, or the key of
// a JSON arrow, which is one string.
func (p *parser) arrowOperand() node {
	if k := p.peek().kind; !p.lambdas && (k == stringToken || k == numberToken) {
		return p.primary()
	}
	return p.expr(lowest)
}

// colonPath reads value:name.name[0]['a name'] as a path into JSON text.
func (p *parser) colonPath(n node, start int) node {
	p.next()
	path := pathName(p.anyWord().text)
	for p.err == nil {
		switch {
		case p.at(".") && p.isWordAhead(1):
			p.next()
			path += pathName(p.anyWord().text)
		case p.at("[") && p.ahead(2).is("]") && (p.ahead(1).is("*") || p.ahead(1).kind == numberToken || p.ahead(1).kind == stringToken):
			p.next()
			step := p.next()
			p.next()
			if path += "[" + step.text + "]"; step.kind == stringToken {
				path = strings.TrimSuffix(path, "["+step.text+"]") + pathName(step.text)
			}
		default:
			return &access{span: p.from(start), value: n, kind: ":", path: path}
		}
	}
	return n
}

// pathName is a step to a member: .name, or ['name'] where a dot would not do.
func pathName(name string) string {
	if strings.ContainsAny(name, ".[") || name == "*" {
		return "['" + name + "']"
	}
	return "." + name
}
