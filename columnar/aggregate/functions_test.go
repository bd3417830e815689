package aggregate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// TestFunctions: every aggregate is documented, and its example binds.
func TestFunctions(t *testing.T) {
	schema, err := planner.ParseSchema("a BIGINT, b BIGINT, c BOOLEAN")
	require.NoError(t, err)
	names := aggregate.Names()
	for i, f := range aggregate.Functions() {
		require.Equal(t, names[i], f.Name)
		require.True(t, aggregate.Known(f.Name))
		require.True(t, strings.HasPrefix(f.Signature, f.Name+"("), f.Name)
		require.NotEmpty(t, f.Summary, f.Name)
		var args []compute.Expr
		for _, a := range split(strings.TrimSuffix(strings.TrimPrefix(f.Example, f.Name+"("), ")")) {
			if a == "*" {
				continue
			}
			e, err := planner.Expression(a, schema)
			require.NoError(t, err, f.Example)
			args = append(args, e)
		}
		_, err := aggregate.Bind(f.Name, args, false, nil)
		require.NoError(t, err, f.Example)
	}
	require.False(t, aggregate.Known("abs"))
	_, err = aggregate.Bind("abs", nil, false, nil)
	require.ErrorContains(t, err, "UNRESOLVED_ROUTINE")
}

// TestString: calls print as in Spark, with all arguments: calls that differ print differently.
func TestString(t *testing.T) {
	for head, want := range map[string]string{
		"count()":                              "count(1)",
		"count(v INT)":                         "count(v)",
		"count(DISTINCT v INT, w INT)":         "count(DISTINCT v, w)",
		"sum(v INT) FILTER (WHERE f BOOLEAN)":  "sum(v) FILTER (WHERE f)",
		"first(v INT, true)":                   "first(v, TRUE)",
		"approx_count_distinct(v INT, 0.01)":   "approx_count_distinct(v, 0.01)",
		"percentile_approx(v INT, 0.5)":        "percentile_approx(v, 0.5, 10000)",
		"approx_percentile(v INT, 0.5, 100)":   "approx_percentile(v, 0.5, 100)",
		"percentile(v INT, array(0.1D, 0.9D))": "percentile(CAST(v AS DOUBLE), array(0.1D, 0.9D), 1)",
		"percentile(v DOUBLE, 0.5, f BIGINT)":  "percentile(v, 0.5, f)",
		"median(v DOUBLE)":                     "median(v)",
		"max_by(x STRING, y INT)":              "max_by(x, y)",
		"collect_set(DISTINCT v INT)":          "collect_set(DISTINCT v)",
	} {
		call, _, err := bind(t, head)
		require.NoError(t, err, head)
		require.Equal(t, want, call.String())
	}
}
