package planner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// windows is what the window functions of one SELECT made: at most one kind of window.
type windows struct {
	name  string       // of its column: window or session_window; "" if there is none
	value compute.Expr // STRUCT<start TIMESTAMP, end TIMESTAMP>
	parts []compute.Expr
	bad   bool // one was refused, so that its column is unknown
}

// same reports whether another call makes the same windows.
func (w *windows) same(name string, parts []compute.Expr) bool {
	if w.name != name || len(w.parts) != len(parts) {
		return false
	}
	for i, p := range parts {
		if !compute.Same(p, w.parts[i]) {
			return false
		}
	}
	return true
}

// windowCall binds the functions of event time. A refused one leaves the name of its column unknown, as in Spark.
func (b *binder) windowCall(n *call) compute.Expr {
	function := strings.ToLower(n.name.text)
	if !b.overGroups() && b.clause != "GROUP BY" {
		b.fail(n.start, "", fmt.Sprintf("%s cannot stand in %s", function, b.clause), "make the window in a subquery: FROM (SELECT *, "+b.source(n.span)+" AS w FROM ...)")
		return nil
	}
	var e compute.Expr
	switch function {
	case "window_time":
		return b.windowTime(n)
	case "session_window":
		e = b.sessionWindow(n)
	default:
		e = b.timeWindow(n)
	}
	b.scope.windows.bad = b.scope.windows.bad || e == nil
	return e
}

// timeWindow binds window(time, size[, slide[, start]]): a Window below and the STRUCT that its column stands for.
func (b *binder) timeWindow(n *call) compute.Expr {
	if !b.arity(n, 2, 4) {
		return nil
	}
	time, mark, ok := b.timeArgument(n)
	lengths := [3]int64{}
	for i, arg := range n.args[1:] {
		us, constant := b.duration(arg)
		lengths[i], ok = us, ok && constant
	}
	if !ok {
		return nil
	}
	size, slide, start := lengths[0], lengths[1], lengths[2]
	if len(n.args) < 3 {
		slide = size
	}
	if !b.checkLengths(n, size, slide, start) {
		return nil
	}
	parts := []compute.Expr{time, compute.Integer(size, columnar.BigInt), compute.Integer(slide, columnar.BigInt), compute.Integer(start, columnar.BigInt)}
	return b.only(n, "window", parts, func() (compute.Expr, timeMark) {
		mark.size = size
		return b.addWindow(time, size, slide, start), mark
	})
}

// only lets one kind of window be made, once.
func (b *binder) only(n *call, name string, parts []compute.Expr, make func() (compute.Expr, timeMark)) compute.Expr {
	w := &b.scope.windows
	switch {
	case w.same(name, parts):
		return w.value
	case w.name != "":
		b.fail(n.start, "_LEGACY_ERROR_TEMP_1039", "two different windows in one SELECT would multiply the rows", "make one of them in a subquery")
		return nil
	}
	value, mark := make()
	*w = windows{name: name, value: value, parts: parts}
	b.scope.marked = append(b.scope.marked, marked{value, mark})
	return value
}

// addWindow puts a Window on the scope's plan. The column with the start has no name in the query.
func (b *binder) addWindow(time compute.Expr, size, slide, start int64) compute.Expr {
	s := b.scope
	instant := conversion(time, columnar.Timestamp)
	f := columnar.Field{Name: "window_start", Type: columnar.Timestamp}
	s.schema = columnar.NewSchema(slices.Clone(s.schema.Fields)...)
	s.add(f, -1, true)
	s.columns[len(s.columns)-1].nameless = true
	out := append(slices.Clone(s.node.Schema().Fields), f)
	s.node = &Window{In: withTime(instant, s.node), Time: instant, Size: size, Slide: slide, Start: start, Out: columnar.NewSchema(out...)}
	return windowStruct(s.column(len(s.columns)-1), size, time.Type())
}

// withTime leaves out rows without a time, which have no window, before they come to groups below: those would keep them for ever. Only a column
// can be such a key; the time of a window is never NULL.
func withTime(time compute.Expr, in LogicalNode) LogicalNode {
	f := &Filter{In: in, Pred: must("isnotnull", time)}
	if _, column := compute.Position(time); !column || !time.Nullable() || !groupsBelow(f) {
		return in
	}
	return f
}

// windowStruct is STRUCT<start, end> of a window of a size, of a type of times.
func windowStruct(start compute.Expr, size int64, t columnar.Type) compute.Expr {
	length := compute.DayTimeValue(size, columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit))
	return bounds(start, must("+", start, length), t)
}

