package planner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

// TestFunctions: every function is documented and its example binds.
func TestFunctions(t *testing.T) {
	schema, err := ParseSchema("a BIGINT, b BIGINT, c BOOLEAN, d DATE, f BOOLEAN, s STRING, t TIMESTAMP")
	require.NoError(t, err)
	flags, err := ParseSchema("a BOOLEAN, b BOOLEAN")
	require.NoError(t, err)
	for _, f := range compute.Functions() {
		require.NotEmpty(t, f.Signature, f.Name)
		require.NotEmpty(t, f.Summary, f.Name)
		columns := schema
		if f.Name == "and" || f.Name == "or" || f.Name == "not" {
			columns = flags
		}
		_, err := Expression(f.Example, columns)
		require.NoError(t, err, f.Example)
	}
}
