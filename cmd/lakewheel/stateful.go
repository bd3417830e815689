package main

import (
	"strings"

	"github.com/lakewheel/lakewheel/planner"
)

// statefulOperators are those of a plan that keep something from batch to batch, from the sink down.
func statefulOperators(n planner.PhysicalNode) []planner.PhysicalNode {
	var out []planner.PhysicalNode
	switch n.(type) {
	case *planner.AggregateExec, *planner.DedupExec:
		out = append(out, n)
	}
	for _, in := range n.Inputs() {
		out = append(out, statefulOperators(in)...)
	}
	return out
}

// stateLines says what a plan keeps, and for how long.
func stateLines(plan planner.PhysicalNode) []string {
	operators := statefulOperators(plan)
	if len(operators) == 0 {
		return []string{"State: none."}
	}
	lines := make([]string, len(operators))
	for i, o := range operators {
		line, _, _ := strings.Cut(planner.FormatPhysical(o), "\n")
		lines[i] = "State: " + line
	}
	return lines
}
