package planner

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
)

// sparkCase is an expression with what Spark 4.0.1 made of it: a value by type, or an
// error condition. As is "string" where the value was cast to text as a whole.
type sparkCase struct {
	Expr, Type, Error, As string
	Value                 json.RawMessage
}

// knownDifferences are the expressions that Lakewheel refuses or answers otherwise, each
// with its reason; docs/functions.md repeats them.
var knownDifferences = map[string]string{
	"from_csv('26/08/2015','t TIMESTAMP',map('timestampFormat','dd/MM/yyyy'))": "the formats of dates are no options: read the column as STRING and use to_timestamp with a pattern",
	`"double"`: "text in double quotes is a name for most systems and a string for Spark: it is refused",
	`to_timestamp('2024-01-02T03:04:05.123+0900',"yyyy-MM-dd'T'HH:mm:ss.SSSZ")`: "text in double quotes is a name for most systems and a string for Spark: it is refused",
}

// TestSparkFunctions compares single expressions with Spark's type and value, or error
// condition, both evaluated as they are and folded.
func TestSparkFunctions(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark/spark_functions.json")
	require.NoError(t, err)
	var cases []sparkCase
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Zero(t, compareAll(t, cases))
}

// TestSparkMore does the same with answers of one case a line, which programs in
// integration/spark asked Spark for.
func TestSparkMore(t *testing.T) {
	files, err := filepath.Glob("testdata/spark/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var cases []sparkCase
		for line := range strings.Lines(string(raw)) {
			var c sparkCase
			require.NoError(t, json.Unmarshal([]byte(line), &c), line)
			cases = append(cases, c)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { require.Zero(t, compareAll(t, cases)) })
	}
}

// compareAll logs the cases whose outcome is not Spark's and counts them.
func compareAll(t *testing.T, cases []sparkCase) (differing int) {
	for _, c := range cases {
		if _, ok := knownDifferences[c.Expr]; ok {
			continue
		}
		e, err := Expression(c.Expr, columnar.NewSchema())
		got := sparkOutcome(e, err, c.As)
		if !sameOutcome(got, c) {
			differing++
			t.Logf("%s\n  got  %s\n  want %s %s%s", c.Expr, got, c.Type, c.Value, c.Error)
			continue
		}
		if err == nil && compute.Literal(compute.Fold(e)) {
			require.Equal(t, got, sparkOutcome(compute.Fold(e), nil, c.As), "folded: %s", c.Expr)
		}
	}
	t.Logf("%d of %d expressions differ", differing, len(cases))
	return differing
}

// sparkOutcome is "type value", or "error CONDITION".
func sparkOutcome(e compute.Expr, err error, as string) string {
	var fault *Error
	if errors.As(err, &fault) {
		if fault.Condition == "" {
			return "error " + fault.Error()
		}
		return "error " + fault.Condition
	}
	name := sparktest.TypeName(e.Type())
	if as == "string" {
		if e, err = compute.Cast(e, columnar.String, false); err != nil {
			return "error " + err.Error()
		}
	}
	ev := compute.NewDefaultEvaluator()
	ev.SetTime(batchTime)
	c, err := ev.Eval(e, columnar.NewBatch(columnar.NewSchema(), nil, 1), nil)
	if err != nil {
		return "error " + err.Error()
	}
	if list := ev.Errors(); len(list) > 0 {
		var fault *compute.EvalError
		if errors.As(list[0].Err, &fault) {
			return "error " + fault.Condition
		}
		return "error " + list[0].Err.Error()
	}
	return name + " " + sparktest.Value(e.Type(), c, 0)
}

func sameOutcome(got string, c sparkCase) bool {
	if c.Error != "" {
		return got == "error "+c.Error
	}
	kind, value, _ := strings.Cut(got, " ")
	if rest := strings.TrimPrefix(got, c.Type+" "); rest != got {
		kind, value = c.Type, rest
	}
	return kind == c.Type && (sparktest.SameJSON(value, string(c.Value)) || closeEnough(c.Expr, value, string(c.Value)))
}

// transcendental are the functions whose last digits IEEE 754 leaves open.
var transcendental = []string{"exp(", "ln(", "log", "cbrt(", "power(", "pow(", "degrees(", "radians(", "sin", "cos", "tan", "asin", "acos", "atan", "expm1", "cot(", "sec(", "csc(", "hypot("}

func closeEnough(expr, got, want string) bool {
	for _, f := range transcendental {
		if strings.HasPrefix(expr, f) {
			a, errA := strconv.ParseFloat(strings.Trim(got, `"`), 64)
			b, errB := strconv.ParseFloat(strings.Trim(want, `"`), 64)
			return errA == nil && errB == nil && math.Abs(a-b) <= 4e-16*math.Abs(b)
		}
	}
	return false
}
