package planner

import (
	"strings"
	"unicode"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// callOf reads the arguments of a function and what may follow them.
func (p *parser) callOf(function ident) node {
	c := &call{name: function}
	p.expect("(")
	if t := p.peek(); p.accept("DISTINCT") {
		c.extras = append(c.extras, extra{span: span{t.start, t.end}, keyword: "DISTINCT"})
	}
	switch {
	case p.at(")"):
	case strings.EqualFold(function.text, "struct"):
		p.aliased(c)
	default:
		outer := p.lambdas
		p.lambdas = compute.TakesLambda(strings.ToLower(function.text))
		c.args = p.exprList()
		p.lambdas = outer
	}
	p.expect(")")
	if to, ok := castFunctions[strings.ToLower(function.text)]; ok && len(c.args) == 1 && len(c.extras) == 0 {
		s := p.from(function.start)
		return &cast{span: s, value: c.args[0], to: typeName{function.span, to}}
	}
	p.callExtras(c)
	c.span = p.from(function.start)
	p.unitArgument(c)
	return c
}

// aliased reads arguments that may be named: a AS x.
func (p *parser) aliased(c *call) {
	for more := true; more; more = p.accept(",") {
		c.args = append(c.args, p.expr(lowest))
		if p.accept("AS") {
			for len(c.aliases) < len(c.args)-1 {
				c.aliases = append(c.aliases, ident{})
			}
			c.aliases = append(c.aliases, p.ident("a name"))
		}
	}
}

// unitFunctions take a unit as a bare word before two other arguments.
var unitFunctions = map[string]string{"dateadd": "timestampadd", "date_add": "timestampadd", "timestampadd": "timestampadd",
	"datediff": "timestampdiff", "date_diff": "timestampdiff", "timestampdiff": "timestampdiff"}

// unitArgument makes a string of the unit in timestampadd(DAY, 1, ts) and its like.
func (p *parser) unitArgument(c *call) {
	target := unitFunctions[strings.ToLower(c.name.text)]
	if target == "" || len(c.args) != 3 {
		return
	}
	switch unit := c.args[0].(type) {
	case *name:
		if len(unit.parts) == 1 && !unit.parts[0].quoted {
			c.name.text = target
			c.args[0] = &literal{unit.span, stringLiteral, unit.parts[0].text}
		}
	case *literal:
		p.fail(unit.start, "INVALID_PARAMETER_VALUE.DATETIME_UNIT", "the unit is written without quotes", "write "+target+"("+strings.ToUpper(unit.text)+", ...)")
	}
}

// castFunctions are the types that are also functions: int(x) is CAST(x AS INT).
var castFunctions = map[string]columnar.Type{
	"boolean": columnar.Boolean, "tinyint": columnar.TinyInt, "smallint": columnar.SmallInt, "int": columnar.Int,
	"bigint": columnar.BigInt, "float": columnar.Float, "double": columnar.Double, "decimal": columnar.Decimal(10, 0),
	"string": columnar.String, "binary": columnar.Binary, "date": columnar.Date, "timestamp": columnar.Timestamp,
}

// callExtras reads IGNORE NULLS, WITHIN GROUP, FILTER and OVER.
func (p *parser) callExtras(c *call) {
	for p.err == nil {
		start := p.peek().start
		switch {
		case p.accept("IGNORE", "NULLS"):
			c.extras = append(c.extras, extra{span: p.from(start), keyword: "IGNORE NULLS"})
		case p.accept("RESPECT", "NULLS"): // it is what happens anyway
			c.extras = append(c.extras, extra{span: p.from(start), keyword: "RESPECT NULLS"})
		case p.accept("WITHIN", "GROUP"):
			p.parenthesized()
			c.extras = append(c.extras, extra{span: p.from(start), keyword: "WITHIN GROUP"})
		case p.accept("FILTER", "("):
			p.expect("WHERE")
			condition := p.expr(lowest)
			p.expect(")")
			c.extras = append(c.extras, extra{p.from(start), "FILTER", []node{condition}})
		case p.at("OVER") && (p.ahead(1).is("(") || p.isWordAhead(1)):
			p.next()
			if p.at("(") {
				p.parenthesized()
			} else {
				p.anyWord()
			}
			c.extras = append(c.extras, extra{span: p.from(start), keyword: "OVER"})
		default:
			return
		}
	}
}

func (p *parser) castCall() node {
	word := p.next()
	p.expect("(")
	value := p.expr(lowest)
	p.expect("AS")
	to := p.typeName()
	p.expect(")")
	return &cast{p.from(word.start), value, to, strings.EqualFold(word.text, "try_cast")}
}

func (p *parser) caseOf() node {
	c := &choice{}
	start := p.next().start
	if !p.at("WHEN") {
		c.operand = p.expr(lowest)
	}
	p.expect("WHEN")
	for more := true; more; more = p.accept("WHEN") {
		when := p.expr(lowest)
		p.expect("THEN")
		c.branches = append(c.branches, branch{when, p.expr(lowest)})
	}
	if p.accept("ELSE") {
		c.otherwise = p.expr(lowest)
	}
	p.expect("END")
	c.span = p.from(start)
	return c
}

// separators are the keywords that may stand between arguments instead of commas.
var separators = map[string][]string{
	"substring": {"FROM", "FOR"}, "substr": {"FROM", "FOR"}, "overlay": {"PLACING", "FROM", "FOR"},
}

// keywordCall reads the functions whose arguments are parted by keywords and makes
// plain calls of them.
func (p *parser) keywordCall() node {
	function := p.anyWord()
	lower := strings.ToLower(function.text)
	switch {
	case lower == "extract" && p.ahead(2).is("FROM"):
		return p.extract(function)
	case lower == "trim":
		return p.trim(function)
	}
	p.expect("(")
	c := &call{name: function, args: []node{p.expr(comparisonLevel)}}
	switch {
	case lower == "position" && p.accept("IN"):
		c.name.text = "instr"
		c.args = []node{p.expr(lowest), c.args[0]}
	case p.accept(","):
		c.args = append(c.args, p.exprList()...)
	}
	for _, separator := range separators[lower] {
		if p.accept(separator) {
			c.args = append(c.args, p.expr(lowest))
		}
	}
	p.expect(")")
	c.span = p.from(function.start)
	return c
}

// extract reads EXTRACT(field FROM source); the field becomes a string argument.
func (p *parser) extract(function ident) node {
	p.expect("(")
	if p.peek().kind == stringToken {
		p.unexpected("a field, such as YEAR")
	}
	field := p.anyWord()
	p.expect("FROM")
	source := p.expr(lowest)
	p.expect(")")
	part := &literal{field.span, stringLiteral, field.text}
	return &call{span: p.from(function.start), name: function, args: []node{part, source}}
}

// trim reads TRIM([BOTH|LEADING|TRAILING] [characters] FROM text) as trim, ltrim or
// rtrim([characters, ]text).
func (p *parser) trim(function ident) node {
	side := map[string]string{"both": "trim", "leading": "ltrim", "trailing": "rtrim"}
	p.expect("(")
	word := p.peek()
	if target, ok := side[strings.ToLower(word.text)]; ok && word.kind == wordToken && !p.ahead(1).is(",") && !p.ahead(1).is(")") {
		p.next()
		function.text = target
	}
	var args []node
	if !p.at("FROM") {
		args = p.exprList()
	}
	if p.accept("FROM") {
		args = append(args, p.expr(lowest))
	}
	p.expect(")")
	return &call{span: p.from(function.start), name: function, args: args}
}

func (p *parser) typedLiteral() node {
	word := p.next()
	text := p.next()
	kind := timestampLiteral
	switch {
	case word.is("DATE"):
		kind = dateLiteral
	case word.is("TIMESTAMP_NTZ"):
		kind = timestampNTZLiteral
	}
	return &literal{p.from(word.start), kind, text.text}
}

// atInterval tells INTERVAL '10' MINUTE from a column named interval.
func (p *parser) atInterval() bool {
	n := 1
	if p.ahead(n).is("-") || p.ahead(n).is("+") {
		n++
		return p.ahead(n).kind == stringToken || p.ahead(n).kind == numberToken && p.isWordAhead(n+1)
	}
	return p.ahead(n).kind == stringToken || p.ahead(n).kind == numberToken
}

// interval reads INTERVAL and one or more values with units.
func (p *parser) interval() node {
	start := p.next().start
	i := &interval{}
	for p.err == nil {
		sign := p.peek()
		if signed := sign.is("-") || sign.is("+"); signed {
			p.next()
		}
		value := p.next()
		i.values = append(i.values, signedValue(sign, value))
		i.units = append(i.units, p.unit())
		if value.kind == stringToken && i.units[0] != "" && strings.ContainsFunc(value.text, unicode.IsLetter) {
			p.fail(value.start, "INVALID_INTERVAL_FORMAT.INVALID_VALUE", "the value of a unit has letters in it", "write INTERVAL '10 minutes' or INTERVAL '10' MINUTE")
		}
		if n := p.peek(); i.units[0] == "" || n.kind != numberToken && n.kind != stringToken && !p.atSignedValue() {
			break
		}
	}
	i.span = p.from(start)
	return i
}

// atSignedValue tells INTERVAL 1 DAY -2 HOURS from a subtraction.
func (p *parser) atSignedValue() bool {
	if !p.at("-") && !p.at("+") {
		return false
	}
	k := p.ahead(1).kind
	return (k == numberToken || k == stringToken) && intervalUnits[strings.ToLower(p.ahead(2).text)] && p.ahead(2).kind == wordToken
}

// signedValue is a value with the sign before it; two minus signs are none.
func signedValue(sign, value token) string {
	switch {
	case !sign.is("-"):
		return value.text
	case strings.HasPrefix(value.text, "-"):
		return value.text[1:]
	}
	return "-" + value.text
}

var intervalUnits = wordSet(`nanosecond nanoseconds microsecond microseconds millisecond milliseconds second seconds
	minute minutes hour hours day days week weeks month months year years`)

func (p *parser) unit() string {
	t := p.peek()
	if t.kind != wordToken || !intervalUnits[strings.ToLower(t.text)] {
		return ""
	}
	p.next()
	unit := strings.ToLower(t.text)
	if p.at("TO") && p.isWordAhead(1) {
		p.next()
		unit += " to " + strings.ToLower(p.next().text)
	}
	return unit
}
