package planner

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// batchTime is the day on which the answers were recorded.
var batchTime = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC).UnixMicro()

// unnamed are the failures for which Spark has no condition of its own: any fault will do.
func unnamed(condition string) bool {
	return strings.HasPrefix(condition, "_LEGACY_ERROR") || slices.Contains([]string{"ArithmeticException", "IllegalArgumentException", "PARSE_SYNTAX_ERROR", "INTERNAL_ERROR"}, condition)
}

// refusedTimes are expressions that are refused although Spark answers them, or whose
// fault has another name, each with its reason.
var refusedTimes = func() map[string]string {
	all := map[string]string{}
	add := func(reason string, list ...string) {
		for _, e := range list {
			all[e] = reason
		}
	}
	add("an unknown unit is named as such", "timestampadd(BOGUS, 1, TIMESTAMP'2024-01-01 00:00:00')", "timestampadd(NANOSECOND, 1, TIMESTAMP'2024-01-01 00:00:00')", "timestampdiff(BOGUS, DATE'2024-01-01', DATE'2024-01-03')")
	add("there are no intervals of months and days at once", "make_interval(1, 2)", "make_interval()", "try_make_interval(1)")
	add("an unknown column has the same condition with and without others", "localtimestamp = localtimestamp()", "curdate", "now")
	for _, zone := range []string{"IST", "BST", "XYZ"} {
		add("abbreviations of zones that are not known or not what they seem are refused",
			"to_timestamp('2024-01-01 "+zone+"', 'yyyy-MM-dd z')", "try_to_timestamp('2024-01-01 "+zone+"', 'yyyy-MM-dd z')")
	}
	return all
}()

// mergedZones are zones whose time before 1970 depends on how the time zone database
// was built.
const mergedZones = "Europe/Amsterdam"

// TestSparkTimes compares expressions over dates, times and intervals with Spark's
// answers, which integration/spark/gen_time.py records.
func TestSparkTimes(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark/time_more.json")
	require.NoError(t, err)
	var cases []sparkCase
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Greater(t, len(cases), 6000)
	for _, c := range cases {
		if refusedTimes[c.Expr] != "" || strings.Contains(c.Expr, mergedZones) {
			continue
		}
		e, err := Expression(c.Expr, columnar.NewSchema())
		got := sparkOutcome(e, err, c.As)
		if unnamed(c.Error) && strings.HasPrefix(got, "error ") {
			continue
		}
		if !sameOutcome(got, c) {
			t.Errorf("%s\n  got  %s\n  want %s %s%s", c.Expr, got, c.Type, c.Value, c.Error)
		}
	}
}

// TestSparkTimeColumns evaluates random nested expressions over a table of times with
// NULLs, as integration/spark/gen_time_columns.py recorded them, all rows at once and
// every third one.
func TestSparkTimeColumns(t *testing.T) {
	b, table := loadSparkTable(t, "time_columns.json")
	defer b.Release()
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	ev := compute.NewEvaluator(mem)
	ev.SetTime(batchTime)
	third := columnar.Selection{}
	for i := 0; i < b.Rows(); i += 3 {
		third = append(third, int32(i))
	}
	require.Greater(t, len(table.Cases), 400)
	for _, c := range table.Cases {
		e, err := Expression(c.Expr, b.Schema())
		for _, sel := range []columnar.Selection{nil, third} {
			if got := columnsOutcome(ev, e, err, b, sel, c); got != "" {
				t.Errorf("%s\n  got  %s\n  want %s %s", c.Expr, got, c.Type, c.Error)
			}
		}
	}
}

// TestTimesOfTheClock: constants that Spark makes of the clock are refused; the batch
// time is what now() gives.
func TestTimesOfTheClock(t *testing.T) {
	for _, text := range []string{"DATE'now'", "DATE'today'", "DATE'yesterday'", "DATE'epoch'", "TIMESTAMP'now'", "TIMESTAMP_NTZ'tomorrow'", "TIMESTAMP'10:20:30'"} {
		_, err := Expression(text, columnar.NewSchema())
		var fault *Error
		require.ErrorAs(t, err, &fault, text)
		require.Equal(t, "INVALID_TYPED_LITERAL", fault.Condition, text)
	}
}
