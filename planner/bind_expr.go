package planner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// expr binds an expression; it returns nil after a fault, which it has recorded. All
// parts are bound before, so that each reports its own faults.
func (b *binder) expr(n node) compute.Expr {
	switch n := n.(type) {
	case *literal:
		return b.literal(n)
	case *name:
		return b.name(n)
	case *operation:
		return b.operation(n)
	case *call:
		return b.call(n)
	case *cast:
		return b.castTo(n)
	case *choice:
		return b.choice(n)
	case *access:
		return b.access(n)
	case *list:
		return b.row(n)
	case *interval:
		return b.interval(n)
	case *star:
		b.fail(n.start, "INVALID_USAGE_OF_STAR_OR_REGEX", "* cannot stand inside an expression", "")
	}
	return nil
}

// exprs binds all of list; ok is false if one had a fault.
func (b *binder) exprs(list []node) (out []compute.Expr, ok bool) {
	out, ok = make([]compute.Expr, len(list)), true
	for i, n := range list {
		out[i] = b.expr(n)
		ok = ok && out[i] != nil
	}
	return out, ok
}

// exprError places an error of compute in the text.
func (b *binder) exprError(n node, err error) {
	at := n.place().start
	if op, ok := n.(*operation); ok {
		at = op.at
	}
	var unknown *compute.UnknownFunctionError
	var mismatch *compute.TypeError
	switch {
	case errors.As(err, &unknown):
		hint := didYouMean(closest(unknown.Name, append(aggregate.Names(), "window", "session_window", "window_time")))
		for _, s := range unknown.Suggestions {
			if hint == "" && !isReserved(s) {
				hint = didYouMean(s)
			}
		}
		if op, ok := n.(*operation); ok {
			b.fail(at, "", "the operator "+strings.ToUpper(op.op)+" is not supported yet", "")
			return
		}
		b.fail(at, "UNRESOLVED_ROUTINE", "unknown function "+unknown.Name, hint)
	case errors.As(err, &mismatch):
		b.fail(at, mismatch.Condition, strings.TrimSuffix(mismatch.Message, "."), "")
	default:
		b.fail(at, "", err.Error(), "")
	}
}

// name binds a variable of a lambda or a column, and the fields behind it.
func (b *binder) name(n *name) compute.Expr {
	e, used := b.variable(n.parts[0].text), 1
	if e == nil {
		if e, used = b.reference(n); e == nil {
			return nil
		}
	}
	for ; used < len(n.parts) && e != nil; used++ {
		e = b.field(e, n.parts[used], dotted(n.parts[:used]), dotted(n.parts[used:]))
	}
	return e
}

// reference finds the column that a name refers to, the alias of a column to the left in
// the SELECT list, or a function that needs no parentheses; used is how many parts name it.
func (b *binder) reference(n *name) (e compute.Expr, used int) {
	index, used, found := b.scope.resolve(n.parts)
	if e := b.outputColumn(n.parts[0].text, index, found); e != nil {
		return e, 1
	}
	switch {
	case found > 1:
		b.fail(n.start, "AMBIGUOUS_REFERENCE", "the name "+dotted(n.parts)+" fits several columns", "put the name of the table before it")
		return nil, 0
	case found == 1:
		return b.scope.column(index), used
	}
	word := strings.ToLower(n.parts[0].text)
	if w := b.scope.windows; w.name == word {
		return w.value, 1
	}
	e, found = b.lateral(word)
	switch {
	case found > 1:
		b.fail(n.start, "AMBIGUOUS_LATERAL_COLUMN_ALIAS", "several columns of the SELECT list are named "+n.parts[0].text, "")
		return nil, 0
	case found == 1:
		return e, 1
	case len(n.parts) == 1 && compute.NoArguments(word):
		return b.apply(n, word), 1
	}
	b.unknownColumn(n.parts)
	return nil, 0
}

// outputColumn is the column of the SELECT list that a name in ORDER BY or HAVING means, nil if it means one of FROM: found of
// those have the name, the first at index. In ORDER BY the list comes first; in HAVING it comes after the keys.
func (b *binder) outputColumn(name string, index, found int) compute.Expr {
	if b.clause != "ORDER BY" && (b.clause != "HAVING" || found == 1 && b.groups.find(b.scope.column(index)) != nil) {
		return nil
	}
	if e, n := b.lateral(name); n == 1 {
		return e
	}
	return nil
}

// field binds value.name; text and path are how the value and the rest were written.
func (b *binder) field(value compute.Expr, name ident, text, path string) compute.Expr {
	e, err := compute.Field(value, name.text)
	if err == nil && value == b.scope.windows.value {
		return compute.Direct(e)
	}
	if err == nil {
		return e
	}
	var fault *compute.TypeError
	errors.As(err, &fault)
	hint := ""
	switch value.Type().Kind {
	case columnar.StringKind:
		hint = fmt.Sprintf("if it holds JSON text: get_json_object(%s, '$.%s')", text, path)
	case columnar.StructKind:
		hint = didYouMean(closest(name.text, fieldNames(value.Type())))
	}
	if hint == "" && value.Type().Kind == columnar.StructKind {
		hint = "its fields are " + strings.Join(fieldNames(value.Type()), ", ")
	}
	b.fail(name.start, fault.Condition, fmt.Sprintf("%s is %s and has no field %s", text, value.Type(), name.text), hint)
	return nil
}

func fieldNames(t columnar.Type) []string {
	var names []string
	for _, f := range t.Parts() {
		names = append(names, f.Name)
	}
	return names
}

