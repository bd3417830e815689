package planner

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// batchTime is the day on which the answers were recorded.
var batchTime = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC).UnixMicro()

// unnamed are the failures for which Spark has no condition of its own: any fault will do.
func unnamed(condition string) bool {
	return strings.HasPrefix(condition, "_LEGACY_ERROR") || condition == "ArithmeticException" || condition == "PARSE_SYNTAX_ERROR"
}

// refusedTimes are expressions that are refused although Spark answers them, or whose
// fault has another name, each with its reason.
var refusedTimes = map[string]string{}

// TestSparkTimes compares expressions over dates, times and intervals with Spark's
// answers, which integration/spark/gen_time.py records.
func TestSparkTimes(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark/time_more.json")
	require.NoError(t, err)
	var cases []sparkCase
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Greater(t, len(cases), 6000)
	for _, c := range cases {
		if refusedTimes[c.Expr] != "" {
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
