package compute

import (
	"github.com/lakewheel/lakewheel/columnar"
)

// castExpr converts its input. explicit ones were written by the user.
type castExpr struct {
	in       Expr
	typ      columnar.Type
	try      bool
	explicit bool
	run      kernel
}

// Cast converts e under Spark's ANSI rules: a value that has no counterpart in the
// type fails the row, or is NULL if try is set.
func Cast(e Expr, to columnar.Type, try bool) (Expr, error) {
	from := e.Type()
	if from == to && !try {
		return e, nil
	}
	if castable(from, to) && !(try && losesKeys(from, to)) {
		return newCast(e, to, try, true), nil
	}
	condition, advice := refusal(from, to, try)
	return nil, mismatch(condition, "cannot cast %s from %s to %s%s.", e, from, to, advice)
}

func newCast(e Expr, to columnar.Type, try, explicit bool) Expr {
	return &castExpr{in: e, typ: to, try: try, explicit: explicit, run: castKernel(e.Type(), to)}
}

// castable is Spark's canAnsiCast over scalar types.
func castable(from, to columnar.Type) bool {
	if from == to || from == columnar.Null {
		return true
	}
	if from.Nested() || to.Nested() {
		return castableNested(from, to)
	}
	switch to.Kind {
	case columnar.NullKind:
		return false
	case columnar.StringKind:
		return true
	case columnar.BinaryKind:
		return from == columnar.String
	case columnar.DateKind, columnar.TimestampNTZKind:
		return from == columnar.String || datetime(from)
	case columnar.TimestampKind:
		return from == columnar.String || datetime(from) || from.Numeric()
	case columnar.DayTimeIntervalKind, columnar.YearMonthIntervalKind:
		return from == columnar.String || from.Integral() || isDecimal(from) || from.Kind == to.Kind
	case columnar.BooleanKind:
		return from == columnar.String || from.Numeric()
	case columnar.FloatKind, columnar.DoubleKind:
		return from == columnar.String || from == columnar.Boolean || from.Numeric() || from == columnar.Timestamp
	}
	return from == columnar.String || from == columnar.Boolean || from.Numeric() || from == columnar.Timestamp || from.Interval()
}

// refusal names Spark's condition for a cast that does not exist.
func refusal(from, to columnar.Type, try bool) (condition, advice string) {
	switch {
	case from.Numeric() && to == columnar.Date, from == columnar.Date && to.Numeric():
		return "CAST_WITH_FUNC_SUGGESTION", "; use DATE_FROM_UNIX_DATE or UNIX_DATE instead"
	case try:
	case from == columnar.Boolean && to == columnar.Timestamp, to == columnar.Boolean && (from == columnar.Date || from == columnar.Timestamp),
		from.Integral() && to == columnar.Binary:
		return "CAST_WITH_CONF_SUGGESTION", ""
	}
	return "CAST_WITHOUT_SUGGESTION", ""
}

func (c *castExpr) Type() columnar.Type { return c.typ }
func (c *castExpr) Nullable() bool      { return c.try || c.in.Nullable() }
func (c *castExpr) inputs() []Expr      { return []Expr{c.in} }

func (c *castExpr) String() string {
	word := "CAST("
	if c.try {
		word = "TRY_CAST("
	}
	return word + c.in.String() + " AS " + c.typ.String() + ")"
}

func (c *castExpr) with(inputs []Expr) Expr {
	same := *c
	same.in = inputs[0]
	return &same
}

func (c *castExpr) eval(ev *Evaluator, rows []int32) *vector {
	in := c.in.eval(ev, rows)
	if in.allNull() {
		return constantNull(c.typ)
	}
	f := frame{Evaluator: ev, args: []*vector{in}, out: ev.vector(c.typ), try: c.try, source: c}
	f.rows = ev.live(rows, f.out, in)
	if len(f.rows) > 0 {
		c.run(&f)
	}
	return f.out
}
