package compute_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

const kernelBenchRows = 16_384

// benchHeap stands for what a run keeps in memory: beside an empty heap the collector would run every few calls.
const benchHeap = 64 << 20

// BenchmarkKernels evaluates what queries use most.
func BenchmarkKernels(b *testing.B) {
	schema, err := planner.ParseSchema("i BIGINT, k BIGINT, x DOUBLE, s STRING, t STRING, j STRING, a ARRAY<INT>")
	require.NoError(b, err)
	docs := make([]string, kernelBenchRows)
	for i := range docs {
		h := uint32(i+1) * 2654435761 % 1000
		docs[i] = fmt.Sprintf(`{"i":%d,"k":%d,"x":%d.5,"s":"/shop/item-%d/view","t":"2026-01-%02d 10:20:%02d.%03d","j":"{\"user\":\"u%d\",\"n\":%d}","a":[%d,2,3,%d]}`, i, h, h, h, i%28+1, i%60, h, h, i, h, i)
	}
	batch := decoded(b, schema, nil, docs...)
	defer batch.Release()
	defer runtime.KeepAlive(make([]byte, benchHeap))
	for _, text := range []string{"i + k", "x * 2D", "i > k", "i = 500", "s = '/shop/item-7/view'", "s LIKE '/shop/%'", "s LIKE '%item-7%'", "contains(s, 'item-7')", "CAST(t AS TIMESTAMP)",
		"s RLIKE 'item-[0-9]+7/'", "a[0]", "transform(a, v -> v + 1)", "filter(a, v -> v > 100)", "exists(a, v -> v = 7)", "aggregate(a, 0, (acc, v) -> acc + v)",
		"get_json_object(j, '$.user')", "from_json(j, 'user STRING, n BIGINT')", "coalesce(i, k)", "CASE WHEN i > k THEN i ELSE k END"} {
		b.Run(text, func(b *testing.B) {
			e, err := planner.Expression(text, schema)
			require.NoError(b, err)
			benchExpression(b, compute.Fold(e), batch)
		})
	}
}

func benchExpression(b *testing.B, e compute.Expr, batch *columnar.Batch) {
	ev := compute.NewDefaultEvaluator()
	b.ReportAllocs()
	for b.Loop() {
		col, err := ev.Eval(e, batch, nil)
		if err != nil || len(ev.Errors()) > 0 {
			b.Fatal(err, ev.Errors())
		}
		col.Release()
	}
	rows := float64(b.N) * float64(batch.Rows())
	b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/rows, "ns/row")
}
