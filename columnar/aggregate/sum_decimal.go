package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

const maxDigits = columnar.MaxDecimalPrecision

// decimalSum has ten more digits than what it adds, as far as 38 allow.
func decimalSum(t columnar.Type, advice string, try bool) (definition, columnar.Type) {
	sum := columnar.Decimal(min(maxDigits, int(t.Precision)+10), int(t.Scale))
	var err error
	if !try {
		err = &compute.EvalError{Condition: "ARITHMETIC_OVERFLOW", Message: "Overflow in sum of decimals. Use `" + advice + "` to tolerate overflow and return NULL instead."}
	}
	return definition{
		state: sumState(sum, true),
		make:  func() Accumulator { return &decimalTotal{cells: cells[decimalValue]{typ: sum}, err: err} },
	}, sum
}

// decimalTotal adds decimals up. A sum that overflows stays lost; as in Spark it is the result that fails, or, without an
// err, is NULL.
type decimalTotal struct {
	live
	cells[decimalValue]
	over []bool
	err  error
}

func (a *decimalTotal) Resize(n int) {
	a.cells.Resize(n)
	a.over = resized(a.over, n)
}

func (a *decimalTotal) Keep(groups columnar.Selection) {
	a.cells.Keep(groups)
	a.over = columnar.Keep(a.over, groups)
}

func (a *decimalTotal) Bytes() int64 { return a.cells.Bytes() + sizeOf(a.over) }

func (a *decimalTotal) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	values, precision := columnar.FixedValues[decimalValue](inputs[0]), int(a.typ.Precision)
	for i, g := range a.of(groups, inputs[0]) {
		if g < 0 {
			continue
		}
		sum, fits := addDecimal(a.values[g], values[i], precision)
		a.set[g] = true
		if a.values[g] = sum; !fits {
			a.over[g] = true
		}
	}
	return nil
}

func (a *decimalTotal) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	a.Update(groups, state[:1])
	spread(a.over, groups, state[1])
	return nil
}

// addDecimal reports whether the sum has no more digits than the precision.
func addDecimal(a, b decimalValue, precision int) (decimalValue, bool) {
	sum := a.Add(b)
	if (a.HighBits()^sum.HighBits())&(b.HighBits()^sum.HighBits()) < 0 {
		return decimalValue{}, false
	}
	return sum, sqltext.FitsDecimal(sum, precision)
}

func (a *decimalTotal) State(groups columnar.Selection) []columnar.Column {
	return []columnar.Column{a.column(groups), columnar.NewBooleanColumn(picked(a.over, groups), nil)}
}

func (a *decimalTotal) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	var failed []columnar.RowError
	set := picked(a.set, groups)
	for i, over := range picked(a.over, groups) {
		if !over {
			continue
		}
		set[i] = false
		if a.err != nil {
			failed = append(failed, columnar.RowError{Row: int32(i), Err: a.err})
		}
	}
	return columnar.NewFixedColumn(a.typ, picked(a.values, groups), set), failed
}
