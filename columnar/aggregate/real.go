package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
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
	switch rowcode.Width(t) {
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
