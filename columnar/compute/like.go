package compute

import (
	"regexp"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// bindLike is text LIKE pattern [ESCAPE character]; % is any text, _ any character.
func bindLike(args []Expr) (Expr, error) {
	escape := "\\"
	if len(args) == 3 {
		l, ok := args[2].(*literal)
		if !ok || l.v.typ != columnar.String || len([]rune(l.v.texts[0])) != 1 {
			return nil, &TypeError{Condition: "INVALID_ESCAPE_CHAR", Message: "ESCAPE takes one character, not " + args[2].String()}
		}
		escape = l.v.texts[0]
	}
	cast := make([]Expr, 2)
	for i := range cast {
		var err error
		if cast[i], err = parameter("LIKE", i, args[i], columnar.String); err != nil {
			return nil, err
		}
	}
	esc := []rune(escape)[0]
	return &call{name: "like", args: cast, typ: columnar.Boolean, text: infix("LIKE"),
		run: func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
			var pattern string
			var match func(string) bool
			var err error
			for _, r := range rows {
				if p := in[1].texts[r&in[1].mask]; match == nil || p != pattern {
					pattern = p
					match, err = likeMatcher(p, esc)
				}
				if err != nil {
					ev.reject(out, r, err)
					continue
				}
				out.bools[r] = match(in[0].texts[r&in[0].mask])
			}
		}}, nil
}

// likeMatcher compiles a pattern; the common shapes need no regular expression.
func likeMatcher(pattern string, escape rune) (func(string) bool, error) {
	if !strings.ContainsRune(pattern, escape) && !strings.Contains(pattern, "_") {
		body := strings.Trim(pattern, "%")
		if !strings.Contains(body, "%") {
			front, back := strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%")
			switch {
			case pattern == "":
				return func(s string) bool { return s == "" }, nil
			case front && back:
				return func(s string) bool { return strings.Contains(s, body) }, nil
			case front:
				return func(s string) bool { return strings.HasSuffix(s, body) }, nil
			case back:
				return func(s string) bool { return strings.HasPrefix(s, body) }, nil
			}
			return func(s string) bool { return s == body }, nil
		}
	}
	return likeRegexp(pattern, escape)
}

func likeRegexp(pattern string, escape rune) (func(string) bool, error) {
	var b strings.Builder
	b.WriteString(`^(?s:`)
	escaped := false
	for _, c := range pattern {
		switch {
		case escaped && c != '%' && c != '_' && c != escape:
			return nil, &EvalError{"INVALID_FORMAT.ESC_IN_THE_MIDDLE", "The format '" + pattern + "' is invalid: the escape character is not allowed to precede '" + string(c) + "'."}
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(c)))
			escaped = false
		case c == escape:
			escaped = true
		case c == '%':
			b.WriteString(`.*`)
		case c == '_':
			b.WriteString(`.`)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if escaped {
		return nil, &EvalError{"INVALID_FORMAT.ESC_AT_THE_END", "The format '" + pattern + "' is invalid: the escape character is not allowed to end with."}
	}
	re, err := regexp.Compile(b.String() + `)$`)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
