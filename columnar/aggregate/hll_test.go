package aggregate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// TestApproxCountDistinct: what Spark 4.0.1 answers for the values 0, 1, ..., n-1.
func TestApproxCountDistinct(t *testing.T) {
	for _, c := range []struct {
		call string
		n    int
		want string
	}{
		{"approx_count_distinct(v BIGINT)", 500, "484"},
		{"approx_count_distinct(v BIGINT)", 1000, "1026"},
		{"approx_count_distinct(v BIGINT)", 1260, "1257"},
		{"approx_count_distinct(v BIGINT)", 1280, "1249"},
		{"approx_count_distinct(v BIGINT)", 1500, "1400"},
		{"approx_count_distinct(v BIGINT)", 3120, "2857"},
		{"approx_count_distinct(v BIGINT)", 10000, "9571"},
		{"approx_count_distinct(v BIGINT)", 100000, "95546"},
		{"approx_count_distinct(v BIGINT, 0.1)", 500, "410"},
		{"approx_count_distinct(v BIGINT, 0.1)", 1500, "1404"},
		{"approx_count_distinct(v BIGINT, 0.02)", 1500, "1494"},
		{"approx_count_distinct(v BIGINT, 0.02)", 3000, "2975"},
		{"approx_count_distinct(v BIGINT, 0.1)", 3000, "3039"},
	} {
		call, schema, err := bind(t, c.call)
		require.NoError(t, err)
		b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(upTo(c.n), nil)}, c.n)
		require.Equal(t, "BIGINT "+c.want, resultOf(call, accumulate(t, call, b, 0, c.n)), "%s of %d", c.call, c.n)
		require.Equal(t, "BIGINT "+c.want, resultOf(call, inTwoParts(t, call, b, c.n/3)), "%s of %d in parts", c.call, c.n)
	}
}

func upTo(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}
