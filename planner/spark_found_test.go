package planner

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
)

// foundCase is an expression with Spark's value or failure in every row, or its fault.
type foundCase struct {
	Expr, Type, Error string
	Values            []string
	Errors            map[int]string
}

// TestFound compares expressions that the random ones of integration/spark brought up,
// row by row, as integration/spark/gen_columns.py recorded them.
func TestFound(t *testing.T) {
	b, _ := loadSparkTable(t, "found_columns.json")
	defer b.Release()
	raw, err := os.ReadFile("testdata/spark/found_columns.json")
	require.NoError(t, err)
	var file struct{ Cases []foundCase }
	require.NoError(t, json.Unmarshal(raw, &file))
	for _, c := range file.Cases {
		e, err := Expression(c.Expr, b.Schema())
		var fault *Error
		if errors.As(err, &fault) || c.Error != "" {
			require.ErrorAs(t, err, &fault, c.Expr)
			require.Equal(t, c.Error, fault.Condition, c.Expr)
			continue
		}
		require.Equal(t, c.Type, sparktest.TypeName(e.Type()), c.Expr)
		foundRows(t, c, e, b)
		foundRows(t, c, compute.Fold(e), b)
	}
}

func foundRows(t *testing.T, c foundCase, e compute.Expr, b *columnar.Batch) {
	got, err := sparktest.Outcomes(compute.NewDefaultEvaluator(), e, b, nil)
	require.NoError(t, err)
	for row := range got {
		if want := (sparktest.Outcome{Value: c.Values[row], Error: c.Errors[row]}); !got[row].Same(want, e.Type()) {
			t.Errorf("%s, row %d\n  got  %s\n  want %s", c.Expr, row, got[row], want)
			return
		}
	}
}
