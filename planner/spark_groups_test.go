package planner

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// differing are the queries on which we differ from Spark 4.0.1: the condition that we give, "" where we have none or plan the query,
// and why.
var differing = map[string]struct{ condition, reason string }{
	// What Spark refuses and we can do.
	"append SELECT window_time(window) FROM events GROUP BY window(ts, '5 seconds')":                                                           {"", "the time of a key is known above the groups"},
	"append SELECT t, sum(c) FROM (SELECT window_time(window) AS t, k, count(*) c FROM events GROUP BY window(ts, '5 seconds'), k) GROUP BY t": {"", "the time of a key is known above the groups"},
	"append SELECT session_window.start, count(*) FROM events GROUP BY session_window(ts, INTERVAL 5 SECONDS), k":                              {"", "an interval is as good as its text"},
	"append SELECT window(ts, INTERVAL 5 SECONDS) FROM events":                                                                                 {"", "an interval is as good as its text"},
	"append SELECT window(ts, INTERVAL 1 MONTH) FROM events":                                                                                   {"_LEGACY_ERROR_TEMP_3231", "an interval is as good as its text"},
	"complete SELECT k, count(*) FROM events GROUP BY k OFFSET 1":                                                                              {"", "a complete result has a first row to leave out"},
	"update SELECT k AS a, count(*) AS n FROM events GROUP BY k HAVING a = 'x' AND n > 1":                                                      {"", "a name in HAVING that is no key is that of the SELECT list, also where types are checked"},
	"update SELECT k AS v, count(*) AS n FROM events GROUP BY k HAVING v > 'x'":                                                                {"", "a name in HAVING that is no key is that of the SELECT list, also where types are checked"},
	// What Spark refuses when the stream has started: we do it before, or when a row cannot be computed.
	"append SELECT count(*) FROM events GROUP BY session_window(ts, '5 seconds')":   {"", "refused before the start"},
	"complete SELECT count(*) FROM events GROUP BY session_window(ts, '5 seconds')": {"", "refused before the start"},
	"append SELECT count(*) FROM events GROUP BY window(ts, '5 seconds'), ts":       {"_LEGACY_ERROR_TEMP_3077", "refused before the start"},
	"update SELECT count(*) AS c FROM events GROUP BY window(ts, '5 seconds'), ts":  {"_LEGACY_ERROR_TEMP_3077", "refused before the start"},
	"append SELECT window(k, '5 seconds') FROM events":                              {"", "a text that is no time fails its row"},
	"update SELECT sum(k) FROM events":                                              {"", "a text that is no number fails its row"},
	"update SELECT sum(*) FROM events":                                              {"INVALID_USAGE_OF_STAR_OR_REGEX", "only count takes *"},
	"update SELECT count(events.*) FROM events":                                     {"INVALID_USAGE_OF_STAR_OR_REGEX", "only count takes *"},
	"complete SELECT m, count(*) n FROM events GROUP BY k, m ORDER BY m":            {"GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "the key is refused first"},
	// What Spark can do and we refuse.
	"append SELECT count(*) FROM events GROUP BY session_window(ts, '0 seconds'), k":               {"", "no row would have a session"},
	"append SELECT count(*) FROM events GROUP BY session_window(ts, 'x'), k":                       {"CANNOT_PARSE_INTERVAL", "no row would have a session"},
	"append SELECT count(*) FROM events GROUP BY session_window(ts, '1 month'), k":                 {"_LEGACY_ERROR_TEMP_3231", "the end of a session is its time plus microseconds"},
	"append SELECT session_window(ts, '5 seconds') FROM events":                                    {"", "a session without others is not one"},
	"append SELECT k FROM events WHERE window(ts, '5 seconds').start > ts":                         {"", "rows are not multiplied in WHERE"},
	"append SELECT k FROM events LIMIT 2":                                                          {"", "a stream has no first rows that would be the same after a restart with other batches"},
	"update SELECT m, count(*) FROM events GROUP BY m":                                             {"GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "a MAP is no key"},
	"update SELECT k, count(*) FROM events GROUP BY ROLLUP(k)":                                     {"", "not there yet"},
	"update SELECT count(*) FROM events GROUP BY NULL":                                             {"", "a key needs a type"},
	"update SELECT explode(array(v)), count(*) FROM events GROUP BY v":                             {"", "a generator above groups goes into a query around them"},
	"update SELECT explode(collect_list(v)) FROM events":                                           {"", "a generator above groups goes into a query around them"},
	"update SELECT histogram_numeric(v, 3) FROM events GROUP BY k":                                 {"", "not there yet"},
	"update SELECT count_min_sketch(v, 0.5d, 0.5d, 1) FROM events GROUP BY k":                      {"", "not there yet"},
	"update SELECT listagg(k) FROM events GROUP BY k":                                              {"", "not there yet"},
	"update SELECT string_agg(k, ',') FROM events GROUP BY k":                                      {"", "not there yet"},
	"update SELECT grouping(k) FROM events GROUP BY k":                                             {"", "not there yet"},
	"append SELECT window(window(ts, '5 seconds'), '10 seconds') FROM events":                      {"_LEGACY_ERROR_TEMP_1039", "windows of windows go into a query around them"},
	"append SELECT DISTINCT ts, window(ts, '5 seconds') AS w FROM events":                          {"_LEGACY_ERROR_TEMP_3077", "refused before the start"},
	"append SELECT count(*) FROM events GROUP BY session_window(ts, make_dt_interval(0,0,0,v)), k": {"", "an interval is as good as its text"},
	"append SELECT count(*), sum(n) FROM (SELECT session_window, k, count(*) AS n FROM events GROUP BY session_window(ts, '5 seconds'), k) GROUP BY session_window": {"", "a session is a key like another where it is not made"},
	"update SELECT transform(array(v), y -> y + count(*)) FROM events GROUP BY v":                                                                                   {"", "parameters of lambdas print by name"},
	"update SELECT filter(collect_list(k), y -> y = k) FROM events GROUP BY k":                                                                                      {"", "parameters of lambdas print by name"},
	"update SELECT first(v, k) FROM events":                                                                                                                         {"DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "as for other constants"},
	"complete SELECT DISTINCT k, v FROM events ORDER BY v":                                                                                                          {"", "a complete result has an order"},
	"complete SELECT k, sum(v) FROM events GROUP BY k SORT BY k":                                                                                                    {"", "there are no parts to sort"},
}

// One query for each rule of groups, windows and output modes, over sources of one schema, of which plain has no watermark. What Spark
// says was recorded by starting each as a stream.
func TestSparkGroups(t *testing.T) {
	const ddl = "ts TIMESTAMP, k STRING, v BIGINT, b BOOLEAN, x DOUBLE, d DECIMAL(10,2), m MAP<STRING,INT>, s STRUCT<start: TIMESTAMP, end: TIMESTAMP>, n TIMESTAMP_NTZ, dt DATE"
	schema, err := ParseSchema(ddl)
	require.NoError(t, err)
	events := Table{Schema: schema, EventTime: &EventTime{Column: "ts", Delay: 10_000_000}}
	cat := Catalog{"events": events, "more": events, "plain": {Schema: schema}}
	file, err := os.Open("testdata/streams/groups.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s stream
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		t.Run(s.Mode+" "+s.Query, func(t *testing.T) { s.compare(t, cat) })
	}
}

func (s stream) compare(t *testing.T, cat Catalog) {
	p, err := Plan(s.Query, cat, Options{Mode: parseMode(t, s.Mode), Spark: true})
	if other, ok := differing[s.Mode+" "+s.Query]; ok {
		require.Equal(t, other.condition, conditionOf(err), other.reason)
		return
	}
	s.verify(t, cat, p, err)
}
