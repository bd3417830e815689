package prune_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
	"github.com/lakewheel/lakewheel/planner"
)

// What bounds of 10 and 20 deny, and what one that is not known leaves open.
func TestDenies(t *testing.T) {
	schema, err := planner.ParseSchema("n BIGINT, m BIGINT")
	require.NoError(t, err)
	for where, denied := range map[string]struct{ known, noUpper, noLower bool }{
		"n < 10":             {true, true, false},
		"n <= 10":            {},
		"n > 20":             {true, false, true},
		"20 < n":             {true, false, true},
		"n >= 20":            {},
		"n = 9":              {true, true, false},
		"n = 21":             {true, false, true},
		"n = 15":             {},
		"n IN (1, 2, 30)":    {true, false, false},
		"n IN (1, 15)":       {},
		"n > 0 AND n > 25":   {true, false, true},
		"n < 5 OR n > 25":    {},
		"n + 1 < 5":          {},
		"m < 5":              {},
		"m < 5 AND n > 100":  {true, false, true},
		"n IS NULL":          {},
		"n > NULL AND n > 0": {true, false, true},
	} {
		cond, err := planner.Expression(where, schema)
		require.NoError(t, err, where)
		c := prune.NewCondition(schema, compute.Conjuncts(compute.Fold(cond)))
		bounds := func(lower, upper bool) func(columnar.Field, bool) (columnar.Column, bool) {
			return func(f columnar.Field, up bool) (columnar.Column, bool) {
				if f.Name == "m" || up && !upper || !up && !lower {
					return nil, false
				}
				return columnar.NewInt64Column([]int64{map[bool]int64{false: 10, true: 20}[up]}, nil), true
			}
		}
		ev := compute.NewDefaultEvaluator()
		require.Equal(t, denied.known, c.Denies(ev, bounds(true, true)), where)
		require.Equal(t, denied.noUpper, c.Denies(ev, bounds(true, false)), where)
		require.Equal(t, denied.noLower, c.Denies(ev, bounds(false, true)), where)
		require.False(t, c.Denies(ev, bounds(false, false)), where)
	}
	require.True(t, (*prune.Condition)(nil).Empty())
}
