package compute

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
)

var sparkSchema = columnar.NewSchema(
	columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "i", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "j", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "x", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "d", Type: columnar.Decimal(12, 2), Nullable: true},
	columnar.Field{Name: "e", Type: columnar.Decimal(18, 6), Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "t", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "b", Type: columnar.Boolean, Nullable: true},
	columnar.Field{Name: "c", Type: columnar.Boolean, Nullable: true},
	columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "dt", Type: columnar.Date, Nullable: true})

type sparkTable struct {
	Rows  []json.RawMessage
	Cases []struct {
		Expr, Type, Error string
		Values            []any
	}
}

func loadSparkTable(t *testing.T) (*columnar.Batch, sparkTable) {
	raw, err := os.ReadFile("testdata/spark_columns.json")
	require.NoError(t, err)
	var table sparkTable
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&table))
	var docs columnar.BinaryBuffer
	for _, r := range table.Rows {
		docs.Append(r)
	}
	in := docs.Finish()
	defer in.Release()
	b, errs, err := decode.NewJSON(sparkSchema, nil).Decode(in)
	require.NoError(t, err)
	require.Empty(t, errs)
	return b, table
}

// TestSparkColumns evaluates random nested expressions over a table, for all rows at
// once and for every third one, and compares row by row.
func TestSparkColumns(t *testing.T) {
	b, table := loadSparkTable(t)
	defer b.Release()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	ev := NewEvaluator(mem)
	var third columnar.Selection
	for i := 0; i < b.Rows(); i += 3 {
		third = append(third, int32(i))
	}
	tried := 0
	for _, c := range table.Cases {
		e, err := parseSQL(c.Expr, sparkSchema)
		if errors.Is(err, errSkip) {
			continue
		}
		tried++
		for _, sel := range []columnar.Selection{nil, third} {
			if got, ok := columnOutcome(ev, e, err, b, sel, c.Values); !ok || got != c.Error && sel == nil {
				t.Errorf("%s\n  got  %s\n  want %s %s", c.Expr, got, c.Type, c.Error)
			}
		}
		if err == nil && c.Type != "" {
			require.Equal(t, c.Type, strings.ToLower(e.Type().String()), c.Expr)
		}
	}
	t.Logf("%d of %d expressions", tried, len(table.Cases))
	require.Greater(t, tried, 150)
}

// columnOutcome is the error condition, or the first row that differs.
func columnOutcome(ev *Evaluator, e Expr, err error, b *columnar.Batch, sel columnar.Selection, want []any) (string, bool) {
	var bind *TypeError
	if errors.As(err, &bind) {
		return bind.Condition, want == nil
	}
	ev.Reset()
	col, err := ev.Eval(e, b, sel)
	if err != nil {
		return err.Error(), false
	}
	defer col.Release()
	if list := ev.Errors(); len(list) > 0 {
		return list[0].Err.(*EvalError).Condition, want == nil
	}
	if want == nil {
		return "no error", sel != nil
	}
	rows := sel
	if rows == nil {
		rows = ev.identity[:b.Rows()]
	}
	v := NewDefaultEvaluator().view(col, e.Type())
	for _, i := range rows {
		if got := cell(v, i); !sameCell(got, want[i], e.Type()) {
			return fmt.Sprintf("row %d: %s, not %v", i, got, want[i]), false
		}
	}
	return "", true
}

func cell(v *vector, row int32) string {
	if v.isNull(row) {
		return "null"
	}
	if v.typ == columnar.Binary {
		return fmt.Sprintf("%x", v.bytesAt(row))
	}
	return string(appendText(nil, v, row))
}

func sameCell(got string, want any, t columnar.Type) bool {
	text := fmt.Sprint(want)
	if want == nil {
		text = "null"
	}
	if got == text || !isFloating(t) {
		return got == text
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(text, 64)
	return errA == nil && errB == nil && (a == b || math.Abs(a-b) <= 1e-15*math.Abs(b))
}