// variable is the innermost parameter of that name, or nil.
func (b *binder) variable(name string) compute.Expr {
	for i := len(b.variables) - 1; i >= 0; i-- {
		if strings.EqualFold(b.variables[i].String(), name) {
			return b.variables[i]
		}
	}
	return nil
}

// row binds (a, b), which is a STRUCT.
func (b *binder) row(n *list) compute.Expr {
	return b.structCall(&call{span: n.span, args: n.items})
}

// access binds value.field, value[index] and value:path, which reads JSON text.
func (b *binder) access(n *access) compute.Expr {
	value := b.expr(n.value)
	if n.kind == "[" {
		index := b.expr(n.index)
		return b.apply(n, "[]", value, index)
	}
	if value == nil {
		return nil
	}
	if n.kind == ":" {
		return b.apply(n, "get_json_object", value, compute.Text("$"+n.path))
	}
	return b.field(value, n.name, b.source(n.value.place()), n.path)
}

func unknownColumn(name string) string { return "unknown column " + name }

func (b *binder) unknownColumn(parts []ident) {
	hint := b.scope.suggestion(parts)
	if other := b.windowHint(strings.ToLower(parts[0].text)); other != "" {
		hint = other
	}
	b.fail(parts[0].start, "UNRESOLVED_COLUMN.WITH_SUGGESTION", unknownColumn(dotted(parts)), hint)
}

// operation binds an operator. Those that Spark defines by others are rewritten here.
func (b *binder) operation(n *operation) compute.Expr {
	args, ok := b.exprs(n.args)
	if !ok {
		return nil
	}
	switch n.op {
	case "ilike":
		args[0], args[1] = b.apply(n, "lower", args[0]), b.apply(n, "lower", args[1])
		return b.apply(n, "like", args...)
	case "between":
		return b.once(n, args[0], func(value compute.Expr) compute.Expr {
			return b.apply(n, "and", b.apply(n, ">=", value, args[1]), b.apply(n, "<=", value, args[2]))
		})
	}
	return b.apply(n, n.op, args...)
}

// once binds what reads a value in several places, so that it is evaluated one time.
func (b *binder) once(n node, value compute.Expr, bind func(value compute.Expr) compute.Expr) compute.Expr {
	out, err := compute.Once(value, func(value compute.Expr) (compute.Expr, error) {
		if e := bind(value); e != nil {
			return e, nil
		}
		return nil, errBound
	})
	if err != nil {
		return nil
	}
	return out
}

// errBound says that the fault is recorded already.
var errBound = errors.New("planner: recorded")

// apply binds a function or operator of compute; nil in, nil out.
func (b *binder) apply(n node, function string, args ...compute.Expr) compute.Expr {
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	e, err := compute.Call(function, args...)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	return e
}

// call binds a function call.
func (b *binder) call(n *call) compute.Expr {
	if strings.EqualFold(n.name.text, "extract") && len(n.args) == 2 {
		return b.extract(n)
	}
	function, before := strings.ToLower(n.name.text), len(b.errs)
	if isAggregate(n) {
		return b.aggregateCall(n)
	}
	switch function {
	case "window", "session_window", "window_time":
		return b.windowCall(n)
	case "from_json", "from_csv":
		return b.fromText(n)
	case "struct":
		return b.structCall(n)
	}
	args, ok := b.arguments(function, n.args)
	if ok {
		return b.apply(n, function, args...)
	}
	var unknown *compute.UnknownFunctionError
	if _, err := compute.Call(function); errors.As(err, &unknown) {
		b.errs = b.errs[:before] // what its arguments mean is unknown too
		b.exprError(n, err)
	}
	return nil
}

// extract binds EXTRACT(part FROM source).
func (b *binder) extract(n *call) compute.Expr {
	source := b.expr(n.args[1])
	part, ok := n.args[0].(*literal)
	if source == nil || !ok {
		return nil
	}
	return b.apply(part, "extract", compute.Text(part.text), source)
}

func (b *binder) castTo(n *cast) compute.Expr {
	value := b.expr(n.value)
	if value == nil {
		return nil
	}
	e, err := compute.Cast(value, n.to.typ, n.try)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	if e == value && b.scope.markOf(e) != (timeMark{}) {
		b.scope.marked = append(b.scope.marked, marked{expr: e})
	}
	return e
}

// choice binds CASE; CASE x WHEN y is CASE WHEN x = y.
func (b *binder) choice(n *choice) compute.Expr {
	parts, ok := b.exprs(n.children())
	if !ok {
		return nil
	}
	var operand, otherwise compute.Expr
	if n.operand != nil {
		operand, parts = parts[0], parts[1:]
	}
	if n.otherwise != nil {
		otherwise = parts[len(parts)-1]
	}
	if operand == nil {
		return b.branches(n, nil, parts, otherwise)
	}
	return b.once(n, operand, func(operand compute.Expr) compute.Expr { return b.branches(n, operand, parts, otherwise) })
}

// branches binds the branches of a CASE; parts are their conditions, or values to compare
// the operand with, and their results.
func (b *binder) branches(n *choice, operand compute.Expr, parts []compute.Expr, otherwise compute.Expr) compute.Expr {
	whens := make([]compute.When, len(n.branches))
	for i := range n.branches {
		cond := parts[2*i]
		if operand != nil {
			if cond = b.apply(n.branches[i].when, "=", operand, cond); cond == nil {
				return nil
			}
		}
		whens[i] = compute.When{Cond: cond, Then: parts[2*i+1]}
	}
	e, err := compute.Case(whens, otherwise)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	return e
}
