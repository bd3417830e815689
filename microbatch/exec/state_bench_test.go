package exec

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/microbatch/state"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// countAndSum groups (window start, user) and computes count(*) and sum(amount) in windows of 10 seconds.
func countAndSum(b testing.TB) *aggregation {
	start, user := compute.Column(0, "start", columnar.Timestamp, false), compute.Column(1, "user", columnar.BigInt, true)
	count, err := aggregate.Bind("count", nil, false, nil)
	require.NoError(b, err)
	sum, err := aggregate.Bind("sum", []compute.Expr{compute.Column(2, "amount", columnar.Double, true)}, false, nil)
	require.NoError(b, err)
	return newAggregation(&planner.AggregateExec{
		Keys: []compute.Expr{start, user}, Calls: []*aggregate.Call{count, sum}, Event: planner.Event{Key: 0, Size: 10_000_000},
		Out: columnar.NewSchema(columnar.Field{Name: "start", Type: columnar.Timestamp}, columnar.Field{Name: "user", Type: columnar.BigInt, Nullable: true},
			columnar.Field{Name: "n", Type: columnar.BigInt}, columnar.Field{Name: "s", Type: columnar.Double, Nullable: true}),
	}, 0)
}

const benchRows = 64 << 10

// events are rows in the columns of the entry: users from a number on, each once, in one window.
func events(first int64, window int64) *columnar.Batch {
	starts, users, amounts := make([]int64, benchRows), make([]int64, benchRows), make([]float64, benchRows)
	for i := range users {
		starts[i], users[i], amounts[i] = window*10_000_000, first+int64(i), float64(i)
	}
	schema := columnar.NewSchema(columnar.Field{Name: "c0", Type: columnar.Timestamp}, columnar.Field{Name: "c1", Type: columnar.BigInt}, columnar.Field{Name: "c2", Type: columnar.Double})
	return columnar.NewBatch(schema, []columnar.Column{columnar.NewTimestampColumn(starts, nil), columnar.NewInt64Column(users, nil), columnar.NewFixedColumn(columnar.Double, amounts, nil)}, benchRows)
}

// portionOf takes batches as a task does.
func portionOf(b testing.TB, op *aggregation, batches ...*columnar.Batch) Portion {
	p := op.newPortion("events", offsets.Partition{}, -1)
	for _, rows := range batches {
		require.NoError(b, p.add(&flow{batch: rows}, &lateRows{}))
	}
	return p
}

// BenchmarkAggregate merges rows of 100,000 groups into state: partial aggregation and merge together.
func BenchmarkAggregate(b *testing.B) {
	for _, groups := range []int64{1_000, 100_000} {
		b.Run(fmt.Sprint(groups), func(b *testing.B) {
			op := countAndSum(b)
			s := op.Begin(2)
			var list []*columnar.Batch
			for i := range int64(16) {
				list = append(list, events(i*benchRows%groups, 1))
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _, err := s.Run([]Portion{portionOf(b, op, list...)}, Moment{})
				require.NoError(b, err)
			}
			rows := float64(b.N) * 16 * benchRows
			b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(b.Elapsed().Seconds()*1e9/rows, "ns/row")
		})
	}
}

// BenchmarkLargeState fills state with ten million groups, writes what one batch of them changed, writes everything, and restores it.
func BenchmarkLargeState(b *testing.B) {
	const millions = 10
	for b.Loop() {
		op := countAndSum(b)
		s := op.Begin(2)
		for first := int64(0); first < millions*1_000_000; first += 4 * benchRows {
			var list []*columnar.Batch
			for i := range int64(4) {
				list = append(list, events(first+i*benchRows, 1))
			}
			_, _, err := s.Run([]Portion{portionOf(b, op, list...)}, Moment{})
			require.NoError(b, err)
		}
		report(b, "filled", s)
		before := s.Runs()
		_, _, err := s.Run([]Portion{portionOf(b, op, events(5_000_000, 1))}, Moment{})
		require.NoError(b, err)
		start := time.Now()
		delta, err := s.Copy(s.Changed(before))
		require.NoError(b, err)
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-delta")
		require.EqualValues(b, benchRows, delta.Rows())
		start = time.Now()
		whole, err := s.Copy(s.Changed(-1))
		require.NoError(b, err)
		body, err := state.Encode("0:window_aggregate", whole)
		require.NoError(b, err)
		whole.Release()
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-snapshot")
		b.ReportMetric(float64(len(body))/1e6, "MB-snapshot")
		s = op.Begin(2)
		start = time.Now()
		require.NoError(b, state.Restore("0:window_aggregate", [][]byte{body}, 0, s))
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-restore")
		report(b, "restored", s)
	}
}

// report logs what the heap holds.
func report(b *testing.B, what string, s State) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.Logf("%s: %d groups, state says %d MiB, live heap %d MiB, taken from the system %d MiB", what, s.Rows(), s.Bytes()>>20, m.HeapAlloc>>20, (m.Sys-m.HeapReleased)>>20)
}
