package aggregate

import (
	"fmt"
	"math"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var percentileFunctions = []function{
	entry("percentile", "percentile(a, p[, frequency])", "Value below which a share p of the values lies, between two of them if need be; p may be an ARRAY.", "percentile(a, 0.9)", 2, 3, bindPercentile),
	entry("median", "median(a)", "Value in the middle.", "median(a)", 1, 1, bindMedian),
	entry("percentile_approx", "percentile_approx(a, p[, accuracy])", "The least value of which a share p of the values is not greater; its rank may be wrong by 1/accuracy (10000) of their number. p may be an ARRAY.", "percentile_approx(a, 0.9, 100)", 2, 3, bindApprox),
	entry("approx_percentile", "approx_percentile(a, p[, accuracy])", "The same as percentile_approx.", "approx_percentile(a, array(0.5, 0.9))", 2, 3, bindApprox),
}

// shares are the percentages of a call; list: they were an ARRAY.
type shares struct {
	of   []float64
	list bool
}

// shares reads the argument at position 1, a constant from 0 to 1 or an ARRAY of them, and moves it to the settings.
func (c *Call) shares() (s shares, err error) {
	e := c.inputs[1]
	if len(compute.Columns(e)) > 0 {
		return s, &compute.TypeError{Condition: "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", Message: fmt.Sprintf("The input `percentage` of %s should be a foldable DOUBLE expression; however, got %s.", c.name, e)}
	}
	want := columnar.Double
	if s.list = e.Type().Kind == columnar.ArrayKind; s.list {
		want = columnar.Array(columnar.Double)
	}
	cast, err := compute.Cast(e, want, false)
	if err != nil {
		return s, compute.UnexpectedInput(c.name, 1, "DOUBLE", e)
	}
	value, ok := constantOf(cast)
	if !ok || value.IsNull(0) {
		return s, &compute.TypeError{Condition: "DATATYPE_MISMATCH.UNEXPECTED_NULL", Message: "The percentage of " + c.name + " must not be null."}
	}
	if s.list {
		_, value = columnar.ListParts(value)
	}
	s.of = slices.Clone(columnar.FixedValues[float64](value))
	for i, p := range s.of {
		if value.IsNull(i) || !(p >= 0 && p <= 1) {
			return s, &compute.TypeError{Condition: "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", Message: fmt.Sprintf("The percentage must be between [0.0, 1.0] (current value = %v).", p)}
		}
	}
	c.settings, c.inputs = append(c.settings, e), slices.Delete(c.inputs, 1, 2)
	return s, nil
}

// resultType is that of values of a type, one for each share.
func (s shares) resultType(t columnar.Type) columnar.Type {
	if s.list {
		return columnar.Array(t)
	}
	return t
}

// column makes the result: for each group the values of its shares, NULL where there are none.
func (s shares) column(t columnar.Type, values []float64, set []bool) columnar.Column {
	if !s.list {
		return ofReals(t, values, set)
	}
	offsets := make([]int32, 1, len(set)+1)
	for range set {
		offsets = append(offsets, offsets[len(offsets)-1]+int32(len(s.of)))
	}
	return columnar.NewArrayColumn(columnar.Array(t), offsets, ofReals(t, values, nil), set)
}

func bindMedian(c *Call) error {
	c.inputs = append(c.inputs, compute.Float64(0.5))
	err := bindPercentile(c)
	c.settings = nil
	return err
}

func bindPercentile(c *Call) error {
	if err := c.measurable(); err != nil {
		return err
	}
	p, err := c.shares()
	if err != nil {
		return err
	}
	if err := c.frequency(); err != nil {
		return err
	}
	t, value := percentileTypes(c.one().Type())
	c.inputs[0] = compute.Implicit(c.one(), value)
	c.typ = p.resultType(t)
	c.def = definition{
		state: tallyState(value),
		make:  func() Accumulator { return &percentile{tally: newTally(value), shares: p, typ: t} },
	}
	return nil
}

// frequency checks the argument behind the share, which is 1 if it is not there.
func (c *Call) frequency() error {
	switch {
	case len(c.inputs) == 1:
		if c.name != "median" {
			c.settings = append(c.settings, compute.Integer(1, columnar.Int))
		}
		return nil
	case !integral(c.inputs[1].Type()):
		return compute.UnexpectedInput(c.name, 2, "INTEGRAL", c.inputs[1])
	}
	c.inputs[1] = compute.Implicit(c.inputs[1], columnar.BigInt)
	return nil
}

// percentileTypes are the type of the result and that in which values of a type are kept.
func percentileTypes(t columnar.Type) (result, value columnar.Type) {
	switch t.Kind {
	case columnar.DayTimeIntervalKind:
		return columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit), t
	case columnar.YearMonthIntervalKind:
		return columnar.YearMonthInterval(columnar.YearUnit, columnar.MonthUnit), t
	}
	return columnar.Double, columnar.Double
}

// percentile interpolates between the values of a tally.
type percentile struct {
	tally
	shares
	typ columnar.Type
}

type counted struct {
	value float64
	count int64
}

func (a *percentile) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	items, offsets := a.items(groups)
	keys := a.values(items)[0]
	defer keys.Release()
	reals := realOf(keys, a.types[0])
	values, set := make([]float64, 0, len(offsets)*len(a.shares.of)), make([]bool, 0, len(offsets))
	for g := range len(offsets) - 1 {
		var sorted []counted
		total := int64(0)
		for at := offsets[g]; at < offsets[g+1]; at++ {
			if n := a.counts[items[at]]; n > 0 {
				sorted = append(sorted, counted{reals[at], n})
				total += n
			}
		}
		slices.SortFunc(sorted, func(x, y counted) int { return compareKeys(x.value, y.value) })
		for _, p := range a.shares.of {
			values = append(values, interpolated(sorted, total, p))
		}
		set = append(set, total > 0 && len(a.shares.of) > 0)
	}
	return a.shares.column(a.typ, values, set), nil
}

func compareKeys(x, y float64) int {
	a, b := orderKey(x), orderKey(y)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// interpolated is the value at the share p of the way from the first to the last of the values.
func interpolated(sorted []counted, total int64, p float64) float64 {
	if total == 0 {
		return 0
	}
	at := float64(total-1) * p
	low, high := math.Floor(at), math.Ceil(at)
	x, y := ranked(sorted, int64(low)), ranked(sorted, int64(high))
	if low == high || x == y {
		return x
	}
	return (high-at)*x + (at-low)*y
}

// ranked is the value of a rank from 0.
func ranked(sorted []counted, rank int64) float64 {
	for _, c := range sorted {
		if rank -= c.count; rank < 0 {
			return c.value
		}
	}
	return sorted[len(sorted)-1].value
}
