//go:build integration

package spark

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
	"github.com/lakewheel/lakewheel/planner"
)

// kinds are those of which expressions are made.
var kinds = []string{"bool", "tiny", "small", "int", "big", "float", "double", "trig", "dec", "dec38", "text", "text", "bytes", "date", "ts", "ntz", "dt", "ym", "ints", "doubles", "texts", "map", "pair", "pairs", "json"}

// columnAnswer is Spark's: values by row as JSON texts and failures by row, or one
// condition for an expression that has no meaning.
type columnAnswer struct {
	Type   string
	Values []string
	Errors map[int]string
	Error  string
}

// batchTime is given to functions of the clock, of which the rules have none.
var batchTime = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC).UnixMicro()

// tally counts what became of the expressions.
type tally struct{ same, differ, refused, senseless int }

// TestExpressions compares random expressions over random rows: all rows at once, every
// third one, folded, and all expressions together.
func TestExpressions(t *testing.T) {
	r, g := random(t), loadGrammar(t)
	b, _ := bothRead(t, r, tableSchema, tableRows)
	defer b.Release()
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	c := comparison{t: t, b: b, ev: compute.NewEvaluator(mem)}
	c.ev.SetTime(batchTime)
	for todo := howMany(t, "SPARK_EXPRESSIONS", 300); todo > 0; todo -= 100 {
		exprs := make([]string, min(todo, 100))
		for i := range exprs {
			exprs[i] = g.make(r, pick(r, kinds), 1+r.IntN(4))
		}
		var answers []columnAnswer
		ask(t, &answers, map[string]any{"do": "columns", "exprs": exprs})
		for i, e := range exprs {
			c.compare(e, answers[i])
		}
		c.together()
	}
	t.Logf("%d the same, %d differ, %d refused, %d without a meaning", c.same, c.differ, c.refused, c.senseless)
	require.Zero(t, c.differ)
	require.LessOrEqual(t, c.refused, (c.same+c.refused)*3/100, "too many are refused")
}

func howMany(t *testing.T, variable string, usual int) int {
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return usual
}

type comparison struct {
	tally
	t  *testing.T
	b  *columnar.Batch
	ev *compute.Evaluator
	// exprs and answers are those that fail in no row, for together.
	exprs   []compute.Expr
	texts   []string
	answers []columnAnswer
}

func (c *comparison) compare(text string, want columnAnswer) {
	e, err := planner.Expression(text, c.b.Schema())
	var fault *planner.Error
	switch {
	case errors.As(err, &fault) && (want.Error != "" || want.fails(fault.Condition)):
		c.senseless++
	case errors.As(err, &fault):
		c.refused++
		c.t.Logf("refused: %s\n  %v", text, err)
	case want.Error != "":
		c.report(text, "type "+sparktest.TypeName(e.Type())+", not error "+want.Error)
	case sparktest.TypeName(e.Type()) != want.Type:
		c.report(text, "type "+sparktest.TypeName(e.Type())+", not "+want.Type)
	default:
		c.rows(text, e, want)
	}
}

func (c *comparison) report(text, what string) {
	c.differ++
	c.t.Errorf("%s\n  %s", text, what)
}

// rows compares the outcomes of an expression by row.
func (c *comparison) rows(text string, e compute.Expr, want columnAnswer) {
	third := columnar.Selection{}
	for i := 0; i < c.b.Rows(); i += 3 {
		third = append(third, int32(i))
	}
	confirmed := 0
	for _, way := range []struct {
		name string
		e    compute.Expr
		sel  columnar.Selection
	}{{"", e, nil}, {"every third row, ", e, third}, {"folded, ", compute.Fold(e), nil}} {
		got, err := sparktest.Outcomes(c.ev, way.e, c.b, way.sel)
		if err != nil {
			c.report(text, way.name+err.Error())
			return
		}
		for i := range way.sel.Len(c.b.Rows()) {
			row := i
			if way.sel != nil {
				row = int(way.sel[i])
			}
			expect := want.outcome(row)
			if same(text, got[row], expect, e.Type()) {
				continue
			}
			if confirmed++; !c.confirmed(text, row, got[row], e.Type()) {
				c.report(text, fmt.Sprintf("%srow %d: %s, not %s\n  %s", way.name, row, got[row], expect, c.read(e, row)))
				return
			}
		}
	}
	c.same++
	if len(want.Errors) == 0 && confirmed == 0 {
		c.exprs, c.texts, c.answers = append(c.exprs, e), append(c.texts, text), append(c.answers, want)
	}
}

