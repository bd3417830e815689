package compute

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// show prints the value of an expression without columns, with its type, or its error.
func show(t *testing.T, e Expr, err error) string {
	if err != nil {
		return err.Error()
	}
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	ev := NewEvaluator(mem)
	b := columnar.NewBatch(columnar.NewSchema(), nil, 1)
	c, err := ev.Eval(e, b, nil)
	require.NoError(t, err)
	defer c.Release()
	if errs := ev.Errors(); len(errs) > 0 {
		text := errs[0].Err.Error()
		return text[:strings.Index(text, "]")+1]
	}
	return e.Type().String() + " " + string(columnar.AppendValueJSON(nil, c, 0))
}

func dec(text string) Expr {
	e, err := DecimalText(text)
	if err != nil {
		panic(err)
	}
	return e
}

func TestOperators(t *testing.T) {
	one, two, null := Integer(1, columnar.Int), Integer(2, columnar.Int), Null()
	yes, no := Bool(true), Bool(false)
	maxInt, minLong := Integer(2147483647, columnar.Int), Integer(-9223372036854775808, columnar.BigInt)
	nan := Float64(0).(*literal)
	nan.v.floats[0] -= nan.v.floats[0] / nan.v.floats[0]
	for _, c := range []struct {
		op   string
		args []Expr
		want string
	}{
		{"+", []Expr{one, two}, "INT 3"},
		{"+", []Expr{maxInt, one}, "[ARITHMETIC_OVERFLOW]"},
		{"+", []Expr{maxInt, Integer(1, columnar.BigInt)}, "BIGINT 2147483648"},
		{"-", []Expr{minLong, one}, "[ARITHMETIC_OVERFLOW]"},
		{"*", []Expr{minLong, Integer(-1, columnar.Int)}, "[ARITHMETIC_OVERFLOW]"},
		{"*", []Expr{Integer(-3, columnar.BigInt), Integer(4, columnar.BigInt)}, "BIGINT -12"},
		{"/", []Expr{one, two}, "DOUBLE 0.5"},
		{"/", []Expr{one, Integer(0, columnar.Int)}, "[DIVIDE_BY_ZERO]"},
		{"%", []Expr{Integer(-7, columnar.Int), two}, "INT -1"},
		{"%", []Expr{one, Integer(0, columnar.Int)}, "[REMAINDER_BY_ZERO]"},
		{"div", []Expr{Integer(7, columnar.Int), two}, "BIGINT 3"},
		{"+", []Expr{dec("1.5"), dec("2.25")}, `DECIMAL(4,2) "3.75"`},
		{"*", []Expr{dec("1.5"), dec("2.25")}, `DECIMAL(6,3) "3.375"`},
		{"/", []Expr{dec("1.0"), dec("3.0")}, `DECIMAL(8,6) "0.333333"`},
		{"/", []Expr{dec("2.0"), dec("3.0")}, `DECIMAL(8,6) "0.666667"`},
		{"+", []Expr{Text("1"), one}, "BIGINT 2"},
		{"+", []Expr{null, one}, "INT null"},
		{"+", []Expr{yes, one}, "[DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES] (true + 1): the operands have incompatible types BOOLEAN and INT."},
		{"=", []Expr{one, Text("1")}, "BOOLEAN true"},
		{"=", []Expr{one, null}, "BOOLEAN null"},
		{"<=>", []Expr{one, null}, "BOOLEAN false"},
		{"<=>", []Expr{null, null}, "BOOLEAN true"},
		{"<", []Expr{dec("1.10"), dec("1.2")}, "BOOLEAN true"},
		{"=", []Expr{nan, nan}, "BOOLEAN true"},
		{">", []Expr{nan, Float64(1e308)}, "BOOLEAN true"},
		{"<", []Expr{DateValue(1), TimestampValue(1)}, "BOOLEAN false"},
		{"and", []Expr{no, null}, "BOOLEAN false"},
		{"and", []Expr{null, no}, "BOOLEAN false"},
		{"and", []Expr{yes, null}, "BOOLEAN null"},
		{"or", []Expr{yes, null}, "BOOLEAN true"},
		{"or", []Expr{null, no}, "BOOLEAN null"},
		{"not", []Expr{null}, "BOOLEAN null"},
		{"in", []Expr{one, two, one}, "BOOLEAN true"},
		{"in", []Expr{one, two, null}, "BOOLEAN null"},
		{"in", []Expr{one, null, one}, "BOOLEAN true"},
		{"in", []Expr{one, two}, "BOOLEAN false"},
		{"in", []Expr{null, two}, "BOOLEAN null"},
		{"like", []Expr{Text("spark"), Text("sp%")}, "BOOLEAN true"},
		{"like", []Expr{Text("spark"), Text("%p_r%")}, "BOOLEAN true"},
		{"like", []Expr{Text("50%"), Text(`50\%`)}, "BOOLEAN true"},
		{"like", []Expr{Text("505"), Text(`50\%`)}, "BOOLEAN false"},
		{"like", []Expr{Text("a"), Text(`a\`)}, "[INVALID_FORMAT.ESC_AT_THE_END]"},
		{"negate", []Expr{Integer(-2147483648, columnar.Int)}, "[ARITHMETIC_OVERFLOW]"},
		{"negate", []Expr{dec("1.5")}, `DECIMAL(2,1) "-1.5"`},
		{"coalesce", []Expr{null, one, two}, "INT 1"},
		{"nullif", []Expr{one, one}, "INT null"},
		{"if", []Expr{no, one, two}, "INT 2"},
		{"abs", []Expr{Float64(-1.5)}, "DOUBLE 1.5"},
		{"floor", []Expr{Float64(-0.1)}, "BIGINT -1"},
		{"ceil", []Expr{dec("1.01")}, `DECIMAL(2,0) "2"`},
		{"upper", []Expr{Text("né")}, `STRING "NÉ"`},
		{"length", []Expr{Text("né")}, "INT 2"},
		{"length", []Expr{Bytes([]byte("né"))}, "INT 3"},
		{"substring", []Expr{Text("Spark"), Integer(-3, columnar.Int), two}, `STRING "ar"`},
		{"substring", []Expr{Text("Spark"), Integer(0, columnar.Int), two}, `STRING "Sp"`},
		{"substring", []Expr{Text("Spark"), Integer(-10, columnar.Int), Integer(6, columnar.Int)}, `STRING "S"`},
		{"concat", []Expr{Text("a"), one}, `STRING "a1"`},
		{"year", []Expr{Text("2024-02-29")}, "INT 2024"},
		{"hour", []Expr{TimestampValue(-1)}, "INT 23"},
		{"date_trunc", []Expr{Text("month"), Text("2024-02-29 12:30:00")}, `TIMESTAMP "2024-02-01T00:00:00.000Z"`},
		{"unix_seconds", []Expr{TimestampValue(-1)}, "BIGINT -1"},
		{"uper", []Expr{one}, "[UNRESOLVED_ROUTINE] there is no function uper; did you mean upper?"},
		{"abs", nil, "[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] abs requires 1 parameters but the actual number is 0."},
	} {
		e, err := Call(c.op, c.args...)
		require.Equal(t, c.want, show(t, e, err), "%s %v", c.op, c.args)
	}
}

func TestCasts(t *testing.T) {
	for _, c := range []struct {
		from Expr
		to   columnar.Type
		want string
	}{
		{Text(" 12 "), columnar.Int, "INT 12"},
		{Text("1.5"), columnar.Int, "[CAST_INVALID_INPUT]"},
		{Text("2147483648"), columnar.Int, "[CAST_INVALID_INPUT]"},
		{Text("1e3"), columnar.Double, "DOUBLE 1000"},
		{Text("-inf"), columnar.Double, `DOUBLE "-Infinity"`},
		{Text("yes"), columnar.Boolean, "BOOLEAN true"},
		{Text("2024-02-30"), columnar.Date, "[CAST_INVALID_INPUT]"},
		{Text("12.345"), columnar.Decimal(4, 2), `DECIMAL(4,2) "12.35"`},
		{Float64(1e10), columnar.String, `STRING "1.0E10"`},
		{Float64(0.1), columnar.String, `STRING "0.1"`},
		{Float64(3e9), columnar.Int, "[CAST_OVERFLOW]"},
		{Float64(-1.9), columnar.Int, "INT -1"},
		{Integer(300, columnar.Int), columnar.TinyInt, "[CAST_OVERFLOW]"},
		{Integer(300, columnar.Int), columnar.Decimal(2, 0), "[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION]"},
		{dec("-1.5"), columnar.Int, "INT -1"},
		{TimestampValue(1_500_000), columnar.BigInt, "BIGINT 1"},
		{TimestampValue(1_500_000), columnar.String, `STRING "1970-01-01 00:00:01.5"`},
		{TimestampValue(-1), columnar.Date, `DATE "1969-12-31"`},
		{Integer(10, columnar.Int), columnar.Timestamp, `TIMESTAMP "1970-01-01T00:00:10.000Z"`},
		{Bool(true), columnar.Int, "INT 1"},
		{Integer(258, columnar.Int), columnar.Binary, `BINARY "00000102"`},
		{Null(), columnar.Date, "DATE null"},
		{Bool(true), columnar.Date, "[DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION] cannot cast true of type BOOLEAN to DATE."},
	} {
		e, err := Cast(c.from, c.to, false)
		require.Equal(t, c.want, show(t, e, err), "%s to %s", c.from, c.to)
		if strings.HasPrefix(c.want, "[CAST") || strings.HasPrefix(c.want, "[NUMERIC") {
			e, err := Cast(c.from, c.to, true)
			require.Equal(t, c.to.String()+" null", show(t, e, err), "try_cast %s to %s", c.from, c.to)
		}
	}
}

// A branch never sees rows that did not choose it: the division is safe.
func TestCaseGuardsItsBranches(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "d", Type: columnar.BigInt, Nullable: true})
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column([]int64{0, 2, 0, 5}, []bool{true, true, false, true})}, 4)
	defer b.Release()
	d := Column(0, "d", columnar.BigInt, true)
	nonZero, err := Call("<>", d, Integer(0, columnar.Int))
	require.NoError(t, err)
	ratio, err := Call("div", Integer(10, columnar.BigInt), d)
	require.NoError(t, err)
	guarded, err := Case([]When{{nonZero, ratio}}, Integer(-1, columnar.BigInt))
	require.NoError(t, err)
	ev := NewDefaultEvaluator()
	c, err := ev.Eval(guarded, b, nil)
	require.NoError(t, err)
	defer c.Release()
	require.Empty(t, ev.Errors())
	require.Equal(t, []int64{-1, 5, -1, 2}, values(c))

	// Without the guard only the rows that are selected can fail.
	c2, err := ev.Eval(ratio, b, columnar.Selection{0, 1})
	require.NoError(t, err)
	defer c2.Release()
	require.Len(t, ev.Errors(), 1)
	require.EqualValues(t, 0, ev.Errors()[0].Row)
}

func values(c columnar.Column) []int64 {
	out := make([]int64, c.Len())
	for i := range out {
		out[i] = columnar.Int64At(c, i)
	}
	return out
}

func TestFold(t *testing.T) {
	sum, _ := Call("+", Integer(1, columnar.Int), Integer(2, columnar.Int))
	test, _ := Call(">", Column(0, "a", columnar.Int, true), sum)
	require.Equal(t, "(a > 3)", Fold(test).String())
	bad, _ := Call("/", Integer(1, columnar.Int), Integer(0, columnar.Int))
	require.Equal(t, "(1.0 / 0.0)", Fold(bad).String(), "an error stays where it is")
}

// The example of every function is true, or at least evaluates.
func TestFunctionsAreDocumented(t *testing.T) {
	for _, f := range Functions() {
		require.NotEmpty(t, f.Signature)
		require.NotEmpty(t, f.Summary)
		require.Contains(t, f.Example, f.Name)
	}
}

func BenchmarkFilter(b *testing.B) {
	const n = 32 << 10
	kinds, amounts := make([]string, n), make([]int64, n)
	for i := range n {
		kinds[i], amounts[i] = []string{"view", "buy", "click"}[i*7%3], int64(i%500)
	}
	batch := columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "kind", Type: columnar.String}, columnar.Field{Name: "amount", Type: columnar.BigInt}),
		[]columnar.Column{columnar.NewStringColumn(kinds), columnar.NewInt64Column(amounts, nil)}, n)
	defer batch.Release()
	buy, _ := Call("=", Column(0, "kind", columnar.String, false), Text("buy"))
	large, _ := Call(">", Column(1, "amount", columnar.BigInt, false), Integer(250, columnar.BigInt))
	either, err := Call("or", buy, large)
	require.NoError(b, err)
	ev := NewDefaultEvaluator()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ev.Filter(either, batch, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
