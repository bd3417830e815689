package compute

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// raiseFunctions fail on purpose, or tell of a type.
var raiseFunctions = []function{
	entry("assert_true", "assert_true(c[, message])", "NULL where c is TRUE; an error elsewhere.", "assert_true(1 < 2)", 1, 2, bindAssert),
	entry("raise_error", "raise_error(message)", "An error.", "if(1 < 2, 1, raise_error('no'))", 1, 1, bindRaise),
	entry("typeof", "typeof(a)", "The name of a type.", "typeof(1)", 1, 1, bindTypeof),
}

// bindAssert evaluates the message where it is needed only.
func bindAssert(name string, args []Expr) (Expr, error) {
	if !isCondition(args[0]) {
		return nil, unexpectedInput(name, 0, "BOOLEAN", args[0])
	}
	message := Text("'" + args[0].String() + "' is not true!")
	if len(args) == 2 {
		message = args[1]
	}
	failure, err := bindRaise("raise_error", []Expr{message})
	if err != nil {
		return nil, err
	}
	return Case([]When{{implicit(args[0], columnar.Boolean), Null()}}, failure)
}

// bindRaise gives NULL of the bare type, which fits every other; it is never evaluated
// to a value.
func bindRaise(name string, args []Expr) (Expr, error) {
	message, err := parameter(name, 0, args[0], columnar.String)
	if err != nil {
		return nil, err
	}
	return &call{name: name, args: []Expr{message}, typ: columnar.Null, nullable: true, lenient: true, run: raiseRows}, nil
}

// mostMessage bounds the message of one row, in bytes.
const mostMessage = 1024

func raiseRows(f *frame) {
	for _, i := range f.rows {
		text := "null"
		if !f.args[0].isNull(i) {
			text = string(f.args[0].bytesAt(i)[:min(mostMessage, len(f.args[0].bytesAt(i)))])
		}
		f.fail(i, &EvalError{"USER_RAISED_EXCEPTION", text})
	}
}

func bindTypeof(_ string, args []Expr) (Expr, error) {
	return Text(simpleName(args[0].Type())), nil
}

// simpleName is a type as Spark names it in short: struct<a:int>.
func simpleName(t columnar.Type) string {
	parts := make([]string, len(t.Parts()))
	for i, f := range t.Parts() {
		if parts[i] = simpleName(f.Type); t.Kind == columnar.StructKind {
			parts[i] = f.Name + ":" + parts[i]
		}
	}
	if t.Nested() {
		return strings.ToLower(t.Kind.String()) + "<" + strings.Join(parts, ",") + ">"
	}
	return strings.ToLower(t.String())
}
