package compute_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// slowest is how long the expression of one input may take.
const slowest = time.Minute

// Any text is refused at a place in it or evaluated without a panic, in bounded time and
// with the same outcome when folded, shared, or for one row alone.
func FuzzExpression(f *testing.F) {
	for _, c := range kernelCases(f) {
		f.Add(c.expr)
	}
	for _, hostile := range []string{"space(2147483647)", "repeat(s, 2147483647)", "rpad(s, 2147483647, 'x')", "array_repeat(i, 2147483647)", "sequence(l, 9223372036854775807)",
		"format_string('%2000000000d', n)", "format_number(x, 2000000000)", "transform(sequence(1, 100000000), x -> x)", "s RLIKE '(a*)*b'", "regexp_replace(repeat('a', 50000), '(a|aa)+$', 'b')",
		"repeat('a', 100000) LIKE '%a%a%a%a%a%b'", "levenshtein(repeat('a', 100000), repeat('b', 100000))", "aggregate(sequence(1, 3000), '', (acc, x) -> concat(acc, 'x'))",
		"array_sort(sequence(1, 1000), (x, y) -> y - x)", "flatten(array_repeat(array_repeat(1, 100000), 100000))", "conv(repeat('f', 1000000), 16, 10)", "date_format(t, repeat('y', 1000000))",
		"split(repeat('a', 100000), '')", "str_to_map(repeat('a,', 100000))", "soundex(repeat('a', 1000000))", "map_from_arrays(sequence(1, 5000), sequence(1, 5000))",
		"array_distinct(sequence(1, 5000))", "array_except(sequence(1, 5000), sequence(1, 2500))", "replace(repeat('a', 100000), '', repeat('b', 100000))", "translate(repeat('a', 1000000), 'a', 'b')",
		"CAST(repeat('9', 1000000) AS DECIMAL(38,0))", "CAST(repeat('9', 1000000) AS DOUBLE)", "from_json(repeat('[', 1000000), 'array<int>')", "get_json_object(repeat('[', 1000000), '$[0]')", "factorial(2147483647)",
		"exists(sequence(1, 10000), x -> x < 0)", "zip_with(sequence(1, 10000), sequence(1, 10000), (x, y) -> x + y)", "transform(sequence(1, 200), x -> transform(sequence(1, 200), y -> x + y))"} {
		f.Add(hostile)
	}
	schema, err := planner.ParseSchema("a ARRAY<INT>, b BOOLEAN, c DECIMAL(12,2), d DATE, i INT, j STRING, l BIGINT, m MAP<STRING, INT>, n INT, r STRUCT<p: INT, q: STRING, z: ARRAY<INT>>, s STRING, t TIMESTAMP, x DOUBLE, y BINARY")
	require.NoError(f, err)
	b := decoded(f, schema, nil,
		`{"a":[1,null,3],"b":true,"c":"1.50","d":"2024-02-29","i":7,"j":"{\"a\":1}","l":9223372036854775807,"m":{"a":1},"n":2,"r":{"p":1,"q":"x","z":[2]},"s":"abc","t":"2024-02-29T12:34:56.789Z","x":1.5,"y":"YWI="}`,
		`{}`,
		`{"a":[],"b":false,"c":"-9999999999.99","d":"0001-01-01","i":-2147483648,"j":"[1]","l":-1,"m":{},"n":0,"r":{"p":null},"s":"é,%_ 1","t":"1969-12-31T23:59:59.999999Z","x":"NaN","y":""}`)
	f.Fuzz(func(t *testing.T, text string) {
		begin := time.Now()
		defer func() { require.Less(t, time.Since(begin), slowest, "%q", text) }()
		e, err := planner.Expression(text, schema)
		if err != nil {
			var faults planner.Errors
			require.True(t, errors.As(err, &faults))
			require.NotEmpty(t, faults[0].Pretty())
			return
		}
		plain, ok := attempt(e, b)
		if again, _ := attempt(e, b); !ok || again != plain {
			return // it is too large, or random
		}
		folded, ok := attempt(compute.Fold(e), b)
		require.True(t, ok)
		require.Equal(t, plain, folded)
		shared, ok := attempt(compute.Share([]compute.Expr{e, e})[1], b)
		require.True(t, ok)
		require.Equal(t, plain, shared)
		for row, want := range strings.Split(plain, "\n") {
			part := columnar.Slice(b, row, row+1)
			alone, _ := attempt(e, part)
			part.Release()
			require.Equal(t, want, alone, "row %d alone", row)
		}
	})
}

// attempt prints the outcome of each row on a line; ok is false if the batch as a whole
// is refused.
func attempt(e compute.Expr, b *columnar.Batch) (lines string, ok bool) {
	ev := newEvaluator(nil)
	col, err := ev.Eval(e, b, nil)
	if err != nil {
		return err.Error(), false
	}
	defer col.Release()
	out := make([]string, b.Rows())
	for i := range out {
		out[i] = string(columnar.AppendValueJSON(nil, col, i))
	}
	for _, failed := range ev.Errors() {
		var fault *compute.EvalError
		if errors.As(failed.Err, &fault) {
			out[failed.Row] = "!" + fault.Condition
		}
	}
	return strings.Join(out, "\n"), true
}
