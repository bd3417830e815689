package compute

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// errSkip marks text that uses what this package does not have.
var errSkip = errors.New("not supported")

// sqlParser reads the small part of SQL that test cases are written in.
type sqlParser struct {
	tokens []string
	at     int
	schema *columnar.Schema
}

var tokenPattern = regexp.MustCompile(`(?s)\s+|X'[^']*'|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:BD|[LSYDF])?\b|[A-Za-z_][A-Za-z_0-9]*|<=>|<=|>=|<>|!=|==|\|\||::|->|.`)

func parseSQL(text string, schema *columnar.Schema) (e Expr, err error) {
	p := &sqlParser{schema: schema}
	for _, t := range tokenPattern.FindAllString(text, -1) {
		if strings.TrimSpace(t) != "" {
			p.tokens = append(p.tokens, t)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			failure, ok := r.(error)
			if !ok {
				panic(r)
			}
			e, err = nil, failure
		}
	}()
	e = p.or()
	if p.peek() != "" {
		return nil, fmt.Errorf("%w: %s", errSkip, p.peek())
	}
	return e, nil
}

func (p *sqlParser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *sqlParser) next() string { t := p.peek(); p.at++; return t }

func (p *sqlParser) accept(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.tokens) || !strings.EqualFold(p.tokens[p.at+i], w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *sqlParser) expect(word string) {
	if !p.accept(word) {
		panic(fmt.Errorf("%w: expected %s, got %q", errSkip, word, p.peek()))
	}
}

func must(e Expr, err error) Expr {
	var unknown *UnknownFunctionError
	if errors.As(err, &unknown) {
		err = fmt.Errorf("%w: %s", errSkip, unknown.Name)
	}
	if err != nil {
		panic(err)
	}
	return e
}

func (p *sqlParser) or() Expr {
	e := p.and()
	for p.accept("or") {
		e = must(Call("or", e, p.and()))
	}
	return e
}

func (p *sqlParser) and() Expr {
	e := p.not()
	for p.accept("and") {
		e = must(Call("and", e, p.not()))
	}
	return e
}

func (p *sqlParser) not() Expr {
	if p.accept("not") {
		return must(Call("not", p.not()))
	}
	return p.comparison()
}

func negateIf(not bool, e Expr) Expr {
	if not {
		return must(Call("not", e))
	}
	return e
}

func (p *sqlParser) comparison() Expr {
	e := p.sum()
	for {
		switch op := p.peek(); op {
		case "=", "<>", "<", "<=", ">", ">=", "<=>":
			p.at++
			e = must(Call(op, e, p.sum()))
			continue
		case "==":
			p.at++
			e = must(Call("=", e, p.sum()))
			continue
		case "!=":
			p.at++
			e = must(Call("not", must(Call("=", e, p.sum()))))
			continue
		}
		if p.accept("is") {
			not := p.accept("not")
			if p.accept("distinct", "from") {
				e = negateIf(!not, must(Call("<=>", e, p.sum())))
				continue
			}
			if p.accept("true") {
				e = negateIf(not, must(Call("<=>", e, Bool(true))))
				continue
			}
			p.expect("null")
			e = must(Call(map[bool]string{false: "isnull", true: "isnotnull"}[not], e))
			continue
		}
		not := p.accept("not")
		switch {
		case p.accept("in"):
			e = negateIf(not, p.in(e))
		case p.accept("like"):
			args := []Expr{e, p.sum()}
			if p.accept("escape") {
				args = append(args, p.sum())
			}
			e = negateIf(not, must(Call("like", args...)))
		case p.accept("between"):
			low := p.sum()
			p.expect("and")
			e = negateIf(not, must(Call("and", must(Call(">=", e, low)), must(Call("<=", e, p.sum())))))
		default:
			return e
		}
	}
}

func (p *sqlParser) in(e Expr) Expr {
	p.expect("(")
	return must(Call("in", append([]Expr{e}, p.list()...)...))
}

func (p *sqlParser) list() []Expr {
	var out []Expr
	for !p.accept(")") {
		out = append(out, p.or())
		if !p.accept(",") && p.peek() != ")" {
			panic(fmt.Errorf("%w: %q in a list", errSkip, p.peek()))
		}
	}
	return out
}

func (p *sqlParser) sum() Expr {
	e := p.product()
	for {
		switch op := p.peek(); op {
		case "+", "-", "||":
			p.at++
			e = must(Call(op, e, p.product()))
		default:
			return e
		}
	}
}

func (p *sqlParser) product() Expr {
	e := p.unary()
	for {
		op := strings.ToLower(p.peek())
		switch op {
		case "*", "/", "%", "div":
			p.at++
			e = must(Call(op, e, p.unary()))
		default:
			return e
		}
	}
}

func (p *sqlParser) unary() Expr {
	if p.accept("-") {
		if t := p.peek(); t != "" && (t[0] >= '0' && t[0] <= '9' || t[0] == '.') {
			p.at++
			return p.suffixed(number("-" + t))
		}
		return must(Call("negate", p.unary()))
	}
	if p.accept("+") {
		return must(Call("positive", p.unary()))
	}
	return p.suffixed(p.primary())
}

func (p *sqlParser) suffixed(e Expr) Expr {
	for p.accept("::") {
		e = must(Cast(e, p.typ(), false))
	}
	return e
}

