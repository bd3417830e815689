package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func TestKeys(t *testing.T) {
	s, err := ParseSchema("ts TIMESTAMP, tz TIMESTAMP_NTZ, page STRING, v INT, tags ARRAY<STRING>")
	require.NoError(t, err)
	catalog := Catalog{"events": {Schema: s}}
	for query, want := range map[string]string{
		"SELECT page, v FROM events":                                                                                  "none",
		"SELECT page, count(*) AS n FROM events GROUP BY page":                                                        "page = page",
		"SELECT count(*) AS n, page AS p FROM events GROUP BY page HAVING n > 3":                                      "p = page",
		"SELECT count(*) AS n FROM events":                                                                            "",
		"SELECT DISTINCT page, v FROM events":                                                                         "page = page, v = v",
		"SELECT lower(page) AS p, count(*) FROM events GROUP BY lower(page)":                                          "p = `lower(page)`",
		"SELECT window, count(*) AS n FROM events GROUP BY window(ts, '5 seconds')":                                   "window = named_struct(start, window_start, end, (window_start + INTERVAL '0 00:00:05' DAY TO SECOND))",
		"SELECT window.start AS s, count(*) AS n FROM events GROUP BY window(ts, '1 day')":                            "s = window_start",
		"SELECT window.end AS e, v, page, count(*) FROM events GROUP BY page, window(ts, '5 seconds', '1 second'), v": "page = page, e = (window_start + INTERVAL '0 00:00:05' DAY TO SECOND), v = v",
		"SELECT window, count(*) FROM events GROUP BY window(tz, '5 seconds')":                                        "window = named_struct(start, `CAST(window_start AS TIMESTAMP_NTZ)`, end, (`CAST(window_start AS TIMESTAMP_NTZ)` + INTERVAL '0 00:00:05' DAY TO SECOND))",
		"SELECT p AS q, n + 1 AS m FROM (SELECT page AS p, count(*) AS n FROM events GROUP BY page) WHERE n > 1":      "q = page",
		"SELECT unix_seconds(window.start) AS s, count(*) FROM events GROUP BY window(ts, '5 seconds')":               "error: window(ts, '5 seconds')",
		"SELECT upper(page) AS p, count(*) FROM events GROUP BY page, v":                                              "error: page, v",
		"SELECT explode(l) AS x FROM (SELECT page, collect_list(v) AS l FROM events GROUP BY page)":                   "error: explode above groups",
		"SELECT page, count(*) AS n FROM events GROUP BY page UNION ALL SELECT page, 0L FROM events":                  "error: UNION ALL above groups",
	} {
		require.Equal(t, want, keysText(t, query, catalog), query)
	}
}

func keysText(t *testing.T, query string, catalog Catalog) string {
	p, err := Plan(query, catalog, Options{Mode: Update})
	require.NoError(t, err, query)
	keys, err := p.Keys(query)
	if err != nil {
		_, text, _ := strings.Cut(err.Error(), "no column for ")
		if text == "" {
			text, _, _ = strings.Cut(err.Error()[strings.Index(err.Error(), ": ")+2:], " makes rows")
			return "error: " + text
		}
		text, _, _ = strings.Cut(text, " (select")
		return "error: " + text
	}
	if keys == nil {
		return "none"
	}
	var parts []string
	for i, at := range keys.Columns {
		parts = append(parts, fmt.Sprint(columnar.QuoteName(p.Physical.Schema().Fields[at].Name), " = ", keys.Exprs[i]))
	}
	return strings.Join(parts, ", ")
}
