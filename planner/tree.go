package planner

import "strings"

// tree draws operators, each below its consumer.
func tree[N interface{ line() string }](root N, inputs func(N) []N) string {
	var b strings.Builder
	draw(&b, root, inputs, "", "")
	return b.String()
}

func draw[N interface{ line() string }](b *strings.Builder, n N, inputs func(N) []N, first, rest string) {
	b.WriteString(first + n.line() + "\n")
	below := inputs(n)
	for i, in := range below {
		if i < len(below)-1 {
			draw(b, in, inputs, rest+" ├── ", rest+" │   ")
		} else {
			draw(b, in, inputs, rest+" └── ", rest+"     ")
		}
	}
}

// FormatLogical prints a logical plan as a tree, the last operator first.
func FormatLogical(n LogicalNode) string { return tree(n, LogicalNode.Inputs) }
