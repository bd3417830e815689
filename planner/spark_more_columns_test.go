package planner

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
)

// plainLiteral is a STRING that no word such as DATE stands before.
var plainLiteral = regexp.MustCompile(`(^|[(,=<>+|&])('(?:[^'\\]|\\.)*')`)

// TestMoreSparkColumns repeats the recorded expressions with one STRING taken from a
// column that also holds NULL and the empty text: each row has the value that it has alone.
func TestMoreSparkColumns(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark/functions_more.json")
	require.NoError(t, err)
	schema := columnar.NewSchema(columnar.Field{Name: "c0", Type: columnar.String, Nullable: true})
	tried := 0
	for line := range bytes.Lines(raw) {
		var c sparkCase
		require.NoError(t, json.Unmarshal(line, &c))
		for _, at := range plainLiteral.FindAllStringSubmatchIndex(c.Expr, -1) {
			value := literalText(t, c.Expr[at[4]:at[5]])
			e, err := Expression(c.Expr[:at[4]]+"c0"+c.Expr[at[5]:], schema)
			if err != nil {
				continue // it has to be a constant
			}
			whole, err := Expression(c.Expr, schema)
			if err != nil {
				continue
			}
			tried++
			var texts columnar.BinaryBuffer
			texts.AppendString("")
			texts.AppendString(value)
			texts.AppendNull()
			texts.AppendString(value)
			b := columnar.NewBatch(schema, []columnar.Column{texts.FinishString()}, 4)
			want := rowOutcome(t, whole, b, nil, 1)
			require.Equal(t, want, rowOutcome(t, e, b, nil, 1), c.Expr)
			require.Equal(t, want, rowOutcome(t, e, b, columnar.Selection{2, 3}, 3), c.Expr)
			b.Release()
		}
	}
	require.Greater(t, tried, 1500)
}

func literalText(t *testing.T, sql string) string {
	e, err := Expression(sql, columnar.NewSchema())
	require.NoError(t, err)
	c, err := compute.NewDefaultEvaluator().Eval(e, columnar.NewBatch(columnar.NewSchema(), nil, 1), nil)
	require.NoError(t, err)
	defer c.Release()
	return strings.Clone(columnar.StringAt(c, 0))
}

// rowOutcome is the value of one row, or the condition with which it fails.
func rowOutcome(t *testing.T, e compute.Expr, b *columnar.Batch, sel columnar.Selection, row int) string {
	ev := compute.NewDefaultEvaluator()
	c, err := ev.Eval(e, b, sel)
	require.NoError(t, err)
	defer c.Release()
	for _, failed := range ev.Errors() {
		var fault *compute.EvalError
		if int(failed.Row) == row && errors.As(failed.Err, &fault) {
			return "error " + fault.Condition
		}
	}
	return sparktest.Value(e.Type(), c, row)
}
