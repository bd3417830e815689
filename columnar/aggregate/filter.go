package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// filtered adds the rows only for which the last input is TRUE.
type filtered struct {
	Accumulator
	hits []int32
}

func (f *filtered) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	last := len(inputs) - 1
	f.hits = f.hits[:0]
	for i, g := range groups {
		if !inputs[last].IsValid(i) || !columnar.BooleanAt(inputs[last], i) {
			g = -1
		}
		f.hits = append(f.hits, g)
	}
	return f.Accumulator.Update(f.hits, inputs[:last])
}