// member is the start or the end of a window.
func member(window compute.Expr, name string) compute.Expr {
	e, err := compute.Field(window, name)
	if err != nil {
		panic(err) // every window has both
	}
	return compute.Direct(e)
}

func bounds(start, end compute.Expr, t columnar.Type) compute.Expr {
	return must("named_struct", compute.Text("start"), conversion(start, t), compute.Text("end"), conversion(end, t))
}

// must binds a function to arguments that are known to fit.
func must(function string, args ...compute.Expr) compute.Expr {
	e, err := compute.Call(function, args...)
	if err != nil {
		panic(err)
	}
	return e
}

// conversion casts between times, which always works.
func conversion(e compute.Expr, t columnar.Type) compute.Expr {
	if e.Type() == t {
		return e
	}
	out, err := compute.Cast(e, t, false)
	if err != nil {
		panic(err)
	}
	return out
}

func (b *binder) arity(n *call, least, most int) bool {
	if len(n.extras) > 0 {
		b.fail(n.start, "", n.extras[0].keyword+" cannot stand in the call of "+n.name.text, "only aggregates have it")
		return false
	}
	if len(n.args) < least || len(n.args) > most {
		want := strconv.Itoa(least)
		if most > least {
			want = fmt.Sprintf("%d to %d", least, most)
		}
		b.fail(n.start, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", fmt.Sprintf("%s takes %s arguments, got %d", strings.ToLower(n.name.text), want, len(n.args)), "")
		return false
	}
	return true
}

// timeArgument binds the time of a window. That of another window is its window_time.
func (b *binder) timeArgument(n *call) (time compute.Expr, mark timeMark, ok bool) {
	e := b.expr(n.args[0])
	if e == nil {
		return nil, mark, false
	}
	switch t := e.Type(); {
	case t == columnar.Timestamp, t == columnar.TimestampNTZ:
		return e, b.scope.markOf(e), true
	case t == columnar.Date, t == columnar.String, t == columnar.Null:
		return conversion(e, columnar.Timestamp), mark, true
	case t.Kind == columnar.StructKind:
		time, mark = b.timeOf(n, e)
		return time, mark, time != nil
	}
	b.fail(n.args[0].place().start, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", fmt.Sprintf("%s needs a TIMESTAMP, %s is %s", strings.ToLower(n.name.text), e, e.Type()), castHint(e))
	return nil, mark, false
}

// castHint says how a number can be a time.
func castHint(e compute.Expr) string {
	if e.Type().Integral() {
		return fmt.Sprintf("timestamp_seconds(%s) or timestamp_millis(%s) makes a time of a number", e, e)
	}
	return ""
}

// windowTime binds window_time(window).
func (b *binder) windowTime(n *call) compute.Expr {
	if !b.arity(n, 1, 1) {
		return nil
	}
	e := b.expr(n.args[0])
	if e == nil {
		return nil
	}
	out, mark := b.timeOf(n, e)
	if out != nil {
		b.scope.marked = append(b.scope.marked, marked{out, mark})
	}
	return out
}

// timeOf is the last microsecond of a window: the time that stands for what was grouped by it.
func (b *binder) timeOf(n *call, window compute.Expr) (compute.Expr, timeMark) {
	mark := b.scope.markOf(window)
	if window.Type().Kind != columnar.StructKind {
		b.fail(n.args[0].place().start, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", fmt.Sprintf("%s needs the column of a window, %s is %s", strings.ToLower(n.name.text), window, window.Type()), "")
		return nil, mark
	}
	if !mark.window() {
		b.fail(n.args[0].place().start, "_LEGACY_ERROR_TEMP_3101", fmt.Sprintf("%s is not the window of a window function", window), "group by window(...) or session_window(...) in a subquery and select the column window or session_window")
		return nil, mark
	}
	last := must("-", member(window, "end"), compute.DayTimeValue(1, columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit)))
	return last, timeMark{event: mark.event}
}

// windowHint says of an unknown name that looks like that of a window where those come from.
func (b *binder) windowHint(name string) string {
	switch {
	case (name == "window" || name == "session_window") && b.scope.windows.bad:
		return "it is that of a window function with a fault"
	case name == "window", name == "session_window":
		return "GROUP BY " + name + "(...) makes it"
	case name == "window_start" && b.scope.windows.name != "":
		return "write " + b.scope.windows.name + ".start"
	case name == "window_end" && b.scope.windows.name != "":
		return "write " + b.scope.windows.name + ".end"
	}
	return ""
}
