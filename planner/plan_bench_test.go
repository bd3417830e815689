package planner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkPlan plans a query of ordinary size: about 200 bytes, one filter.
func BenchmarkPlan(b *testing.B) {
	s, err := ParseSchema("event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, amount DECIMAL(12,2)")
	require.NoError(b, err)
	cat := Catalog{"events": {Schema: s}}
	const text = `SELECT event_id, ts, user_id + 1 AS next, CASE WHEN amount > 100 THEN 'high' ELSE 'low' END AS band,
		CAST(amount AS DOUBLE) * 2 AS twice FROM events WHERE page = '/home' AND amount BETWEEN 1 AND 10 AND user_id IN (1, 2, 3)`
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Plan(text, cat, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse reads the same text into a syntax tree only.
func BenchmarkParse(b *testing.B) {
	const text = `SELECT event_id, ts, user_id + 1 AS next, CASE WHEN amount > 100 THEN 'high' ELSE 'low' END AS band,
		CAST(amount AS DOUBLE) * 2 AS twice FROM events WHERE page = '/home' AND amount BETWEEN 1 AND 10 AND user_id IN (1, 2, 3)`
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := parseQuery(text); err != nil {
			b.Fatal(err)
		}
	}
}
