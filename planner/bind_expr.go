package planner

import (
	"errors"
	"fmt"
	"strings"

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
		hint := ""
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

func (b *binder) name(n *name) compute.Expr {
	index, used := b.scope.resolve(n.parts)
	if index < 0 {
		b.unknownColumn(n.parts)
		return nil
	}
	e := b.scope.column(index)
	if used < len(n.parts) {
		b.fail(n.parts[used].start, "INVALID_EXTRACT_BASE_FIELD_TYPE",
			fmt.Sprintf("%s is %s and has no field %s", dotted(n.parts[:used]), e.Type(), n.parts[used].text), fieldHint(n, used, e))
		return nil
	}
	return e
}

func fieldHint(n *name, used int, e compute.Expr) string {
	if e.Type().String() != "STRING" {
		return ""
	}
	return fmt.Sprintf("if it holds JSON text: get_json_object(%s, '$.%s')", dotted(n.parts[:used]), dotted(n.parts[used:]))
}

func unknownColumn(name string) string { return "unknown column " + name }

func (b *binder) unknownColumn(parts []ident) {
	b.fail(parts[0].start, "UNRESOLVED_COLUMN.WITH_SUGGESTION", unknownColumn(dotted(parts)), b.scope.suggestion(parts))
}

// operation binds an operator. Those that Spark defines by others are rewritten here.
func (b *binder) operation(n *operation) compute.Expr {
	args, ok := b.exprs(n.args)
	if !ok {
		return nil
	}
	switch n.op {
	case "positive":
		return args[0]
	case "between":
		low := b.apply(n, ">=", args[0], args[1])
		high := b.apply(n, "<=", args[0], args[2])
		return b.apply(n, "and", low, high)
	}
	return b.apply(n, n.op, args...)
}

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
	args, ok := b.exprs(n.args)
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

// extractParts maps the field of EXTRACT to the function that computes it.
var extractParts = map[string]string{
	"YEAR": "year", "Y": "year", "YEARS": "year", "QUARTER": "quarter", "QTR": "quarter",
	"MONTH": "month", "MON": "month", "MONTHS": "month", "WEEK": "weekofyear", "W": "weekofyear", "WEEKS": "weekofyear",
	"DAY": "day", "D": "day", "DAYS": "day", "DAYOFWEEK": "dayofweek", "DOW": "dayofweek", "DOY": "dayofyear",
	"HOUR": "hour", "H": "hour", "HOURS": "hour", "MINUTE": "minute", "MIN": "minute", "MINUTES": "minute",
}

// extract binds EXTRACT(part FROM source).
func (b *binder) extract(n *call) compute.Expr {
	source := b.expr(n.args[1])
	part, ok := n.args[0].(*literal)
	if source == nil || !ok {
		return nil
	}
	function, ok := extractParts[part.text]
	if !ok {
		b.fail(part.start, "INVALID_EXTRACT_FIELD", "EXTRACT cannot read "+part.text, "it reads YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFWEEK, DOY, HOUR, MINUTE")
		return nil
	}
	return b.apply(n, function, source)
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
