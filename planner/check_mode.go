package planner

import "fmt"

// checkMode refuses what a stream cannot give in the output mode, by the rules of Spark's UnsupportedOperationChecker and in its terms.
func (b *binder) checkMode(n LogicalNode) {
	aggregates := 0
	b.checkOperators(n, &aggregates)
	if aggregates == 0 && b.mode == Complete {
		b.fail(0, outputModeFault, "complete mode puts out all groups each time, and the query has none", "use output_mode: append, or GROUP BY")
	}
}

const (
	outputModeFault = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"
	operationFault  = "_LEGACY_ERROR_TEMP_3102"
)

// checkOperators checks the operators of a plan, the last one first; aggregates counts those with groups.
func (b *binder) checkOperators(n LogicalNode, aggregates *int) {
	switch n := n.(type) {
	case *Aggregate:
		*aggregates++
		b.checkAggregate(n)
	case *Sort:
		if b.mode != Complete || !groupsBelow(n) {
			b.fail(n.at, operationFault, "ORDER BY needs all rows, and a stream has no last one: it orders groups in complete mode only", "order the rows where you read the table")
		}
	case *Limit:
		if b.mode != Complete || !groupsBelow(n) {
			b.fail(n.at, limitFault(n, b.mode), "LIMIT and OFFSET need a last row, and a stream has none: they cut groups in complete mode only", "use WHERE, or limit the rows where you read the table")
		}
	}
	for _, in := range n.Inputs() {
		b.checkOperators(in, aggregates)
	}
}

// limitFault is Spark's condition, which in append mode lets LIMIT keep the first rows of all.
func limitFault(l *Limit, mode OutputMode) string {
	if mode == Append && l.N >= 0 && l.Skip == 0 {
		return ""
	}
	return operationFault
}

func (b *binder) checkAggregate(a *Aggregate) {
	watermarked := a.Event.Key >= 0 || a.Session != nil && a.Session.Watermarked
	switch {
	case b.mode == Append && !watermarked:
		b.fail(a.at, outputModeFault, "append mode puts out groups that are final, and without a watermark no group is", appendHint(a))
	case b.mode == Update && a.Session != nil:
		b.fail(a.at, outputModeFault, "update mode cannot put out sessions, which merge with others after they were put out", "use output_mode: append or complete")
	case b.mode != Append && groupsBelow(a):
		b.fail(a.at, operationFault, fmt.Sprintf("%s mode puts out groups again when they change, and those would be grouped once more", b.mode), "groups of groups need output_mode: append")
	case a.Session != nil && len(a.Keys) == 0:
		b.fail(a.at, "", "sessions of all rows together are not supported on a stream", "group by session_window(...) and a key, such as a user")
	}
}

// appendHint says how the groups of an aggregate can become final.
func appendHint(a *Aggregate) string {
	const modes = "or use output_mode: update or complete"
	if w := watermarkBelow(a); w != nil {
		name := w.Schema().Fields[w.Column].Name
		return fmt.Sprintf("group by window(%s, '10 seconds') or by %s, the event time itself, %s", name, name, modes)
	}
	return "give a source a watermark and group by a window of its column, " + modes
}

// groupsBelow reports whether there is an Aggregate below an operator.
func groupsBelow(n LogicalNode) bool {
	for _, in := range n.Inputs() {
		if _, ok := in.(*Aggregate); ok || groupsBelow(in) {
			return true
		}
	}
	return false
}

func watermarkBelow(n LogicalNode) *Watermark {
	for _, in := range n.Inputs() {
		if w, ok := in.(*Watermark); ok {
			return w
		}
		if w := watermarkBelow(in); w != nil {
			return w
		}
	}
	return nil
}
