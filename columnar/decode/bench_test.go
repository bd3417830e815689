package decode

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// eventSchema is that of the benchmark's stream; a document has about 156 bytes.
var eventSchema = columnar.NewSchema(
	columnar.Field{Name: "event_id", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "user_id", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "page", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "country", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "amount", Type: columnar.Decimal(12, 2), Nullable: true},
	columnar.Field{Name: "kind", Type: columnar.String, Nullable: true})

func events(n int) (columnar.Column, int64) {
	var b columnar.BinaryBuffer
	kinds := []string{"view", "click", "buy"}
	for i := range n {
		h := uint64(i+1) * 0x9e3779b97f4a7c15
		ts := time.UnixMilli(1767225600000 + int64(h%10001) + int64(i)).UTC().Format("2006-01-02T15:04:05.000Z")
		b.Append(fmt.Appendf(nil, `{"event_id":"%016x%016x","ts":"%s","user_id":%d,"page":"/p/%d","country":"DE","amount":%d.%02d,"kind":"%s"}`,
			h, h*31, ts, h%100001, h%1000, h%500, h%100, kinds[h%3]))
	}
	size := int64(b.Bytes())
	return b.Finish(), size
}

func BenchmarkJSON(b *testing.B) {
	const rows = 10_000
	values, size := events(rows)
	defer values.Release()
	d := NewJSON(eventSchema, nil)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		out, errs, err := d.Decode(values)
		if err != nil || len(errs) > 0 {
			b.Fatal(err, errs)
		}
		out.Release()
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/rows, "ns/row")
}

// TestEventsAreGood keeps the benchmark honest.
func TestEventsAreGood(t *testing.T) {
	values, _ := events(100)
	defer values.Release()
	out, errs, err := NewJSON(eventSchema, nil).Decode(values)
	require.NoError(t, err)
	defer out.Release()
	require.Empty(t, errs)
	require.Equal(t, `{"event_id":"9e3779b97f4a7c1528b7bd766a05068b","ts":"2026-01-01T00:00:04.784Z","user_id":65335,"page":"/p/485","country":"DE","amount":"485.85","kind":"click"}`,
		string(columnar.AppendRowJSON(nil, out, 0)))
}
