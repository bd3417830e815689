package planner

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

// arguments binds the arguments of a call. The types of a lambda's parameters come from
// the arguments before it.
func (b *binder) arguments(function string, list []node) (out []compute.Expr, ok bool) {
	if !compute.TakesLambda(function) {
		return b.exprs(list)
	}
	out, ok = make([]compute.Expr, 0, len(list)), true
	for _, n := range list {
		arrow, isLambda := n.(*operation)
		if !isLambda || arrow.op != "->" || !ok {
			e := b.expr(n)
			out, ok = append(out, e), ok && e != nil
			continue
		}
		e := b.lambda(function, arrow, out)
		out, ok = append(out, e), e != nil
	}
	return out, ok
}

// lambda binds x -> body or (x, y) -> body behind the given arguments.
func (b *binder) lambda(function string, n *operation, before []compute.Expr) compute.Expr {
	names, ok := b.parameters(n.args[0])
	if !ok {
		return nil
	}
	types, ok := compute.LambdaTypes(function, before, len(names))
	if !ok {
		b.fail(n.start, "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", fmt.Sprintf("%s takes no lambda of %d parameters here", function, len(names)), "")
		return nil
	}
	outer := len(b.variables)
	for i, name := range names {
		b.variables = append(b.variables, compute.Variable(name.text, types[i]))
	}
	body := b.expr(n.args[1])
	params := append([]compute.Expr{}, b.variables[outer:]...)
	b.variables = b.variables[:outer]
	if body == nil {
		return nil
	}
	return compute.Lambda(params, body)
}

// parameters are the names before the arrow.
func (b *binder) parameters(n node) ([]ident, bool) {
	items := []node{n}
	if l, ok := n.(*list); ok {
		items = l.items
	}
	out := make([]ident, len(items))
	for i, item := range items {
		name, ok := item.(*name)
		if !ok || len(name.parts) != 1 {
			b.fail(item.place().start, "PARSE_SYNTAX_ERROR", "the parameter of a lambda is one name", "write x -> ... or (x, y) -> ...")
			return nil, false
		}
		out[i] = name.parts[0]
	}
	return out, true
}
