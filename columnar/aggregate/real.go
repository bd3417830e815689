package aggregate

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// realOf are the values of a column of a number, a time or an interval as DOUBLE.
func realOf(c columnar.Column, t columnar.Type) []float64 {
	switch {
	case t == columnar.Double:
		return columnar.FixedValues[float64](c)
	case t == columnar.Float:
		return reals(columnar.FixedValues[float32](c))
	case t.Kind == columnar.DecimalKind:
		values := make([]float64, c.Len())
		for i, v := range columnar.FixedValues[decimalValue](c) {
			values[i] = v.ToFloat64(int32(t.Scale))
		}
		return values
	}
	switch t.Width() {
	case 1:
		return reals(columnar.FixedValues[int8](c))
	case 2:
		return reals(columnar.FixedValues[int16](c))
	case 4:
		return reals(columnar.FixedValues[int32](c))
	}
	return reals(columnar.FixedValues[int64](c))
}

func reals[T number](values []T) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// ofReals makes a column of a type of numbers, cut to integers where the type has no others. set nil: no nulls.
func ofReals(t columnar.Type, values []float64, set []bool) columnar.Column {
	switch {
	case t == columnar.Double:
		return columnar.NewFixedColumn(t, values, set)
	case t == columnar.Float:
		return columnar.NewFixedColumn(t, cutTo[float32](values), set)
	case t.Kind == columnar.DecimalKind:
		return columnar.NewFixedColumn(t, decimalsOf(t, values), set)
	}
	switch t.Width() {
	case 1:
		return columnar.NewFixedColumn(t, cutTo[int8](values), set)
	case 2:
		return columnar.NewFixedColumn(t, cutTo[int16](values), set)
	case 4:
		return columnar.NewFixedColumn(t, cutTo[int32](values), set)
	}
	return columnar.NewFixedColumn(t, cutTo[int64](values), set)
}

func cutTo[T number](values []float64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v)
	}
	return out
}

// decimalsOf rounds to the scale of the type: what a decimal became as a DOUBLE is that decimal again, as far as
// a DOUBLE has its digits.
func decimalsOf(t columnar.Type, values []float64) []decimalValue {
	out := make([]decimalValue, len(values))
	for i, v := range values {
		out[i], _ = decimal128.FromFloat64(v, maxDigits, int32(t.Scale))
	}
	return out
}
