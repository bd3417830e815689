package aggregate

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var sumFunctions = []function{
	entry("sum", "sum(a)", "Sum; of integers a BIGINT.", "sum(a)", 1, 1, bindSum),
	entry("try_sum", "try_sum(a)", "Sum; NULL if it overflows.", "try_sum(a)", 1, 1, bindSum),
	entry("avg", "avg(a)", "Mean.", "avg(a)", 1, 1, bindAvg),
	entry("mean", "mean(a)", "Mean.", "mean(a)", 1, 1, bindAvg),
	entry("try_avg", "try_avg(a)", "Mean; NULL if the sum overflows.", "try_avg(a)", 1, 1, bindAvg),
}

var (
	errLongOverflow     = &compute.EvalError{Condition: "ARITHMETIC_OVERFLOW", Message: "long overflow. Use `try_sum` to tolerate overflow and return NULL instead."}
	errIntervalOverflow = &compute.EvalError{Condition: "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", Message: "Integer overflow while operating with intervals. Use `try_sum` to tolerate overflow and return NULL instead."}
)

// summable casts the argument to what can be added; as in Spark a TIMESTAMP is the number of its seconds.
func (c *Call) summable() error {
	if c.one().Type() == columnar.Timestamp {
		c.inputs[0] = compute.Implicit(c.one(), columnar.Double)
	}
	return c.measurable()
}

// measurable casts strings and NULL to DOUBLE and refuses what is neither number nor interval.
func (c *Call) measurable() error {
	switch t := c.one().Type(); {
	case t.Numeric(), t.Interval():
		return nil
	case t == columnar.Null, t == columnar.String:
		c.inputs[0] = compute.Implicit(c.one(), columnar.Double)
		return nil
	}
	return compute.UnexpectedInput(c.name, 0, `("NUMERIC" or "ANSI INTERVAL")`, c.one())
}

func bindSum(c *Call) error {
	if err := c.summable(); err != nil {
		return err
	}
	c.def, c.typ = sumOf(c.one().Type(), c.name == "try_sum")
	return nil
}

// sumOf is the sum of values of a type and the type that it has in Spark.
func sumOf(t columnar.Type, try bool) (definition, columnar.Type) {
	switch {
	case t.Kind == columnar.TinyIntKind:
		return exactSum[int8, int64](columnar.BigInt, errLongOverflow, try)
	case t.Kind == columnar.SmallIntKind:
		return exactSum[int16, int64](columnar.BigInt, errLongOverflow, try)
	case t.Kind == columnar.IntKind:
		return exactSum[int32, int64](columnar.BigInt, errLongOverflow, try)
	case t.Kind == columnar.BigIntKind:
		return exactSum[int64, int64](columnar.BigInt, errLongOverflow, try)
	case t.Kind == columnar.DayTimeIntervalKind:
		return exactSum[int64, int64](t, errIntervalOverflow, try)
	case t.Kind == columnar.YearMonthIntervalKind:
		return exactSum[int32, int32](t, errIntervalOverflow, try)
	case t.Kind == columnar.DecimalKind:
		return decimalSum(t, "try_sum", try)
	case t.Kind == columnar.FloatKind:
		return realSum[float32]()
	}
	return realSum[float64]()
}

type signed interface {
	int8 | int16 | int32 | int64
}

// sumState are the columns of a sum. What overflowed for a try_ function is marked.
func sumState(t columnar.Type, marked bool) []columnar.Field {
	fields := []columnar.Field{{Name: "sum", Type: t, Nullable: true}}
	if marked {
		fields = append(fields, columnar.Field{Name: "overflow", Type: columnar.Boolean})
	}
	return fields
}

func exactSum[T signed, S int32 | int64](t columnar.Type, err error, try bool) (definition, columnar.Type) {
	if try {
		err = nil
	}
	return definition{
		state: sumState(t, try),
		make:  func() Accumulator { return &exact[T, S]{cells: cells[S]{typ: t}, err: err} },
	}, t
}

// exact adds values of T up in S. Without an err a sum that overflows is NULL for ever.
type exact[T signed, S int32 | int64] struct {
	live
	cells[S]
	over []bool // if there is no err
	err  error
}

func (a *exact[T, S]) Resize(n int) {
	a.cells.Resize(n)
	if a.err == nil {
		a.over = resized(a.over, n)
	}
}

func (a *exact[T, S]) Keep(groups columnar.Selection) {
	a.cells.Keep(groups)
	if a.err == nil {
		a.over = columnar.Keep(a.over, groups)
	}
}

func (a *exact[T, S]) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	return addExact(a, a.of(groups, inputs[0]), columnar.FixedValues[T](inputs[0]))
}

func (a *exact[T, S]) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	failed := addExact(a, a.of(groups, state[0]), columnar.FixedValues[S](state[0]))
	if a.err == nil {
		spread(a.over, groups, state[1])
	}
	return failed
}

func addExact[T, V signed, S int32 | int64](a *exact[T, S], groups []int32, values []V) (failed []columnar.RowError) {
	sums, set := a.values, a.set
	for i, g := range groups {
		if g < 0 {
			continue
		}
		x, before := S(values[i]), sums[g]
		after := before + x
		if (before^after)&(x^after) < 0 {
			failed = a.overflow(failed, i, g)
			continue
		}
		sums[g], set[g] = after, true
	}
	return failed
}

func (a *exact[T, S]) overflow(failed []columnar.RowError, row int, group int32) []columnar.RowError {
	if a.err == nil {
		a.over[group] = true
		return failed
	}
	return append(failed, columnar.RowError{Row: int32(row), Err: a.err})
}

func (a *exact[T, S]) State(groups columnar.Selection) []columnar.Column {
	state := []columnar.Column{a.column(groups)}
	if a.err == nil {
		state = append(state, columnar.NewBooleanColumn(picked(a.over, groups), nil))
	}
	return state
}

func (a *exact[T, S]) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	if a.err != nil {
		return a.column(groups), nil
	}
	set := picked(a.set, groups)
	for i, over := range picked(a.over, groups) {
		set[i] = set[i] && !over
	}
	return columnar.NewFixedColumn(a.typ, picked(a.values, groups), set), nil
}

// spread sets the marks of the groups whose row is TRUE.
func spread(marks []bool, groups []int32, c columnar.Column) {
	for i, g := range groups {
		if g >= 0 && columnar.BooleanAt(c, i) {
			marks[g] = true
		}
	}
}

type number interface {
	signed | float32 | float64
}

func realSum[T number]() (definition, columnar.Type) {
	return definition{
		state: sumState(columnar.Double, false),
		make:  func() Accumulator { return &realTotal[T]{cells: cells[float64]{typ: columnar.Double}} },
	}, columnar.Double
}

// realTotal adds numbers up as DOUBLE.
type realTotal[T number] struct {
	live
	cells[float64]
}

func (a *realTotal[T]) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	addReal(a.values, a.set, a.of(groups, inputs[0]), columnar.FixedValues[T](inputs[0]))
	return nil
}

func (a *realTotal[T]) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	addReal(a.values, a.set, a.of(groups, state[0]), columnar.FixedValues[float64](state[0]))
	return nil
}

func addReal[T number](sums []float64, set []bool, groups []int32, values []T) {
	for i, g := range groups {
		if g >= 0 {
			sums[g] += float64(values[i])
			set[g] = true
		}
	}
}

func (a *realTotal[T]) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.column(groups)}
}

func (a *realTotal[T]) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	return a.column(groups), nil
}

type decimalValue = decimal128.Num