func number(t string) Expr {
	digits := strings.TrimRight(t, "LSYDFB")
	switch suffix := t[len(digits):]; {
	case suffix == "L" || suffix == "S" || suffix == "Y":
		v, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			panic(err)
		}
		return Integer(v, map[string]columnar.Type{"L": columnar.BigInt, "S": columnar.SmallInt, "Y": columnar.TinyInt}[suffix])
	case suffix == "F":
		return must(Cast(Text(digits), columnar.Float, false))
	case suffix == "D" || suffix == "" && strings.ContainsAny(digits, "eE"):
		v, _ := strconv.ParseFloat(digits, 64)
		return Float64(v)
	case suffix == "BD" || strings.Contains(digits, "."):
		return must(DecimalText(digits))
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil:
		return must(DecimalText(digits))
	case v == int64(int32(v)):
		return Integer(v, columnar.Int)
	}
	return Integer(v, columnar.BigInt)
}

func (p *sqlParser) primary() Expr {
	t := p.next()
	switch {
	case t == "":
		panic(errSkip)
	case t == "(":
		e := p.or()
		p.expect(")")
		return e
	case t[0] == '\'' || t[0] == '"':
		return Text(unquote(t))
	case strings.HasPrefix(t, "X'"):
		return Bytes(unhex(t[2 : len(t)-1]))
	case t[0] >= '0' && t[0] <= '9' || t[0] == '.':
		return number(t)
	}
	return p.word(strings.ToLower(t))
}

func unhex(s string) []byte {
	var out []byte
	for i := 0; i+1 < len(s); i += 2 {
		v, _ := strconv.ParseUint(s[i:i+2], 16, 8)
		out = append(out, byte(v))
	}
	return out
}

func unquote(t string) string {
	var b strings.Builder
	body := t[1 : len(t)-1]
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			b.WriteByte(body[i])
			continue
		}
		i++
		switch body[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'u':
			v, _ := strconv.ParseUint(body[i+1:i+5], 16, 32)
			b.WriteRune(rune(v))
			i += 4
		case '%', '_':
			b.WriteString(`\` + body[i:i+1])
		default:
			b.WriteByte(body[i])
		}
	}
	return b.String()
}

func (p *sqlParser) word(word string) Expr {
	switch word {
	case "null":
		return Null()
	case "true", "false":
		return Bool(word == "true")
	case "case":
		return p.caseWhen()
	}
	if text := p.peek(); (word == "date" || word == "timestamp") && strings.HasPrefix(text, "'") {
		p.at++
		return typed(word, unquote(text))
	}
	if !p.accept("(") {
		if p.schema != nil {
			if i := p.schema.Index(word); i >= 0 {
				f := p.schema.Fields[i]
				return Column(i, f.Name, f.Type, f.Nullable)
			}
		}
		panic(fmt.Errorf("%w: %s", errSkip, word))
	}
	if word == "cast" || word == "try_cast" {
		e := p.or()
		p.expect("as")
		t := p.typ()
		p.expect(")")
		return must(Cast(e, t, word == "try_cast"))
	}
	if named, ok := castFunctions[word]; ok {
		return must(Cast(p.list()[0], named, false))
	}
	return must(Call(word, p.list()...))
}

var castFunctions = map[string]columnar.Type{"int": columnar.Int, "double": columnar.Double, "boolean": columnar.Boolean, "binary": columnar.Binary, "bigint": columnar.BigInt, "string": columnar.String}

func typed(word, text string) Expr {
	if word == "date" {
		if v, ok := sqltext.ParseDate([]byte(text)); ok {
			return DateValue(v)
		}
	} else if v, ok := sqltext.ParseTimestamp([]byte(text)); ok {
		return TimestampValue(v)
	}
	panic(&TypeError{Condition: "INVALID_TYPED_LITERAL", Message: text})
}

func (p *sqlParser) caseWhen() Expr {
	var operand Expr
	if !strings.EqualFold(p.peek(), "when") {
		operand = p.or()
	}
	var whens []When
	for p.accept("when") {
		cond := p.or()
		if operand != nil {
			cond = must(Call("=", operand, cond))
		}
		p.expect("then")
		whens = append(whens, When{cond, p.or()})
	}
	var otherwise Expr
	if p.accept("else") {
		otherwise = p.or()
	}
	p.expect("end")
	return must(Case(whens, otherwise))
}

func (p *sqlParser) typ() columnar.Type {
	word := strings.ToLower(p.next())
	if word == "decimal" && p.accept("(") {
		precision, _ := strconv.Atoi(p.next())
		scale := 0
		if p.accept(",") {
			scale, _ = strconv.Atoi(p.next())
		}
		p.expect(")")
		return columnar.Decimal(precision, scale)
	}
	t, ok := plainTypes[word]
	if !ok {
		panic(fmt.Errorf("%w: type %s", errSkip, word))
	}
	return t
}

var plainTypes = map[string]columnar.Type{"boolean": columnar.Boolean, "tinyint": columnar.TinyInt, "smallint": columnar.SmallInt,
	"int": columnar.Int, "bigint": columnar.BigInt, "float": columnar.Float, "double": columnar.Double, "string": columnar.String,
	"binary": columnar.Binary, "date": columnar.Date, "timestamp": columnar.Timestamp, "decimal": columnar.Decimal(10, 0), "void": columnar.Null}