// confirmed asks Spark for a row in a query of its own: what it compiles and optimizes
// evaluates less, such as the operands of concat() behind a NULL.
func (c *comparison) confirmed(text string, row int, got sparktest.Outcome, t columnar.Type) bool {
	var answers []queryAnswer
	ask(c.t, &answers, map[string]any{"do": "queries", "queries": []string{fmt.Sprintf("SELECT %s AS v FROM t WHERE id = %d", text, row)}})
	want := sparktest.Outcome{Error: answers[0].Error}
	if len(answers[0].Rows) == 1 {
		want.Value = strings.TrimSuffix(strings.TrimPrefix(answers[0].Rows[0], "["), "]")
	}
	return same(text, got, want, t)
}

// fails reports whether every row fails with a condition, as a constant that is seen to
// be wrong before any row does.
func (w columnAnswer) fails(condition string) bool {
	for row := range w.Values {
		if w.Errors[row] != condition {
			return false
		}
	}
	return true
}

func (w columnAnswer) outcome(row int) sparktest.Outcome {
	return sparktest.Outcome{Value: w.Values[row], Error: w.Errors[row]}
}

// read tells a row as far as the text of the expression may have read it.
func (c *comparison) read(e compute.Expr, row int) string {
	var out []string
	text := e.String()
	for i, f := range c.b.Schema().Fields {
		if strings.Contains(text, f.Name) {
			out = append(out, f.Name+"="+sparktest.Value(f.Type, c.b.Column(i), row))
		}
	}
	return strings.Join(out, " ")
}

// together evaluates expressions that do not fail at once, what they have in common once.
func (c *comparison) together() {
	ev := compute.NewDefaultEvaluator()
	ev.SetTime(batchTime)
	ev.Open()
	defer ev.Close()
	columns, err := ev.EvalAll(compute.Share(c.exprs), c.b, nil)
	require.NoError(c.t, err)
	require.Empty(c.t, ev.Errors())
	for k, column := range columns {
		for row := range c.b.Rows() {
			got := sparktest.Outcome{Value: sparktest.Value(c.exprs[k].Type(), column, row)}
			if want := c.answers[k].outcome(row); !same(c.texts[k], got, want, c.exprs[k].Type()) {
				c.report(c.texts[k], fmt.Sprintf("together, row %d: %s, not %s", row, got, want))
				break
			}
		}
		column.Release()
	}
	c.exprs, c.texts, c.answers = nil, nil, nil
}

// inexact are the functions of which Java and Go round the last digits otherwise.
var inexact = regexp.MustCompile(`\b(a?(sin|cos|tan)h?|atan2|exp|expm1|ln|log|log10|log2|log1p|pow|power|cbrt|hypot|cot|sec|csc|degrees|radians)\(`)

// same allows any failure for those to which Spark gives no condition, one name for
// decimals out of range, and other last digits of inexact functions.
func same(text string, got, want sparktest.Outcome, t columnar.Type) bool {
	const outOfRange = "NUMERIC_VALUE_OUT_OF_RANGE"
	switch {
	case got.Same(want, t), want.Error == "NullPointerException": // of Spark's own making
		return true
	case got.Error != "" && want.Error != "":
		unnamed := strings.HasSuffix(want.Error, "Exception") || want.Error == "AssertionError" || strings.HasPrefix(want.Error, "_LEGACY_ERROR")
		return unnamed || strings.HasPrefix(got.Error, outOfRange) && strings.HasPrefix(want.Error, outOfRange)
	case t == columnar.Double && inexact.MatchString(text):
		a, errA := strconv.ParseFloat(strings.Trim(got.Value, `"`), 64)
		b, errB := strconv.ParseFloat(strings.Trim(want.Value, `"`), 64)
		return errA == nil && errB == nil && math.Abs(a-b) <= 1e-12*math.Abs(b)
	}
	return false
}
