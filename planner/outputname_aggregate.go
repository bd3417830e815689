package planner

import "strings"

// aggregateDefaults are the arguments that Spark fills in where they are left out.
var aggregateDefaults = map[string][]string{
	"percentile_approx": {"", "", "10000"}, "approx_percentile": {"", "", "10000"}, "percentile": {"", "", "1"}, "listagg": {"", "NULL"}, "string_agg": {"", "NULL"},
}

// unnamedArguments are the aggregates whose second argument, how they work, is no part of the name.
var unnamedArguments = wordSet("first first_value last last_value any_value approx_count_distinct")

// prettyAggregate names a call of an aggregate: count(*) is count(1).
func prettyAggregate(n *call) string {
	lower := strings.ToLower(n.name.text)
	args := prettyAll(n.args)
	if len(n.args) == 1 && lower == "count" {
		if _, ok := n.args[0].(*star); ok {
			args = []string{"1"}
		}
	}
	if defaults := aggregateDefaults[lower]; len(args) < len(defaults) {
		args = append(args, defaults[len(args):]...)
	}
	if unnamedArguments[lower] && len(args) > 1 {
		args = args[:1]
	}
	if lower == "array_agg" {
		lower = "collect_list"
	}
	text := lower + "("
	if n.has("DISTINCT") {
		text += "DISTINCT "
	}
	text += strings.Join(args, ", ") + ")"
	for _, e := range n.extras {
		if e.keyword == "FILTER" {
			text += " FILTER (WHERE " + pretty(e.nodes[0]) + ")"
		}
	}
	return text
}
