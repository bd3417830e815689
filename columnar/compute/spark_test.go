package compute

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// sparkCase is an expression with what Spark 4.0.1 made of it.
type sparkCase struct {
	Expr  string
	Type  string
	Value any
	Error string
	As    string
}

// TestSparkFunctions compares single expressions with Spark's type, value or error condition.
func TestSparkFunctions(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark_functions.json")
	require.NoError(t, err)
	var cases []sparkCase
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&cases))
	tried := 0
	for _, c := range cases {
		if reason, ok := knownDifferences[c.Expr]; ok {
			require.NotEmpty(t, reason)
			continue
		}
		e, err := parseSQL(c.Expr, nil)
		if errors.Is(err, errSkip) {
			continue
		}
		tried++
		got := outcome(e, err)
		if want := c.want(); got != want && !close(c.Expr, got, want) {
			t.Errorf("%s\n  got  %s\n  want %s", c.Expr, got, want)
		}
	}
	t.Logf("%d of %d expressions", tried, len(cases))
	require.Greater(t, tried, 1500)
}

// knownDifferences are wanted: each has its reason.
var knownDifferences = map[string]string{
	"DATE'2024-01-02' - DATE'2024-01-01'":                                         "there is no INTERVAL type",
	"TIMESTAMP'2024-01-02 00:00:00' - TIMESTAMP'2024-01-01 12:00:00'":             "there is no INTERVAL type",
	"TIMESTAMP'2024-01-02 00:00:00' - DATE'2024-01-01'":                           "there is no INTERVAL type",
	"to_date('29/02/2024','dd/MM/yyyy')":                                          "there are no datetime patterns",
	"to_timestamp('2024-01-02T03:04:05.123+0900',\"yyyy-MM-dd'T'HH:mm:ss.SSSZ\")": "there are no datetime patterns",
	"cast('10:20:30' as timestamp)":                                               "a time without a date would need a clock",
	"try_cast('10:20:30' as timestamp)":                                           "a time without a date would need a clock",
	"cast('１' as decimal(5,2))":                                                   "only ASCII digits are digits",
	"try_cast('１' as decimal(5,2))":                                               "only ASCII digits are digits",
	"try_cast('１' as decimal(38,18))":                                             "only ASCII digits are digits",
	"cast('2147483648' as float)":                                                 "the shortest digits; Java 17 prints one too many",
	"try_cast('2147483648' as float)":                                             "the shortest digits; Java 17 prints one too many",
	"cast(2147483648 as float)":                                                   "the shortest digits; Java 17 prints one too many",
	"try_cast(9007199254740993 as float)":                                         "the shortest digits; Java 17 prints one too many",
}

var transcendental = regexp.MustCompile(`^(exp|ln|log|log2|log10|cbrt|power|pow|degrees|radians)\(`)

// close allows the last digits of functions whose rounding IEEE 754 leaves open.
func close(expr, got, want string) bool {
	a, errA := strconv.ParseFloat(strings.TrimPrefix(got, "double "), 64)
	b, errB := strconv.ParseFloat(strings.TrimPrefix(want, "double "), 64)
	return transcendental.MatchString(expr) && errA == nil && errB == nil && math.Abs(a-b) <= 4e-16*math.Abs(b)
}

func (c *sparkCase) want() string {
	if c.Error != "" {
		return "error " + c.Error
	}
	value := "null"
	switch v := c.Value.(type) {
	case bool:
		value = strconv.FormatBool(v)
	case json.Number:
		value = v.String()
	case string:
		value = v
	}
	return strings.ToLower(c.Type) + " " + value
}

func outcome(e Expr, err error) string {
	if err == nil {
		var v *vector
		if v, err = evalOne(e); err == nil {
			return strings.ToLower(e.Type().String()) + " " + printed(v)
		}
	}
	var bind *TypeError
	var eval *EvalError
	switch {
	case errors.As(err, &bind):
		return "error " + bind.Condition
	case errors.As(err, &eval):
		return "error " + eval.Condition
	}
	return "error " + err.Error()
}

func evalOne(e Expr) (*vector, error) {
	ev := NewDefaultEvaluator()
	rows := ev.begin(columnar.NewBatch(columnar.NewSchema(), nil, 1), nil)
	defer ev.end()
	v := e.eval(ev, rows)
	if list := ev.Errors(); len(list) > 0 {
		return nil, list[0].Err
	}
	return single(v), nil
}

func printed(v *vector) string {
	switch {
	case v.isNull(0):
		return "null"
	case v.typ == columnar.Binary:
		return hex.EncodeToString(v.bytesAt(0))
	}
	return string(appendText(nil, v, 0))
}
