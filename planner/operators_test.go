package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// operatorsText is "aggregate append by window(ts, '10 seconds'), k: count(1)", a line an operator.
func operatorsText(t *testing.T, query string, cat Catalog, mode OutputMode) string {
	p, err := Plan(query, cat, Options{Mode: mode})
	require.NoError(t, err)
	var lines []string
	for _, o := range Operators(p.Physical) {
		line := o.Kind
		if o.Mode != "" {
			line += " " + o.Mode
		}
		for i, k := range o.Keys {
			line += []string{" by ", ", "}[min(i, 1)] + k.SQL + " " + k.Type
			if k.Window > 0 {
				line += fmt.Sprintf("+%d", k.Window)
			}
		}
		for i, c := range o.Calls {
			line += []string{": ", ", "}[min(i, 1)] + c.SQL + fmt.Sprintf(" %v->", c.Inputs) + c.Type
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// What state is made of follows keys, windows and calls, and nothing that has no state.
func TestOperators(t *testing.T) {
	schema, err := ParseSchema("ts TIMESTAMP, k STRING, v BIGINT, list ARRAY<INT>, gap STRING")
	require.NoError(t, err)
	events := Table{Schema: schema, EventTime: &EventTime{Column: "ts", Delay: 1_000_000}}
	once, within := events, events
	once.Dedup = &DedupRule{Keys: []string{"k", "ts"}}
	within.Dedup = &DedupRule{Keys: []string{"k"}, Within: true}
	cat := Catalog{"events": events, "more": events, "once": once, "within": within}
	const windowed = "aggregate append by window(ts, '10 seconds') TIMESTAMP+10000000, upper(k) STRING: count(1) []->BIGINT, sum(v) [BIGINT]->BIGINT"
	const united = "aggregate append by window(ts, '10 seconds') TIMESTAMP+10000000, union(k | upper(k)) STRING: sum(v) [BIGINT]->BIGINT"
	for _, c := range []struct {
		query string
		mode  OutputMode
		want  string
	}{
		{"SELECT window.start AS ws, count(*) AS n, sum(v) AS s FROM events WHERE v > 1 GROUP BY window(ts, '10 seconds'), upper(k)", Append, windowed},
		{"SELECT upper(k) AS k, count(*) + sum(v) AS x, window.end AS e FROM events WHERE v > 2 GROUP BY window(ts, '10 seconds'), upper(k) HAVING x > 3", Append, windowed},
		{"SELECT sum(v) AS s FROM (SELECT ts, v, upper(k) AS u FROM events UNION ALL SELECT ts, v, k FROM more) GROUP BY window(ts, '10 seconds'), u", Append, united},
		{"SELECT sum(v) AS s FROM (SELECT ts, v, k AS u FROM more UNION ALL SELECT ts, v, upper(k) FROM events) GROUP BY window(ts, '10 seconds'), u", Append, united},
		{"SELECT count(*) AS n, sum(v) AS s FROM (SELECT ts, v, upper(k) AS u FROM events UNION ALL SELECT ts, v, upper(k) FROM more) GROUP BY window(ts, '10 seconds'), u", Append, windowed},
		{"SELECT count(*) AS n, sum(x) AS s FROM (SELECT ts, v AS x, upper(k) AS u FROM events) WHERE x > 1 GROUP BY window(ts, '10 seconds'), u", Append, windowed},
		{"SELECT k, max(v) AS m FROM once GROUP BY session_window(ts, '5 seconds'), k", Append, "session append by session_window(ts, '5 seconds') TIMESTAMP, k STRING: max(v) [BIGINT]->BIGINT\ndedup by k STRING, ts TIMESTAMP"},
		{"SELECT k FROM within", Append, "dedup_within by k STRING"},
		{"SELECT count(*) AS n FROM events GROUP BY window(ts, '1 hour', '15 minutes'), v + 1", Append, "aggregate append by window(ts, '1 hour', '15 minutes') TIMESTAMP+3600000000, (v + 1) BIGINT: count(1) []->BIGINT"},
		{"SELECT count(*) AS n FROM events GROUP BY window(ts, '90 seconds', '90 seconds', '1500 milliseconds')", Append, "aggregate append by window(ts, '90 seconds', '90 seconds', '1500 milliseconds') TIMESTAMP+90000000: count(1) []->BIGINT"},
		{"SELECT count(DISTINCT e) AS n FROM (SELECT ts, explode(list) AS e FROM events) GROUP BY ts", Append, "aggregate append by ts TIMESTAMP: count(DISTINCT explode(list)#0) [INT]->BIGINT"},
		{"SELECT sum(n) AS n FROM (SELECT window AS w, k, count(*) AS n FROM events GROUP BY window(ts, '1 second'), k) GROUP BY window(w, '4 seconds')", Append,
			"aggregate append by window(((window_start + INTERVAL '0 00:00:01' DAY TO SECOND) - INTERVAL '0 00:00:00.000001' DAY TO SECOND), '4 seconds') TIMESTAMP+4000000: sum(`count(1)`) [BIGINT]->BIGINT\n" +
				"aggregate append by window(ts, '1 second') TIMESTAMP+1000000, k STRING: count(1) []->BIGINT"},
		{"SELECT count(*) FILTER (WHERE v > 1) AS n FROM events", Complete, "aggregate complete: count(1) FILTER (WHERE (v > 1)) [BOOLEAN]->BIGINT"},
		{"SELECT k FROM events", Append, ""},
	} {
		require.Equal(t, c.want, operatorsText(t, c.query, cat, c.mode), c.query)
	}
}
