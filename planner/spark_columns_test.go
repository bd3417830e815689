package planner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
	"github.com/lakewheel/lakewheel/columnar/decode"
)

type columnsCase struct {
	Expr, Type, Error string
	Values            []json.RawMessage
}

type sparkTable struct {
	Schema string
	Rows   []json.RawMessage
	Cases  []columnsCase
}

func loadSparkTable(t *testing.T, name string) (*columnar.Batch, sparkTable) {
	raw, err := os.ReadFile("testdata/spark/" + name)
	require.NoError(t, err)
	var table sparkTable
	require.NoError(t, json.Unmarshal(raw, &table))
	schema, err := ParseSchema(table.Schema)
	require.NoError(t, err)
	var docs columnar.BinaryBuffer
	for _, r := range table.Rows {
		docs.Append(r)
	}
	in := docs.Finish()
	defer in.Release()
	b, errs, err := decode.NewJSON(schema, nil).Decode(in)
	require.NoError(t, err)
	require.Empty(t, errs)
	return b, table
}

// TestSparkColumns evaluates random nested expressions over a table with nulls and
// extremes, for all rows at once and for every third one, and compares row by row.
func TestSparkColumns(t *testing.T) {
	b, table := loadSparkTable(t, "spark_columns.json")
	defer b.Release()
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	ev := compute.NewEvaluator(mem)
	third := columnar.Selection{}
	for i := 0; i < b.Rows(); i += 3 {
		third = append(third, int32(i))
	}
	differing := map[string]bool{}
	for _, c := range table.Cases {
		e, err := Expression(c.Expr, b.Schema())
		for _, sel := range []columnar.Selection{nil, third} {
			if got := columnsOutcome(ev, e, err, b, sel, c); got != "" {
				differing[c.Expr] = true
				t.Logf("%s\n  got  %s\n  want %s %s", c.Expr, got, c.Type, c.Error)
			}
		}
	}
	t.Logf("%d of %d expressions differ", len(differing), len(table.Cases))
	require.Empty(t, differing)
}

// TestSparkColumnsTogether evaluates all expressions that do not fail at once, with what
// they have in common computed once.
func TestSparkColumnsTogether(t *testing.T) {
	b, table := loadSparkTable(t, "spark_columns.json")
	defer b.Release()
	var exprs []compute.Expr
	var cases []columnsCase
	for _, c := range table.Cases {
		if e, err := Expression(c.Expr, b.Schema()); err == nil && c.Error == "" {
			exprs, cases = append(exprs, e), append(cases, c)
		}
	}
	require.Greater(t, len(exprs), 400)
	ev := compute.NewDefaultEvaluator()
	ev.Open()
	defer ev.Close()
	cols, err := ev.EvalAll(compute.Share(exprs), b, nil)
	require.NoError(t, err)
	require.Empty(t, ev.Errors())
	for k, c := range cols {
		for row := range b.Rows() {
			got := sparktest.Value(exprs[k].Type(), c, row)
			require.True(t, sparktest.SameCell(got, string(cases[k].Values[row]), exprs[k].Type()), "%s row %d: %s, not %s", cases[k].Expr, row, got, cases[k].Values[row])
		}
		c.Release()
	}
}

// columnsOutcome is "" where the outcome is Spark's, else what was got instead. A
// selection may leave out the rows that fail.
func columnsOutcome(ev *compute.Evaluator, e compute.Expr, err error, b *columnar.Batch, sel columnar.Selection, want columnsCase) string {
	var fault *Error
	if errors.As(err, &fault) {
		return unless(want.Error, fault.Condition)
	}
	if want.Error == "" && sparktest.TypeName(e.Type()) != want.Type {
		return "type " + sparktest.TypeName(e.Type())
	}
	ev.Reset()
	col, err := ev.Eval(e, b, sel)
	if err != nil {
		return err.Error()
	}
	defer col.Release()
	if list := ev.Errors(); len(list) > 0 {
		return unless(want.Error, sparktest.Condition(list[0].Err))
	}
	if want.Error != "" {
		return map[bool]string{true: "no error", false: ""}[sel == nil]
	}
	for i := range sel.Len(b.Rows()) {
		row := i
		if sel != nil {
			row = int(sel[i])
		}
		if got := sparktest.Value(e.Type(), col, row); !sparktest.SameCell(got, string(want.Values[row]), e.Type()) {
			return fmt.Sprintf("row %d: %s, not %s", row, got, want.Values[row])
		}
	}
	return ""
}

func unless(want, got string) string {
	if want == got {
		return ""
	}
	return "error " + got
}
