package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// tally counts for each group how often each value comes. The inputs are the value and, perhaps, how often it counts.
type tally struct {
	live
	*set
	counts []int64 // by item of the set
}

// tallyState is the state of a tally of values of a type.
func tallyState(t columnar.Type) []columnar.Field {
	return []columnar.Field{{Name: "counts", Type: columnar.Array(combined([]columnar.Type{t, columnar.BigInt}))}}
}

func newTally(t columnar.Type) tally { return tally{set: newSet([]columnar.Type{t})} }

func (a *tally) Bytes() int64 { return a.set.Bytes() + sizeOf(a.counts) }

func (a *tally) Keep(groups columnar.Selection) { a.counts = picked(a.counts, a.set.Keep(groups)) }

var errNegativeFrequency = &compute.EvalError{Condition: "NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION", Message: "The frequency is negative."}

func (a *tally) Update(groups []int32, inputs []columnar.Column) (failed []columnar.RowError) {
	groups = a.of(groups, inputs...)
	if len(inputs) == 1 {
		a.count(groups, inputs[0], func(int32) int64 { return 1 })
		return nil
	}
	times := columnar.FixedValues[int64](inputs[1])
	for i, g := range groups {
		if g >= 0 && times[i] < 0 {
			failed = append(failed, columnar.RowError{Row: int32(i), Err: errNegativeFrequency})
		}
	}
	if failed == nil {
		a.count(groups, inputs[0], func(row int32) int64 { return times[row] })
	}
	return failed
}

func (a *tally) count(groups []int32, values columnar.Column, times func(row int32) int64) {
	rows, ids, _ := a.add(groups, []columnar.Column{values})
	a.counts = resized(a.counts, len(a.next))
	for i, id := range ids {
		a.counts[id] += times(rows[i])
	}
}

func (a *tally) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	spread, _, elements := members(groups, state[0])
	return a.Update(spread, columnar.StructParts(elements))
}

func (a *tally) State(groups columnar.Selection) []columnar.Column {
	items, offsets := a.items(groups)
	counts := columnar.NewInt64Column(picked(a.counts, items), nil)
	t := combined([]columnar.Type{a.types[0], columnar.BigInt})
	pairs := columnar.NewStructColumn(t, append(a.values(items), counts), len(items), nil)
	return []columnar.Column{columnar.NewArrayColumn(columnar.Array(t), offsets, pairs, nil)}
}
