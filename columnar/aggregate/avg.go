package aggregate

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// bindAvg binds the mean: of a DECIMAL one with four more digits on both sides, of intervals one with all their units,
// else a DOUBLE.
func bindAvg(c *Call) error {
	if err := c.summable(); err != nil {
		return err
	}
	c.def, c.typ = avgOf(c.one().Type(), c.name == "try_avg")
	return nil
}

// avgOf is the mean of values of a type and the type that it has in Spark.
func avgOf(t columnar.Type, try bool) (definition, columnar.Type) {
	var sum definition
	var mean columnar.Type
	var divide quotient
	switch t.Kind {
	case columnar.DecimalKind:
		sum, _ = decimalSum(t, "try_avg", try)
		mean = columnar.Decimal(min(maxDigits, int(t.Precision)+4), min(maxDigits, int(t.Scale)+4))
		divide = divideDecimals(sum.state[0].Type, mean, try)
	case columnar.DayTimeIntervalKind:
		sum, _ = sumOf(t, try)
		mean = columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit)
		divide = divideIntervals[int64](mean)
	case columnar.YearMonthIntervalKind:
		sum, _ = sumOf(t, try)
		mean = columnar.YearMonthInterval(columnar.YearUnit, columnar.MonthUnit)
		divide = divideIntervals[int32](mean)
	default:
		sum, mean = realSumOf(t)
		divide = divideReals
	}
	return definition{
		state: append(sum.state[:len(sum.state):len(sum.state)], columnar.Field{Name: "count", Type: columnar.BigInt}),
		make:  func() Accumulator { return &average{Accumulator: sum.make(), divide: divide} },
	}, mean
}

// realSumOf is the sum of values of a type as a DOUBLE.
func realSumOf(t columnar.Type) (definition, columnar.Type) {
	switch t.Kind {
	case columnar.TinyIntKind:
		return realSum[int8]()
	case columnar.SmallIntKind:
		return realSum[int16]()
	case columnar.IntKind:
		return realSum[int32]()
	case columnar.BigIntKind:
		return realSum[int64]()
	case columnar.FloatKind:
		return realSum[float32]()
	}
	return realSum[float64]()
}

// quotient divides sums by numbers of values; a sum that is NULL stays so.
type quotient func(sums columnar.Column, counts []int64) (columnar.Column, []columnar.RowError)

// average divides the sum that it is made of by the number of values.
type average struct {
	Accumulator
	n      count
	divide quotient
}

func (a *average) Resize(n int) {
	a.Accumulator.Resize(n)
	a.n.Resize(n)
}

func (a *average) Keep(groups columnar.Selection) {
	a.Accumulator.Keep(groups)
	a.n.Keep(groups)
}

func (a *average) Bytes() int64 { return a.Accumulator.Bytes() + a.n.Bytes() }

func (a *average) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	a.n.Update(groups, inputs)
	return a.Accumulator.Update(groups, inputs)
}

func (a *average) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	last := len(state) - 1
	a.n.Merge(groups, state[last:])
	return a.Accumulator.Merge(groups, state[:last])
}

func (a *average) State(groups columnar.Selection) []columnar.Column {
	return append(a.Accumulator.State(groups), a.n.State(groups)...)
}

func (a *average) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	sums, failed := a.Accumulator.Result(groups)
	defer sums.Release()
	means, more := a.divide(sums, picked(a.n.n, groups))
	return means, append(failed, more...)
}

func divideReals(sums columnar.Column, counts []int64) (columnar.Column, []columnar.RowError) {
	means, set := make([]float64, len(counts)), validOf(sums)
	for i, sum := range columnar.FixedValues[float64](sums) {
		if set[i] {
			means[i] = sum / float64(counts[i])
		}
	}
	return columnar.NewFixedColumn(columnar.Double, means, set), nil
}

// divideIntervals rounds half away from zero.
func divideIntervals[T int32 | int64](t columnar.Type) quotient {
	return func(sums columnar.Column, counts []int64) (columnar.Column, []columnar.RowError) {
		means, set := make([]T, len(counts)), validOf(sums)
		for i, sum := range columnar.FixedValues[T](sums) {
			if set[i] {
				means[i] = T(roundedQuotient(int64(sum), counts[i]))
			}
		}
		return columnar.NewFixedColumn(t, means, set), nil
	}
}

func roundedQuotient(a, n int64) int64 {
	q, r := a/n, a%n
	switch {
	case r >= n-r && r > 0:
		return q + 1
	case -r >= n+r && r < 0:
		return q - 1
	}
	return q
}

// divideDecimals fails where the mean has too many digits; it is NULL if try is set.
func divideDecimals(sum, mean columnar.Type, try bool) quotient {
	divide := compute.DecimalQuotient(sum, columnar.Decimal(20, 0), mean)
	return func(sums columnar.Column, counts []int64) (columnar.Column, []columnar.RowError) {
		var failed []columnar.RowError
		means, set := make([]decimalValue, len(counts)), validOf(sums)
		for i, v := range columnar.FixedValues[decimalValue](sums) {
			if !set[i] {
				continue
			}
			var err error
			if means[i], err = divide(v, decimal128.FromI64(counts[i])); err == nil {
				continue
			}
			if set[i] = false; !try {
				failed = append(failed, columnar.RowError{Row: int32(i), Err: err})
			}
		}
		return columnar.NewFixedColumn(mean, means, set), failed
	}
}
