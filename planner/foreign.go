package planner

import (
	"fmt"
	"strings"
)

// foreign refuses the event-time windows of other dialects, whose argument order
// differs from Spark's, with the exact text to write instead.
func (b *binder) foreign(q *query) {
	if from := q.from; from != nil && from.call != nil {
		b.foreignTable(from.call)
	}
	for _, inner := range q.queries() {
		b.foreign(inner)
	}
	for _, e := range q.expressions() {
		b.foreignCalls(e)
	}
}

func (b *binder) foreignCalls(n node) {
	if c, ok := n.(*call); ok && b.foreignCall(c) {
		return
	}
	for _, child := range children(n) {
		b.foreignCalls(child)
	}
}

// timeColumn stands in a hint where the other dialect leaves the column out.
const timeColumn = "<time column>"

// foreignCall refuses a window function in an expression.
func (b *binder) foreignCall(c *call) bool {
	lower := strings.ToLower(c.name.text)
	args := c.args
	column := timeColumn
	if len(args) > 0 && b.intervalText(args[0]) == "" {
		column, args = b.source(args[0].place()), args[1:]
	}
	rewrite := ""
	switch {
	case lower == "hop":
		rewrite = b.hop(column, args)
	case lower == "session" && len(args) == 1:
		rewrite = fmt.Sprintf("session_window(%s, %s)", column, b.intervalArgument(args[0]))
	case lower == "tumble" && len(args) == 1:
		rewrite = fmt.Sprintf("window(%s, %s)", column, b.intervalArgument(args[0]))
	case lower == "tumble_start", lower == "hop_start":
		rewrite = "window.start"
	case lower == "tumble_end", lower == "hop_end":
		rewrite = "window.end"
	default:
		return false
	}
	b.fail(c.start, "", lower+"(...) is not Spark SQL", "write "+rewrite)
	return true
}

// hop is Spark's window for HOP(column, slide, size): the two lengths change places.
func (b *binder) hop(column string, lengths []node) string {
	if len(lengths) < 2 {
		return "window(" + column + ", size, slide)"
	}
	text := fmt.Sprintf("window(%s, %s, %s", column, b.intervalArgument(lengths[1]), b.intervalArgument(lengths[0]))
	if len(lengths) > 2 {
		text += ", " + b.intervalArgument(lengths[2])
	}
	return text + ")"
}

// foreignTable refuses TUMBLE, HOP and SESSION as table functions, as Flink (TABLE t,
// DESCRIPTOR(ts), ...) and others (t, ts, ...) have them.
func (b *binder) foreignTable(c *call) {
	lower := strings.ToLower(c.name.text)
	if len(c.args) < 3 {
		b.fail(c.start, "", "the table function "+c.name.text+" is not supported", "name a source after FROM")
		return
	}
	table, column, lengths := b.tableText(c.args[0]), b.descriptor(c.args[1]), c.args[2:]
	rewrite := ""
	switch lower {
	case "tumble":
		rewrite = "window(" + column + ", " + b.intervalArgument(lengths[0]) + ")"
	case "hop":
		rewrite = b.hop(column, lengths)
	case "session":
		rewrite = "session_window(" + column + ", " + b.intervalArgument(lengths[0]) + ")"
	default:
		b.fail(c.start, "", "the table function "+c.name.text+" is not supported", "name a source after FROM")
		return
	}
	group := strings.SplitN(rewrite, "(", 2)[0]
	b.fail(c.start, "", "the table function "+c.name.text+" is not Spark SQL",
		fmt.Sprintf("write FROM %s GROUP BY %s, and %s.start and %s.end for its bounds", table, rewrite, group, group))
}

func (b *binder) tableText(n node) string {
	if t, ok := n.(*name); ok {
		return dotted(t.parts)
	}
	return b.source(n.place())
}

// descriptor is the column in DESCRIPTOR(column), or a plain column.
func (b *binder) descriptor(n node) string {
	if c, ok := n.(*call); ok && strings.EqualFold(c.name.text, "descriptor") && len(c.args) == 1 {
		return b.source(c.args[0].place())
	}
	return b.source(n.place())
}

// intervalArgument is an interval as the string that Spark's window takes.
func (b *binder) intervalArgument(n node) string {
	if text := b.intervalText(n); text != "" {
		return "'" + text + "'"
	}
	return b.source(n.place())
}

// intervalText is "10 minutes" for an interval or a string, "" for anything else.
func (b *binder) intervalText(n node) string {
	switch n := n.(type) {
	case *literal:
		if n.kind == stringLiteral {
			return n.text
		}
	case *interval:
		parts := make([]string, len(n.values))
		for i, value := range n.values {
			parts[i] = strings.TrimSpace(value + " " + plural(value, n.units[i]))
		}
		return strings.Join(parts, " ")
	}
	return ""
}

func plural(value, unit string) string {
	if unit == "" || value == "1" || strings.HasSuffix(unit, "s") {
		return unit
	}
	return unit + "s"
}

// source is the text of a span, white space made single spaces.
func (b *binder) source(s span) string {
	return strings.Join(strings.Fields(b.text[s.start:s.end]), " ")
}
