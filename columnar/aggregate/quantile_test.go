package aggregate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// TestPercentileApprox: what Spark 4.0.1 answers for the values 0, 1, ..., n-1 in one partition.
func TestPercentileApprox(t *testing.T) {
	for _, c := range []struct {
		call string
		n    int
		want string
	}{
		{"percentile_approx(v BIGINT, array(0.1, 0.5, 0.9))", 1000, "[99,499,899]"},
		{"percentile_approx(v BIGINT, array(0.1, 0.5, 0.9), 10)", 1000, "[0,412,999]"},
		{"percentile_approx(v BIGINT, array(0.1, 0.5, 0.9), 100)", 100000, "[10504,49999,89150]"},
		{"percentile_approx(v BIGINT, array(0.01, 0.5, 0.999))", 100000, "[999,49999,99889]"},
	} {
		call, schema, err := bind(t, c.call)
		require.NoError(t, err)
		b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(upTo(c.n), nil)}, c.n)
		require.Equal(t, "ARRAY<BIGINT> "+c.want, resultOf(call, accumulate(t, call, b, 0, c.n)), "%s of %d", c.call, c.n)
	}
}
