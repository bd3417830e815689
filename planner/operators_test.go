package planner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What state is made of follows keys, windows and calls, and nothing that has no state.
func TestOperators(t *testing.T) {
	schema, err := ParseSchema("ts TIMESTAMP, k STRING, v BIGINT")
	require.NoError(t, err)
	events := Table{Schema: schema, EventTime: &EventTime{Column: "ts", Delay: 1_000_000}}
	once := events
	once.Dedup = &DedupRule{Keys: []string{"k", "ts"}}
	cat := Catalog{"events": events, "more": events, "once": once}
	operators := func(text string) []Operator {
		p, err := Plan(text, cat, Options{})
		require.NoError(t, err)
		return Operators(p.Physical)
	}
	const query = "SELECT window.start AS ws, count(*) AS n, sum(v) AS s FROM events WHERE v > 1 GROUP BY window(ts, '10 seconds'), upper(k)"
	want := []Operator{{"aggregate-1", "aggregate", []string{"window(ts, 10s, 10s, 0s) TIMESTAMP", "upper(k) STRING"}, []string{"count(1) BIGINT", "sum(v) BIGINT"}}}
	require.Equal(t, want, operators(query))
	for _, same := range []string{
		"SELECT upper(k) AS k, count(*) + sum(v) AS x, window.end AS e FROM events WHERE v > 2 GROUP BY window(ts, '10 seconds'), upper(k) HAVING x > 3",
		"SELECT window.start AS ws, count(*) AS n, sum(v) AS s FROM (SELECT ts, v, upper(k) AS u FROM events UNION ALL SELECT ts, v, k FROM more) GROUP BY window(ts, '10 seconds'), u",
	} {
		require.Equal(t, want, operators(same), same)
	}
	require.Equal(t, []Operator{
		{"session-1", "session", []string{"session_window(ts)", "k STRING"}, []string{"max(v) BIGINT"}},
		{"dedup-2", "dedup", []string{"k STRING", "ts TIMESTAMP"}, nil},
	}, operators("SELECT k, max(v) AS m FROM once GROUP BY session_window(ts, '5 seconds'), k"))
	require.Equal(t, []Operator{
		{"aggregate-1", "aggregate", []string{"window(((window_start + INTERVAL '0 00:00:01' DAY TO SECOND) - INTERVAL '0 00:00:00.000001' DAY TO SECOND), 4s, 4s, 0s) TIMESTAMP"}, []string{"sum(`count(1)`) BIGINT"}},
		{"aggregate-2", "aggregate", []string{"window(ts, 1s, 1s, 0s) TIMESTAMP", "k STRING"}, []string{"count(1) BIGINT"}},
	}, operators("SELECT sum(n) AS n FROM (SELECT window AS w, k, count(*) AS n FROM events GROUP BY window(ts, '1 second'), k) GROUP BY window(w, '4 seconds')"))
	require.Empty(t, operators("SELECT k FROM events"))
}
