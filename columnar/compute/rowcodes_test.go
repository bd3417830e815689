package compute_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var ordered = columnar.NewSchema(
	columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "x", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
)

func orderedBatch(rt *rapid.T, rows int) *columnar.Batch {
	valid := func() []bool { return rapid.SliceOfN(rapid.Bool(), rows, rows).Draw(rt, "valid") }
	ints := rapid.SliceOfN(rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, 2, math.MaxInt64}), rows, rows).Draw(rt, "n")
	floats := rapid.SliceOfN(rapid.SampledFrom([]float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1e300, math.NaN()}), rows, rows).Draw(rt, "x")
	texts := columnar.NewStringColumn(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "a\x00", "a\x00b", "ab", "b"}), rows, rows).Draw(rt, "s"))
	return columnar.NewBatch(ordered, []columnar.Column{columnar.NewInt64Column(ints, valid()), columnar.NewFixedColumn(columnar.Double, floats, valid()), texts}, rows)
}

// Codes order rows as ORDER BY does, equal ones as they stand, and compare rows of different batches.
func TestRowCodesOrderAsSort(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := orderedBatch(rt, rapid.IntRange(0, 40).Draw(rt, "rows"))
		defer b.Release()
		var by []compute.ColumnOrder
		var keys []compute.OrderKey
		for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(rt, "columns") {
			down := rapid.Bool().Draw(rt, "descending")
			f := ordered.Fields[i]
			by = append(by, compute.ColumnOrder{Column: i, Descending: down})
			keys = append(keys, compute.OrderKey{Expr: compute.Column(i, f.Name, f.Type, true), Descending: down, NullsLast: down})
		}
		want, err := compute.NewDefaultEvaluator().Sort(keys, b, nil)
		require.NoError(rt, err)
		var codes, sorted compute.RowCodes
		codes.Fill(b, by)
		got := codes.Sort()
		require.Equal(rt, append(columnar.Selection{}, want...), got)
		in := columnar.GatherBatch(b, got)
		defer in.Release()
		sorted.Fill(in, by)
		require.True(rt, sorted.Sorted())
		for row, at := range got {
			require.Zero(rt, sorted.Compare(row, &codes, int(at)))
		}
	})
}
