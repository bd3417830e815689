package compute

import (
	"fmt"
	"testing"

	"github.com/lakewheel/lakewheel/columnar"
)

const benchRows = 65_536

var benchSchema = columnar.NewSchema(
	columnar.Field{Name: "kind", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "amount", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "price", Type: columnar.Decimal(12, 2), Nullable: true},
	columnar.Field{Name: "user", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true})

func benchBatch(b *testing.B) *columnar.Batch {
	rows := make([]string, benchRows)
	kinds := []string{"view", "click", "buy"}
	for i := range rows {
		h := uint32(i+1) * 2654435761
		rows[i] = fmt.Sprintf(`{"kind":"%s","amount":%d.%02d,"price":%d.%02d,"user":%d,"ts":"2026-01-%02dT00:%02d:00Z"}`, kinds[h%3], h%500, h%100, h%500, h%100, h%100001, h%28+1, h%60)
	}
	return table(b, benchSchema, rows...)
}

func perRow(b *testing.B) {
	b.ReportAllocs()
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkFilter(b *testing.B) {
	batch := benchBatch(b)
	defer batch.Release()
	for _, text := range []string{"kind = 'buy'", "amount > 250", "price > 250", "user = 17", "kind = 'buy' OR amount > 250", "kind = 'buy' AND amount > 250", "kind LIKE 'b%'", "kind IN ('buy', 'click')"} {
		b.Run(text, func(b *testing.B) {
			e, err := parseSQL(text, benchSchema)
			if err != nil {
				b.Fatal(err)
			}
			e = Fold(e)
			ev := NewDefaultEvaluator()
			for b.Loop() {
				if _, err := ev.Filter(e, batch, nil); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b)
		})
	}
}

func BenchmarkEval(b *testing.B) {
	batch := benchBatch(b)
	defer batch.Release()
	for _, text := range []string{"amount * 2D", "user + 1", "price * 2", "price / 3", "upper(kind)", "date_trunc('HOUR', ts)", "year(ts)", "cast(price AS DOUBLE)", "CASE WHEN kind = 'buy' THEN amount ELSE 0D END", "cast(user AS STRING)"} {
		b.Run(text, func(b *testing.B) {
			e, err := parseSQL(text, benchSchema)
			if err != nil {
				b.Fatal(err)
			}
			e = Fold(e)
			ev := NewDefaultEvaluator()
			for b.Loop() {
				c, err := ev.Eval(e, batch, nil)
				if err != nil {
					b.Fatal(err)
				}
				c.Release()
			}
			perRow(b)
		})
	}
}
