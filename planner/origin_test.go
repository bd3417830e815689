package planner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// A column keeps its origin under other names, through subqueries, filters and groups, and loses it where it is computed.
func TestOrigins(t *testing.T) {
	hidden := columnar.NewSchema(columnar.Field{Name: "_offset", Type: columnar.BigInt})
	schema, err := ParseSchema("ts TIMESTAMP, page STRING, tags ARRAY<STRING>")
	require.NoError(t, err)
	table := Table{Schema: schema, Hidden: hidden, EventTime: &EventTime{Column: "ts", Delay: 1_000_000}}
	catalog := Catalog{"e": table, "f": table}
	for query, want := range map[string][]Origin{
		"SELECT ts AS t, _offset o, ts + INTERVAL 1 SECOND x FROM (SELECT * , _offset FROM e WHERE page > '')":         {{Kind: SourceColumn, Source: "e", Column: "ts"}, {Kind: SourceColumn, Source: "e", Column: "_offset", Hidden: true}, {}},
		"SELECT page, explode(tags) AS tag FROM e":                                                                     {{Kind: SourceColumn, Source: "e", Column: "page"}, {}},
		"SELECT ts FROM e UNION ALL SELECT ts FROM f":                                                                  {{}},
		"SELECT window.start s, window.end n, window w, page, count(*) c FROM e GROUP BY window(ts, '1 minute'), page": {{Kind: WindowStart}, {Kind: WindowEnd}, {Kind: WindowBounds}, {Kind: SourceColumn, Source: "e", Column: "page"}, {}},
		"SELECT date_trunc('HOUR', window.start) s FROM e GROUP BY window(ts, '1 minute')":                             {{}},
		"SELECT window.end - INTERVAL 1 MINUTE s FROM e GROUP BY window(ts, '1 minute')":                               {{}},
	} {
		planned, err := Plan(query, catalog, Options{})
		require.NoError(t, err, query)
		got := Origins(planned.Physical)
		for i := range got {
			got[i].Window = nil
		}
		require.Equal(t, want, got, "%s\n%s", query, FormatPhysical(planned.Physical))
	}
}
