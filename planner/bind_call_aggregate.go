package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// isAggregate reports whether a call is one of Spark's aggregates.
func isAggregate(c *call) bool {
	lower := strings.ToLower(c.name.text)
	return (aggregates[lower] || aggregate.Known(lower)) && !c.has("OVER")
}

// has reports whether a part such as FILTER belongs to the call.
func (c *call) has(keyword string) bool {
	for _, e := range c.extras {
		if e.keyword == keyword {
			return true
		}
	}
	return false
}

// aggregateCall binds a call of an aggregate: what stands for it is a column at a negative position.
func (b *binder) aggregateCall(n *call) compute.Expr {
	g := b.groups
	if g == nil || !b.overGroups() {
		b.misplaced(n)
		return nil
	}
	clause := b.clause
	b.clause = "an aggregate"
	defer func() { b.clause = clause }()
	args, ok := b.aggregateArguments(n)
	filter, fits := b.aggregateFilter(n)
	if !ok || !fits || !b.aggregateExtras(n, &args) {
		return nil
	}
	c, err := aggregate.Bind(strings.ToLower(n.name.text), args, n.has("DISTINCT"), filter)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	i := g.call(c)
	return compute.Column(-1-i, g.calls[i].String(), c.Type(), c.Nullable())
}

// overGroups reports whether an expression is bound that may be about groups.
func (b *binder) overGroups() bool {
	return b.clause == "" || b.clause == "HAVING" || b.clause == "ORDER BY"
}

// call is the number of a call; one that is made twice is computed once.
func (g *groups) call(c *aggregate.Call) int {
	for i, known := range g.calls {
		if known.String() == c.String() && sameAll(known.Inputs(), c.Inputs()) {
			return i
		}
	}
	g.calls = append(g.calls, c)
	return len(g.calls) - 1
}

func sameAll(a, b []compute.Expr) bool {
	for i := range a {
		if !compute.Same(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// misplaced refuses an aggregate where there are no groups, in Spark's terms.
func (b *binder) misplaced(n *call) {
	text := b.source(n.span)
	switch b.clause {
	case "WHERE":
		b.fail(n.start, "INVALID_WHERE_CONDITION", "WHERE decides about rows before they are grouped, "+text+" is known after that", "use HAVING")
	case "GROUP BY":
		b.fail(n.start, "GROUP_BY_AGGREGATE", "GROUP BY cannot group by the aggregate "+text, "compute it in a subquery")
	case "FILTER":
		b.fail(n.start, "INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE", "FILTER decides about rows, "+text+" is known for groups", "compute it in a subquery")
	case "an aggregate":
		b.fail(n.start, "NESTED_AGGREGATE_FUNCTION", "the aggregate "+text+" stands within another", "compute the inner one in a subquery")
	default:
		b.fail(n.start, "", "the aggregate "+text+" cannot stand here", "compute it in a subquery")
	}
}

// aggregateArguments binds the arguments; count(*) has none.
func (b *binder) aggregateArguments(n *call) ([]compute.Expr, bool) {
	if len(n.args) == 1 && strings.EqualFold(n.name.text, "count") {
		if s, ok := n.args[0].(*star); ok && len(s.table) == 0 && len(s.except) == 0 {
			return nil, true
		}
	}
	if len(n.args) == 0 && strings.EqualFold(n.name.text, "count") {
		b.fail(n.start, "WRONG_NUM_ARGS.WITH_SUGGESTION", "count takes at least one argument", "write count(*)")
		return nil, false
	}
	return b.arguments(strings.ToLower(n.name.text), n.args)
}

// aggregateFilter binds FILTER (WHERE condition); nil if there is none.
func (b *binder) aggregateFilter(n *call) (filter compute.Expr, ok bool) {
	for _, e := range n.extras {
		if e.keyword != "FILTER" {
			continue
		}
		b.clause = "FILTER"
		pred := b.expr(e.nodes[0])
		b.clause = "an aggregate"
		if pred == nil {
			return nil, false
		}
		if t := pred.Type(); t != columnar.Boolean {
			b.fail(e.nodes[0].place().start, "INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", fmt.Sprintf("FILTER needs a BOOLEAN, %s is %s", pred, t), "compare it with something")
			return nil, false
		}
		filter = pred
	}
	return filter, true
}

// ignoring are the aggregates that may leave out NULL; it is an argument of theirs.
var ignoring = wordSet("first first_value last last_value any_value")

// aggregateExtras applies IGNORE NULLS and refuses what no stream or no engine of ours can do.
func (b *binder) aggregateExtras(n *call, args *[]compute.Expr) bool {
	lower := strings.ToLower(n.name.text)
	for _, e := range n.extras {
		switch e.keyword {
		case "DISTINCT":
			if !b.spark {
				continue
			}
			b.fail(e.start, operationFault, "Spark does not aggregate DISTINCT values on a stream", "without compat: spark it works")
			return false
		case "IGNORE NULLS", "RESPECT NULLS":
			if !ignoring[lower] {
				b.fail(e.start, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", lower+" does not take "+e.keyword, "")
				return false
			}
			if e.keyword == "IGNORE NULLS" {
				*args = append(*args, compute.Bool(true))
			}
		case "WITHIN GROUP":
			b.fail(e.start, "", "WITHIN GROUP is not supported yet", "percentile_approx(x, 0.5) needs none")
			return false
		}
	}
	return true
}
