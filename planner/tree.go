package planner

import "strings"

// tree draws a chain of operators, each below its consumer.
func tree(lines []string) string {
	var b strings.Builder
	for depth, line := range lines {
		if depth > 0 {
			b.WriteString(strings.Repeat("     ", depth-1) + " └── ")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// FormatLogical prints a logical plan as a tree, the last operator first.
func FormatLogical(n LogicalNode) string {
	var lines []string
	for ; n != nil; n = n.Input() {
		lines = append(lines, n.line())
	}
	return tree(lines)
}
