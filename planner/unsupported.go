package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// unsupported refuses what the parser reads and the engine cannot run yet. A clause
// is refused alone; expressions are refused one by one.
func (b *binder) unsupported(q *query) {
	if len(q.extras) > 0 {
		e := q.extras[0]
		condition, message, hint := clauseRefusal(e.keyword)
		b.fail(e.start, condition, message, hint)
		return
	}
	for _, item := range q.items {
		b.unsupportedItem(item.expr)
	}
	for _, v := range q.views {
		b.unsupportedItem(v.call)
	}
	for _, n := range []node{q.where, q.having, q.limit, q.offset} {
		if n != nil {
			b.unsupportedExpr(n)
		}
	}
	if q.group != nil {
		for _, n := range q.group.keys {
			b.unsupportedExpr(n)
		}
	}
	for _, s := range q.order {
		b.unsupportedExpr(s.expr)
	}
	for _, inner := range q.queries() {
		b.unsupported(inner)
	}
}

// unsupportedItem lets a generator stand at the top of an expression.
func (b *binder) unsupportedItem(n node) {
	c, ok := n.(*call)
	if !ok || !generators[strings.ToLower(c.name.text)] || len(c.extras) > 0 {
		b.unsupportedExpr(n)
		return
	}
	for _, arg := range c.args {
		b.unsupportedExpr(arg)
	}
}

func clauseRefusal(keyword string) (condition, message, hint string) {
	switch keyword {
	case "SORT BY", "CLUSTER BY", "DISTRIBUTE BY":
		return "", keyword + " is not supported on a stream, whose rows are written as they arrive", "order the rows where you read the table"
	case "GROUPING SETS":
		return "", "GROUPING SETS, ROLLUP and CUBE are not supported", "write a query for each set of keys and put UNION ALL between them"
	}
	return "", keyword + " is not supported yet", ""
}

// unsupportedExpr refuses the first part of n that cannot be run; it reports whether
// there was one.
func (b *binder) unsupportedExpr(n node) bool {
	if message, hint := b.refusal(n); message != "" {
		at := n.place().start
		if op, ok := n.(*operation); ok {
			at = op.at
		}
		condition := ""
		if c, ok := n.(*call); ok && c.has("OVER") {
			condition = "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING"
		} else if ok && generators[strings.ToLower(c.name.text)] {
			condition = "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS"
		} else if ok && len(c.extras) > 0 && !isAggregate(c) {
			condition = "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"
		}
		b.fail(at, condition, message, hint)
		return true
	}
	for _, c := range children(n) {
		if body := lambdaBody(n, c); body != nil {
			c = body
		}
		if b.unsupportedExpr(c) {
			return true
		}
	}
	return false
}

// lambdaBody is what follows the arrow of an argument that is a lambda, or nil.
func lambdaBody(n, argument node) node {
	c, ok := n.(*call)
	if !ok || !compute.TakesLambda(strings.ToLower(c.name.text)) {
		return nil
	}
	if op, ok := argument.(*operation); ok && op.op == "->" {
		return op.args[1]
	}
	return nil
}

// refusal says why a node itself, without its children, cannot be run; "" if it can.
func (b *binder) refusal(n node) (message, hint string) {
	switch n := n.(type) {
	case *call:
		return callRefusal(n)
	case *subquery:
		return "a subquery in an expression is not supported yet", ""
	case *operation:
		if n.op == "->" || n.op == "->>" {
			return b.arrowRefusal(n)
		}
	}
	return "", ""
}

var generators = wordSet(strings.Join(compute.GeneratorNames(), " "))

func callRefusal(c *call) (message, hint string) {
	lower := strings.ToLower(c.name.text)
	if c.has("OVER") {
		return "window functions (" + lower + " OVER ...) are not supported on a stream", "group by window(ts, '10 seconds') for windows of time"
	}
	if message, hint := refusedCall(c); message != "" {
		return message, hint
	}
	switch {
	case aggregate.Known(lower):
		return "", ""
	case aggregates[lower]:
		return "the aggregate " + lower + " is not supported yet", ""
	case generators[lower]:
		return "the generator " + lower + " cannot stand inside an expression", "let it stand alone in the SELECT list, or use LATERAL VIEW"
	case len(c.extras) > 0:
		return fmt.Sprintf("%s cannot stand in the call of %s", c.extras[0].keyword, lower), "only aggregates have it"
	}
	return "", ""
}

// arrowRefusal tells the JSON arrows of other dialects from Spark's lambda.
func (b *binder) arrowRefusal(n *operation) (message, hint string) {
	root, path, ok := jsonPath(n)
	if !ok {
		return "", ""
	}
	return "the JSON operator " + n.op + " is not Spark SQL", fmt.Sprintf("write get_json_object(%s, '%s')", b.source(root.place()), path)
}

// jsonPath turns a chain of arrows with constant keys into a path from its root.
func jsonPath(n node) (root node, path string, ok bool) {
	op, arrow := n.(*operation)
	if !arrow || op.op != "->" && op.op != "->>" {
		return n, "$", true
	}
	key, constant := op.args[1].(*literal)
	if !constant {
		return nil, "", false
	}
	root, path, ok = jsonPath(op.args[0])
	switch {
	case strings.HasPrefix(key.text, "$"):
		path += strings.TrimPrefix(key.text, "$")
	case key.kind == numberLiteral:
		path += "[" + key.text + "]"
	default:
		path += "." + key.text
	}
	return root, path, ok
}
