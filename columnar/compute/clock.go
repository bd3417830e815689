package compute

import (
	"errors"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// errNoTime is returned for an expression that needs the time of the batch where the
// evaluator was not given one.
var errNoTime = errors.New("compute: the expression reads the clock, and the evaluator has no time")

// clock is the time that the functions of the current time see, the same for a whole batch.
type clock struct {
	micros   int64
	set, hit bool
}

// SetTime sets the time of the next batches, in microseconds since 1970-01-01 UTC:
// what now(), current_date() and a cast of a time without a date stand on.
func (ev *Evaluator) SetTime(us int64) { ev.clock.micros, ev.clock.set = us, true }

// now is the time of the batch.
func (ev *Evaluator) now() int64 {
	ev.clock.hit = true
	if !ev.clock.set {
		ev.fault = errNoTime
	}
	return ev.clock.micros
}

// current is now() and its like. It is no constant: its value comes with each batch.
type current struct {
	name string
	typ  columnar.Type
}

func (c *current) Type() columnar.Type { return c.typ }
func (c *current) Nullable() bool      { return false }
func (c *current) String() string      { return c.name + "()" }
func (c *current) inputs() []Expr      { return nil }
func (c *current) with([]Expr) Expr    { return c }

func (c *current) eval(ev *Evaluator, _ []int32) *vector {
	us := ev.now()
	if c.typ == columnar.Date {
		days, _ := sqltext.FloorDays(us)
		return constant(c.typ, int32(days))
	}
	return constant(c.typ, us)
}

// ReadsClock reports whether the value of an expression depends on when it is computed.
func ReadsClock(e Expr) bool {
	if _, ok := e.(*current); ok {
		return true
	}
	return slices.ContainsFunc(e.inputs(), ReadsClock)
}

func bindCurrent(t columnar.Type) func(string, []Expr) (Expr, error) {
	return func(name string, _ []Expr) (Expr, error) { return &current{name, t}, nil }
}

var clockFunctions = []function{
	entry("now", "now()", "The time of the batch.", "now()", 0, 0, bindCurrent(columnar.Timestamp)),
	entry("current_timestamp", "current_timestamp()", "The time of the batch.", "current_timestamp()", 0, 0, bindCurrent(columnar.Timestamp)),
	entry("localtimestamp", "localtimestamp()", "The time of the batch as TIMESTAMP_NTZ.", "localtimestamp()", 0, 0, bindCurrent(columnar.TimestampNTZ)),
	entry("current_date", "current_date()", "The day of the batch.", "current_date()", 0, 0, bindCurrent(columnar.Date)),
	entry("curdate", "curdate()", "The day of the batch.", "curdate()", 0, 0, bindCurrent(columnar.Date)),
	entry("current_timezone", "current_timezone()", "The zone of the session, always UTC.", "current_timezone()", 0, 0,
		func(string, []Expr) (Expr, error) { return Text("UTC"), nil }),
}

// NoArguments lists the functions that may be written without parentheses.
func NoArguments(name string) bool {
	return name == "current_timestamp" || name == "current_date"
}
