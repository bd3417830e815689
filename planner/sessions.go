package planner

import (
	"fmt"
	"math"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Positions that stand for the bounds of a session until the Aggregate that makes them is built.
const (
	sessionStart = math.MinInt32 + iota
	sessionEnd
)

// sessionWindow binds session_window(time, gap), which is a key of a GROUP BY; elsewhere it refers to that key.
func (b *binder) sessionWindow(n *call) compute.Expr {
	if !b.arity(n, 2, 2) {
		return nil
	}
	time, mark, ok := b.timeArgument(n)
	gap, given := b.gap(n.args[1])
	if !ok || !given {
		return nil
	}
	if w := b.scope.windows; w.name == "" && b.clause != "GROUP BY" {
		b.fail(n.start, "", "session_window makes groups, and GROUP BY does not name it", "write GROUP BY "+b.source(n.span))
		return nil
	}
	mark.size, mark.session = 0, true
	return b.only(n, "session_window", []compute.Expr{time, gap}, func() (compute.Expr, timeMark) {
		start := compute.Column(sessionStart, "session_start", columnar.Timestamp, false)
		end := compute.Column(sessionEnd, "session_end", columnar.Timestamp, false)
		return bounds(start, end, time.Type()), mark
	})
}

// gap binds the gap of sessions, in microseconds: a text or an interval, which may differ between rows.
func (b *binder) gap(n node) (compute.Expr, bool) {
	e := b.expr(n)
	if e == nil {
		return nil, false
	}
	if constant := compute.Fold(e); compute.Literal(constant) {
		us, ok := b.duration(n)
		if ok && us <= 0 {
			b.fail(n.place().start, "", "the gap of a session has to be positive, it is "+micros(us), "")
		}
		return compute.Integer(us, columnar.BigInt), ok && us > 0
	}
	us, err := compute.IntervalMicros(e)
	if err != nil {
		b.fail(n.place().start, "_LEGACY_ERROR_TEMP_1040", fmt.Sprintf("the gap of a session is an interval, %s is %s", e, e.Type()), "write '10 seconds', or CASE WHEN ... THEN '10 seconds' ... END")
		return nil, false
	}
	return us, true
}
