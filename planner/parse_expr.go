package planner

import "strings"

// The binding strengths, weakest first; Spark's grammar.
const (
	lowest = iota
	orLevel
	andLevel
	notLevel
	predicateLevel // IS, IN, LIKE, BETWEEN
	comparisonLevel
	bitOrLevel
	bitXorLevel
	bitAndLevel
	shiftLevel
	sumLevel
	productLevel
	signLevel
)

// binaryOperators maps an operator as written to its strength and its name in the tree.
var binaryOperators = map[string]struct {
	level int
	op    string
}{
	"or": {orLevel, "or"}, "and": {andLevel, "and"},
	"=": {comparisonLevel, "="}, "==": {comparisonLevel, "="}, "<=>": {comparisonLevel, "<=>"},
	"<>": {comparisonLevel, "<>"}, "!=": {comparisonLevel, "<>"},
	"<": {comparisonLevel, "<"}, "<=": {comparisonLevel, "<="}, ">": {comparisonLevel, ">"}, ">=": {comparisonLevel, ">="},
	"|": {bitOrLevel, "|"}, "^": {bitXorLevel, "^"}, "&": {bitAndLevel, "&"},
	"<<": {shiftLevel, "<<"}, ">>": {shiftLevel, ">>"}, ">>>": {shiftLevel, ">>>"},
	"+": {sumLevel, "+"}, "-": {sumLevel, "-"}, "||": {sumLevel, "||"},
	"*": {productLevel, "*"}, "/": {productLevel, "/"}, "%": {productLevel, "%"}, "div": {productLevel, "div"},
}

// expr reads an expression whose operators bind at least as strongly as level.
func (p *parser) expr(level int) node {
	defer p.leave()
	if !p.enter() {
		return &literal{}
	}
	left := p.prefix(level)
	ceiling := signLevel // a predicate ends what binds more strongly than AND
	for p.err == nil {
		if predicateLevel >= level && ceiling > predicateLevel && p.atPredicate() {
			left, ceiling = p.predicate(left), notLevel
			continue
		}
		t := p.peek()
		b, ok := binaryOperators[strings.ToLower(t.text)]
		if !ok || t.kind != symbolToken && t.kind != wordToken || b.level < max(level, 1) || b.level > ceiling {
			return left
		}
		p.next()
		right := p.expr(b.level + 1)
		left = p.operation(b.op, t.start, left.place().start, left, right)
	}
	return left
}

func (p *parser) operation(op string, at, start int, args ...node) *operation {
	return &operation{span: p.from(start), op: op, at: at, args: args}
}

// prefix reads NOT, a sign or a primary expression.
func (p *parser) prefix(level int) node {
	t := p.peek()
	switch {
	case t.is("NOT") || t.is("!"):
		if level > notLevel {
			p.fail(t.start, "PARSE_SYNTAX_ERROR", "NOT cannot stand here", "put the NOT expression in parentheses")
			return &literal{}
		}
		p.next()
		return p.operation("not", t.start, t.start, p.expr(notLevel))
	case t.is("-") && p.ahead(1).kind == numberToken && p.ahead(1).start == t.end:
		p.next()
		number := p.next()
		return p.postfix(&literal{p.from(t.start), numberLiteral, "-" + number.text})
	case t.is("-"), t.is("+"), t.is("~"):
		p.next()
		op := map[string]string{"-": "negate", "+": "positive", "~": "~"}[t.text]
		return p.operation(op, t.start, t.start, p.expr(signLevel))
	}
	return p.postfix(p.primary())
}

func (p *parser) atPredicate() bool {
	if p.at("NOT") {
		next := p.ahead(1)
		return next.is("IN") || next.is("BETWEEN") || atPattern(next)
	}
	return p.atAnyOf("IS", "IN", "BETWEEN") || atPattern(p.peek())
}

func atPattern(t token) bool {
	return t.is("LIKE") || t.is("ILIKE") || t.is("RLIKE") || t.is("REGEXP")
}

// predicate reads [NOT] IN, BETWEEN or LIKE, or IS [NOT] ..., applied to left.
func (p *parser) predicate(left node) node {
	t, start := p.peek(), left.place().start
	if p.accept("IS") {
		return p.isPredicate(left, t)
	}
	negated := p.accept("NOT")
	var out node
	switch word := p.next(); {
	case word.is("IN"):
		out = p.inPredicate(left, t.start)
	case word.is("BETWEEN"):
		low := p.expr(comparisonLevel)
		p.expect("AND")
		out = p.operation("between", t.start, start, left, low, p.expr(comparisonLevel))
	default:
		op := strings.ToLower(word.text)
		if strings.HasSuffix(op, "like") && op != "rlike" && p.atAnyOf("ANY", "SOME", "ALL") && p.ahead(1).is("(") {
			return p.quantified(left, t.start, op, negated)
		}
		out = p.pattern(left, t.start, op)
	}
	return p.negateIf(negated, t.start, out)
}

func (p *parser) negateIf(negated bool, at int, n node) node {
	if !negated {
		return n
	}
	return p.operation("not", at, n.place().start, n)
}

func (p *parser) inPredicate(left node, at int) node {
	start := left.place().start
	p.expect("(")
	if p.at("SELECT") || p.at("WITH") {
		inner := p.subqueryBody(at)
		return p.operation("in", at, start, left, inner)
	}
	args := append([]node{left}, p.exprList()...)
	p.expect(")")
	return p.operation("in", at, start, args...)
}

func (p *parser) pattern(left node, at int, op string) node {
	if op == "regexp" {
		op = "rlike"
	}
	args := []node{left, p.expr(comparisonLevel)}
	if op != "rlike" && p.accept("ESCAPE") {
		args = append(args, p.expr(comparisonLevel))
	}
	return p.operation(op, at, left.place().start, args...)
}

// quantified reads LIKE ANY (a, b) as LIKE a OR LIKE b, and LIKE ALL with AND. NOT
// stands before each LIKE.
func (p *parser) quantified(left node, at int, op string, negated bool) node {
	start, join := left.place().start, "or"
	if p.next().is("ALL") {
		join = "and"
	}
	p.expect("(")
	var out node
	for i, pattern := range p.exprList() {
		one := p.negateIf(negated, at, p.operation(op, at, start, left, pattern))
		if i == 0 {
			out = one
		} else {
			out = p.operation(join, at, start, out, one)
		}
	}
	p.expect(")")
	return out
}

// isPredicate reads what follows IS, as the operators that Spark makes of it.
func (p *parser) isPredicate(left node, is token) node {
	start := left.place().start
	negated := p.accept("NOT")
	word := p.peek()
	switch {
	case p.accept("NULL"), p.accept("UNKNOWN"):
		if negated {
			return p.operation("isnotnull", is.start, start, left)
		}
		return p.operation("isnull", is.start, start, left)
	case p.accept("TRUE"), p.accept("FALSE"):
		truth := &literal{span{word.start, word.end}, boolLiteral, strings.ToLower(word.text)}
		return p.negateIf(negated, is.start, p.operation("<=>", is.start, start, left, truth))
	case p.accept("DISTINCT", "FROM"):
		same := p.operation("<=>", is.start, start, left, p.expr(comparisonLevel))
		return p.negateIf(!negated, is.start, same)
	}
	p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM after IS")
	return left
}
