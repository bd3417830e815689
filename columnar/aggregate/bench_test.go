package aggregate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
)

const batchRows = 1 << 16

// BenchmarkGroupBy is GROUP BY one BIGINT with count(*) and sum(v) over batches of 64k rows in random order.
func BenchmarkGroupBy(b *testing.B) {
	for _, groups := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(groups), func(b *testing.B) {
			batches := numberBatches(groups)
			x := group.NewIndex([]columnar.Type{columnar.BigInt})
			accs := []aggregate.Accumulator{newCall(b, "count").New(), newCall(b, "sum", compute.Column(0, "v", columnar.BigInt, false)).New()}
			var ids []int32
			run := func(keys, values columnar.Column) {
				ids = x.Add([]columnar.Column{keys}, nil, ids)
				for k, acc := range accs {
					acc.Resize(x.Len())
					acc.Update(ids, []columnar.Column{values}[:k])
				}
			}
			for _, c := range batches {
				run(c[0], c[1])
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				run(batches[i%len(batches)][0], batches[i%len(batches)][1])
			}
			report(b)
		})
	}
}

// BenchmarkUpdate is each function alone, over 100k groups that are known.
func BenchmarkUpdate(b *testing.B) {
	v, s := compute.Column(0, "v", columnar.BigInt, false), compute.Column(0, "s", columnar.String, false)
	for _, c := range []*aggregate.Call{newCall(b, "count"), newCall(b, "sum", v), newCall(b, "avg", v), newCall(b, "max", v), newCall(b, "max", s), newCall(b, "last", v),
		newCall(b, "max_by", v, compute.Column(0, "v", columnar.BigInt, false)), newCall(b, "stddev", v), newCall(b, "approx_count_distinct", v, compute.Float64(0.3)), distinctCall(b, "count", v)} {
		b.Run(c.String(), func(b *testing.B) { benchmarkUpdate(b, c) })
	}
}

func benchmarkUpdate(b *testing.B, c *aggregate.Call) {
	const groups = 100_000
	acc := c.New()
	acc.Resize(groups)
	schema := columnar.NewSchema(columnar.Field{Name: "v", Type: columnar.BigInt})
	if len(c.Inputs()) > 0 && c.Inputs()[0].Type() == columnar.String {
		schema.Fields[0].Type = columnar.String
	}
	ids := make([]int32, batchRows)
	values, texts := make([]int64, batchRows), columnar.BinaryBuffer{}
	for i := range ids {
		ids[i], values[i] = rand.Int32N(groups), rand.Int64N(1000)
		texts.AppendString(fmt.Sprint("value ", values[i]))
	}
	col := columnar.NewInt64Column(values, nil)
	if schema.Fields[0].Type == columnar.String {
		col = texts.FinishString()
	}
	inputs, err := compute.NewDefaultEvaluator().EvalAll(c.Inputs(), columnar.NewBatch(schema, []columnar.Column{col}, batchRows), nil)
	require.NoError(b, err)
	acc.Update(ids, inputs)
	b.ReportAllocs()
	for b.Loop() {
		acc.Update(ids, inputs)
	}
	report(b)
}

func report(b *testing.B) {
	b.ReportMetric(float64(b.N)*batchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/batchRows, "ns/row")
}

func newCall(b *testing.B, name string, args ...compute.Expr) *aggregate.Call {
	c, err := aggregate.Bind(name, args, false, nil)
	require.NoError(b, err)
	return c
}

func distinctCall(b *testing.B, name string, args ...compute.Expr) *aggregate.Call {
	c, err := aggregate.Bind(name, args, true, nil)
	require.NoError(b, err)
	return c
}

// numberBatches are enough batches of keys and values to see most of the keys.
func numberBatches(groups int) [][2]columnar.Column {
	var out [][2]columnar.Column
	for range max(4, 2*groups/batchRows) {
		keys, values := make([]int64, batchRows), make([]int64, batchRows)
		for i := range keys {
			keys[i], values[i] = rand.Int64N(int64(groups)), rand.Int64N(1000)
		}
		out = append(out, [2]columnar.Column{columnar.NewInt64Column(keys, nil), columnar.NewInt64Column(values, nil)})
	}
	return out
}
