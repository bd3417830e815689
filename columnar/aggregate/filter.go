package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// filtered adds the rows only for which the last input is TRUE.
type filtered struct {
	Accumulator
	live
}

func (f *filtered) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	last := len(inputs) - 1
	return f.Accumulator.Update(f.whereTrue(groups, inputs[last]), inputs[:last])
}
