package planner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// Columns that can tell rows have a text each, which names and other columns do not change; what is computed is of its plan.
func TestDerivations(t *testing.T) {
	hidden := columnar.NewSchema(columnar.Field{Name: "_offset", Type: columnar.BigInt})
	schema, err := ParseSchema("ts TIMESTAMP, at TIMESTAMP, page STRING")
	require.NoError(t, err)
	catalog := Catalog{"e": Table{Schema: schema, Hidden: hidden, EventTime: &EventTime{Column: "ts", Delay: 1_000_000}}}
	derivations := func(query string) map[string]string {
		planned, err := Plan(query, catalog, Options{})
		require.NoError(t, err, query)
		return Derivations(planned.Physical)
	}
	const minute = "window(e.ts, 60000000, 60000000, 0)"
	for query, want := range map[string]map[string]string{
		"SELECT ts AS t, at, page, _offset AS o FROM (SELECT *, _offset FROM e WHERE page > '')":                                     {"t": "e.ts", "at": "e.at", "o": "e._offset"},
		"SELECT window.start s, window.end n, window w, page, count(*) c FROM e GROUP BY window(ts, '1 minute'), page":               {"s": "start of " + minute, "n": "end of " + minute, "w": "bounds of " + minute},
		"SELECT window.start s, sum(length(page)) c FROM e WHERE page > 'a' GROUP BY window(ts, '1 minute'), at HAVING count(*) > 1": {"s": "start of " + minute},
		"SELECT window.start s, count(*) c FROM e GROUP BY window(ts, '1 minute', '30 seconds', '5 seconds')":                        {"s": "start of window(e.ts, 60000000, 30000000, 5000000)"},
		"SELECT page, length(page) AS n FROM e": {},
	} {
		require.Equal(t, want, derivations(query), query)
	}
	moved := derivations("SELECT ts + INTERVAL 1 HOUR AS t FROM e")["t"]
	require.Regexp(t, "^computed by plan [0-9a-f]{16}$", moved)
	require.Equal(t, moved, derivations("SELECT ts + INTERVAL 1 HOUR AS t FROM e")["t"])
	require.NotEqual(t, moved, derivations("SELECT ts + INTERVAL 2 HOUR AS t FROM e")["t"])
}
