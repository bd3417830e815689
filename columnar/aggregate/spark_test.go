package aggregate_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/planner"
)

// sparkAnswer is what Spark 4.0.1 says of a call over the rows of the file, in groups by the first column: a value for each key,
// as text (hexadecimal of a BINARY), or the condition of an error. Calls whose answer depends on the order in which Spark
// happens to read the rows are not in the file.
type sparkAnswer struct {
	Call, Type, Error string
	Nullable          bool
	Values            map[string]*string
}

// knownDifferences are calls that give something else, with the reason.
var knownDifferences = map[string]string{
	"approx_count_distinct(m)": "a MAP has no equality, and what its entries are hashed to depends on their order",
	"regr_intercept(d, dec)":   "the means differ by 17 orders of magnitude: neither answer has more than 8 digits",
}

// TestSpark compares with recorded answers.
func TestSpark(t *testing.T) {
	b, answers := sparkAnswers(t)
	for _, a := range answers {
		if reason, ok := knownDifferences[a.Call]; ok {
			t.Logf("%s differs: %s", a.Call, reason)
			continue
		}
		t.Run(a.Call, func(t *testing.T) { checkAnswer(t, b, a) })
	}
}

func sparkAnswers(t *testing.T) (*columnar.Batch, []sparkAnswer) {
	file, err := os.Open("testdata/spark_groups.json.gz")
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	var table struct{ Columns, Rows []string }
	require.NoError(t, json.Unmarshal(lines.Bytes(), &table))
	schema, err := planner.ParseSchema(strings.Join(table.Columns, ", "))
	require.NoError(t, err)
	var answers []sparkAnswer
	for lines.Scan() {
		var a sparkAnswer
		require.NoError(t, json.Unmarshal(lines.Bytes(), &a))
		answers = append(answers, a)
	}
	return batchOf(t, schema, table.Rows), answers
}

func checkAnswer(t *testing.T, b *columnar.Batch, a sparkAnswer) {
	call, err := bindOver(t, a.Call, b.Schema())
	if err != nil {
		require.Equal(t, "["+a.Error+"]", condition(err))
		return
	}
	have, err := grouped(t, call, b, a.Type == "binary")
	if a.Error != "" {
		require.Error(t, err, "Spark says %s", a.Error)
		require.Equal(t, "["+a.Error+"]", condition(err))
		return
	}
	require.NoError(t, err)
	require.Equal(t, a.Nullable, call.Nullable())
	require.Equal(t, a.Type, strings.ToLower(strings.NewReplacer(", ", ",", ": ", ":").Replace(call.Type().String())))
	require.Equal(t, len(a.Values), len(have))
	for key, want := range a.Values {
		requireSame(t, want, have[key], key)
	}
}

var sorted = regexp.MustCompile(`^sort_array\((.*)\)$`)

// bindOver binds a call over the columns of a schema. sort_array around it is left to grouped.
func bindOver(t *testing.T, text string, schema *columnar.Schema) (*aggregate.Call, error) {
	if inner := sorted.FindStringSubmatch(text); inner != nil {
		text = inner[1]
	}
	part := callPattern.FindStringSubmatch(text)
	require.NotNil(t, part, text)
	var args []compute.Expr
	for _, a := range split(part[3]) {
		if a != "*" {
			args = append(args, expression(t, a, schema))
		}
	}
	var filter compute.Expr
	if part[5] != "" {
		filter = expression(t, part[5], schema)
	}
	return aggregate.Bind(part[1], args, part[2] != "", filter)
}

func expression(t *testing.T, text string, schema *columnar.Schema) compute.Expr {
	e, err := planner.Expression(text, schema)
	require.NoError(t, err, text)
	return compute.Fold(e)
}

// grouped aggregates by the first column and returns the results by key as text, or the first error.
func grouped(t *testing.T, call *aggregate.Call, b *columnar.Batch, hexadecimal bool) (map[string]*string, error) {
	ev := compute.NewDefaultEvaluator()
	inputs, err := ev.EvalAll(call.Inputs(), b, nil)
	require.NoError(t, err)
	x, acc := group.NewIndex([]columnar.Type{b.Schema().Fields[0].Type}), call.New()
	ids := x.Add([]columnar.Column{b.Column(0)}, nil, nil)
	acc.Resize(x.Len())
	failed := append(ev.Errors(), acc.Update(ids, inputs)...)
	result, more := acc.Result(nil)
	if failed = append(failed, more...); len(failed) > 0 {
		return nil, failed[0].Err
	}
	return texts(t, x.Keys(nil)[0], b.Schema().Fields[0].Type, result, call.Type(), strings.HasPrefix(call.Name(), "collect_set"), hexadecimal), nil
}

// texts are values as CAST to STRING writes them, by keys.
func texts(t *testing.T, keys columnar.Column, keyType columnar.Type, values columnar.Column, typ columnar.Type, sort, hexadecimal bool) map[string]*string {
	b := columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "k", Type: keyType, Nullable: true}, columnar.Field{Name: "r", Type: typ, Nullable: true}),
		[]columnar.Column{keys, values}, keys.Len())
	call := "r"
	switch {
	case hexadecimal:
		call = "hex(r)"
	case sort:
		call = "sort_array(r)"
	}
	out := map[string]*string{}
	key, value := expression(t, "string(k)", b.Schema()), expression(t, "string("+call+")", b.Schema())
	cols, err := compute.NewDefaultEvaluator().EvalAll([]compute.Expr{key, value}, b, nil)
	require.NoError(t, err)
	for i := range b.Rows() {
		name, text := "NULL", (*string)(nil)
		if cols[0].IsValid(i) {
			name = columnar.StringAt(cols[0], i)
		}
		if cols[1].IsValid(i) {
			s := strings.Clone(columnar.StringAt(cols[1], i))
			text = &s
		}
		out[strings.Clone(name)] = text
	}
	return out
}

var anyNumber = regexp.MustCompile(`-?\d+(\.\d+)?([eE][-+]?\d+)?`)

// requireSame compares texts, numbers in them by 12 digits.
func requireSame(t *testing.T, want, have *string, key string) {
	if want == nil || have == nil {
		require.Equal(t, want, have, key)
		return
	}
	require.Equal(t, anyNumber.ReplaceAllString(*want, "#"), anyNumber.ReplaceAllString(*have, "#"), "%s: %s, not %s", key, *have, *want)
	numbers := anyNumber.FindAllString(*have, -1)
	for i, text := range anyNumber.FindAllString(*want, -1) {
		if text == numbers[i] {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		y, err := strconv.ParseFloat(numbers[i], 64)
		require.NoError(t, err)
		require.InDelta(t, x, y, 1e-12*math.Max(1, math.Abs(x)), "%s: %s, not %s", key, *have, *want)
	}
}
