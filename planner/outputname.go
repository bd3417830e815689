package planner

import (
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// outputName is the name that Spark gives to a column without an alias: that of the
// column, also below one cast, or else the expression printed its way.
func outputName(n node) string {
	if c, ok := n.(*cast); ok {
		if column, ok := c.value.(*name); ok {
			n = column
		}
	}
	return pretty(n)
}

// pretty prints an expression as Spark names a column after it: strings without
// quotes, operators in parentheses, columns without their table.
func pretty(n node) string {
	switch n := n.(type) {
	case *literal:
		return prettyLiteral(n)
	case *name:
		return n.parts[len(n.parts)-1].text
	case *operation:
		return prettyOperation(n)
	case *call:
		return prettyCall(n)
	case *cast:
		word := "CAST("
		if n.try {
			word = "TRY_CAST("
		}
		return word + pretty(n.value) + " AS " + n.to.typ.String() + ")"
	case *choice:
		return prettyChoice(n)
	case *access:
		return prettyAccess(n)
	case *list:
		return "struct(" + strings.Join(prettyAll(n.items), ", ") + ")"
	case *interval:
		if e, err := n.value(); err == nil {
			return e.String()
		}
	}
	return ""
}

func prettyAccess(n *access) string {
	if n.kind == "[" {
		return pretty(n.value) + "[" + pretty(n.index) + "]"
	}
	if n.kind == ":" {
		return pretty(n.value) + n.path
	}
	return pretty(n.value) + n.kind + n.path
}

func prettyLiteral(n *literal) string {
	switch n.kind {
	case numberLiteral:
		return prettyNumber(n.text)
	case bytesLiteral:
		return "X'" + strings.ToUpper(n.text) + "'"
	case dateLiteral:
		return prettyTyped(n, columnar.Date)
	case timestampLiteral:
		return prettyTyped(n, columnar.Timestamp)
	case timestampNTZLiteral:
		return prettyTyped(n, columnar.TimestampNTZ)
	}
	return n.text
}

// prettyNumber drops the suffix and prints floating literals as Java does.
func prettyNumber(text string) string {
	digits, suffix := numberSuffix(text)
	floating := suffix == "D" || suffix == "F" || suffix == "" && strings.ContainsAny(digits, "eE")
	if !floating {
		return digits
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return digits
	}
	return javaFloat(v)
}

func javaFloat(v float64) string {
	size := max(v, -v)
	if size != 0 && (size < 1e-3 || size >= 1e7) {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'E', -1, 64), "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		power, _ := strconv.Atoi(exponent)
		return mantissa + "E" + strconv.Itoa(power)
	}
	plain := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

func prettyOperation(n *operation) string {
	if n.op == "->" {
		return prettyLambda(n)
	}
	a := prettyAll(n.args)
	if text, ok := prettyShift(n); ok {
		return text
	}
	switch n.op {
	case "not":
		return "(NOT " + a[0] + ")"
	case "negate":
		return "(- " + a[0] + ")"
	case "positive":
		return "(+ " + a[0] + ")"
	case "~":
		return "~" + a[0]
	case "isnull":
		return "(" + a[0] + " IS NULL)"
	case "isnotnull":
		return "(" + a[0] + " IS NOT NULL)"
	case "in":
		return "(" + a[0] + " IN (" + strings.Join(a[1:], ", ") + "))"
	case "like":
		return a[0] + " LIKE " + a[1]
	case "<>":
		return "(NOT (" + a[0] + " = " + a[1] + "))"
	case "||":
		return "concat(" + a[0] + ", " + a[1] + ")"
	case "rlike":
		return "RLIKE(" + a[0] + ", " + a[1] + ")"
	case "between", "ilike":
		return n.op + "(" + strings.Join(a, ", ") + ")"
	case "and", "or":
		return "(" + a[0] + " " + strings.ToUpper(n.op) + " " + a[1] + ")"
	}
	return "(" + a[0] + " " + n.op + " " + a[1] + ")"
}

// prettyLambda prints a lambda, whose parameters have no names then.
func prettyLambda(n *operation) string {
	const variable = "namedlambdavariable()"
	count := 1
	if l, ok := n.args[0].(*list); ok {
		count = len(l.items)
	}
	return "lambdafunction(" + pretty(n.args[1]) + strings.Repeat(", "+variable, count) + ")"
}

func prettyAll(list []node) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = pretty(n)
	}
	return out
}

// upperNamed are the functions whose names Spark prints in capitals.
var upperNamed = wordSet(`acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh degrees exp expm1 floor log10 log1p log2
	power radians rint signum sin sinh sqrt tan tanh`)

func prettyCall(n *call) string {
	if lower := strings.ToLower(n.name.text); lower == "window" || lower == "session_window" {
		return lower // the name of the column that it makes
	}
	if isAggregate(n) {
		return prettyAggregate(n)
	}
	function, args := prettyTimeCall(strings.ToLower(n.name.text), prettyAll(n.args))
	switch {
	case function == "if":
		return "(IF(" + strings.Join(args, ", ") + "))"
	case upperNamed[function]:
		function = strings.ToUpper(function)
	}
	return function + "(" + strings.Join(args, ", ") + ")"
}

func prettyChoice(n *choice) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, branch := range n.branches {
		when := pretty(branch.when)
		if n.operand != nil {
			when = "(" + pretty(n.operand) + " = " + when + ")"
		}
		b.WriteString(" WHEN " + when + " THEN " + pretty(branch.then))
	}
	if n.otherwise != nil {
		b.WriteString(" ELSE " + pretty(n.otherwise))
	}
	return b.String() + " END"
}
