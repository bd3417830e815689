package compute

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// BenchmarkTimes reads and prints times.
func BenchmarkTimes(b *testing.B) {
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String, Nullable: true}, columnar.Field{Name: "d", Type: columnar.String, Nullable: true},
		columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true}, columnar.Field{Name: "p", Type: columnar.String, Nullable: true})
	rows := make([]string, benchRows)
	for i := range rows {
		day, minute, second := i%28+1, i%60, i*7%60
		rows[i] = fmt.Sprintf(`{"s":"2026-01-%02d 10:%02d:%02d.%03d","d":"%02d/01/2026 10:%02d:%02d","ts":"2026-01-%02dT10:%02d:%02dZ","p":"yyyy-MM-dd"}`, day, minute, second, i%1000, day, minute, second, day, minute, second)
	}
	batch := table(b, schema, rows...)
	defer batch.Release()
	for _, text := range []string{"cast(s AS TIMESTAMP)", "to_timestamp(d, 'dd/MM/yyyy HH:mm:ss')", "date_format(ts, 'yyyy-MM-dd HH:mm')", "date_format(ts, p)", "cast(ts AS STRING)",
		"from_utc_timestamp(ts, 'Europe/Paris')", "to_utc_timestamp(ts, 'Europe/Paris')", "timestampadd('MONTH', 1, ts)", "timestampdiff('HOUR', TIMESTAMP'2024-01-01 00:00:00', ts)", "add_months(ts, 1)", "date_part('SECOND', ts)"} {
		b.Run(text, func(b *testing.B) {
			e, err := parseSQL(text, schema)
			require.NoError(b, err)
			e = Fold(e)
			ev := NewDefaultEvaluator()
			for b.Loop() {
				c, err := ev.Eval(e, batch, nil)
				require.NoError(b, err)
				require.Empty(b, ev.Errors())
				c.Release()
			}
			perRow(b)
		})
	}
}
