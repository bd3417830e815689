package microbatch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/planner"
)

// BenchmarkSmallBatches is a batch and a commit a second of a thousand events in four partitions, counted by page in windows of ten seconds, with a
// source and a store in memory: what the engine itself takes.
func BenchmarkSmallBatches(b *testing.B) {
	schema, err := planner.ParseSchema("event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, amount DOUBLE, kind STRING")
	require.NoError(b, err)
	r := newRigOf(b, store.NewMem(), "SELECT window.start AS window_start, page AS key, count(*) AS n, sum(amount) AS amount FROM events GROUP BY window(ts, '10 seconds'), page",
		planner.Table{Schema: schema, Hidden: columnar.NewSchema(), EventTime: &planner.EventTime{Column: "ts", Delay: 10_000_000}}, planner.Append)
	r.q.OnProgress = func(microbatch.Progress) {}
	r.q.Trigger.MaxBatches = b.N
	r.clock.tick = func(now time.Time) {
		for i := range 1000 {
			doc := fmt.Sprintf(`{"event_id":"%016x%016x","ts":"%s","user_id":%d,"page":"/p/%d","country":"DE","amount":%d.25,"kind":"view"}`,
				i, now.UnixMicro(), now.Format("2006-01-02T15:04:05.000Z"), i*7919%100_000, (i*i)%1000, i)
			r.src.Append(int32(i%4), []byte(doc), 0)
		}
	}
	r.clock.tick(r.clock.now)
	b.ReportAllocs()
	b.ResetTimer()
	require.NoError(b, microbatch.Run(b.Context(), r.q))
}
