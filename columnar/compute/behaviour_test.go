package compute

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
)

func table(t testing.TB, schema *columnar.Schema, rows ...string) *columnar.Batch {
	var docs columnar.BinaryBuffer
	for _, r := range rows {
		docs.AppendString(r)
	}
	in := docs.Finish()
	defer in.Release()
	b, errs, err := decode.NewJSON(schema, nil).Decode(in)
	require.NoError(t, err)
	require.Empty(t, errs)
	return b
}

var smallSchema = columnar.NewSchema(
	columnar.Field{Name: "a", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "k", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "f", Type: columnar.Boolean, Nullable: true})

func smallTable(t testing.TB) *columnar.Batch {
	return table(t, smallSchema, `{"a":1,"k":"x","f":true}`, `{"a":0,"k":"y","f":false}`, `{"a":null,"k":null,"f":null}`, `{"a":4,"k":"12","f":true}`, `{"a":9223372036854775807,"k":"z","f":false}`)
}

func sql(t testing.TB, text string) Expr {
	e, err := parseSQL(text, smallSchema)
	require.NoError(t, err, text)
	return e
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

// show prints the selected rows of a result; _ is a row that was not asked for, ! one that failed.
func show(ev *Evaluator, c columnar.Column, sel columnar.Selection, t columnar.Type) string {
	v := NewDefaultEvaluator().view(c, t)
	out := make([]string, c.Len())
	for i := range out {
		out[i] = "_"
		if sel == nil {
			out[i] = cell(v, int32(i))
		}
	}
	for _, i := range sel {
		out[i] = cell(v, i)
	}
	for _, e := range ev.Errors() {
		out[e.Row] += "!"
	}
	return strings.Join(out, " ")
}

// TestEvalUnderSelection: nothing outside the selection, or behind a condition that
// decides, is evaluated; failed rows are NULL.
func TestEvalUnderSelection(t *testing.T) {
	some := columnar.Selection{0, 3}
	cases := []struct {
		expr string
		sel  columnar.Selection
		want string
	}{
		{"a + 1", nil, "2 1 null 5 null!"},
		{"a + 1", some, "2 _ _ 5 _"},
		{"a + 1", columnar.Selection{}, "_ _ _ _ _"},
		{"10 div a", nil, "10 null! null 2 0"},
		{"a <> 0 AND 10 div a > 1", nil, "true false null true false"},
		{"a = 0 OR 10 div a > 1", nil, "true true null true false"},
		{"10 div a > 1 AND a <> 0", nil, "true null! null true false"},
		{"CASE WHEN a = 0 THEN 0 ELSE 10 div a END", nil, "10 0 null 2 0"},
		{"CASE WHEN k = '12' THEN cast(k AS INT) END", nil, "null null null 12 null"},
		{"if(f, k, 'no')", nil, "x no no 12 no"},
		{"coalesce(a, 10 div 0)", columnar.Selection{0, 1}, "1 0 _ _ _"},
		{"coalesce(a, 10 div 0)", nil, "1 0 null! 4 9223372036854775807"},
		{"cast(k AS INT)", nil, "null! null! null 12 null!"},
		{"try_cast(k AS INT)", nil, "null null null 12 null"},
		{"k IN ('x', NULL)", nil, "true null null null null"},
		{"k IN ('x', 'y')", nil, "true true null false false"},
		{"f AND NULL", nil, "null false null null false"},
		{"f OR NULL", nil, "true null null true null"},
		{"NOT f", nil, "false true null false true"},
		{"f IS NULL", nil, "false false true false false"},
		{"k <=> NULL", nil, "false false true false false"},
		{"k", nil, "x y null 12 z"},
		{"'c'", some, "c _ _ c _"},
		{"3", some, "3 _ _ 3 _"},
		{"NULL", nil, "null null null null null"},
		{"cast(NULL AS STRING)", nil, "null null null null null"},
		{"cast(NULL AS INT)", nil, "null null null null null"},
		{"greatest(a, 2)", nil, "2 2 2 4 9223372036854775807"},
		{"concat(k, '-', upper(k))", nil, "x-X y-Y null 12-12 z-Z"},
		{"substring(k, -1)", nil, "x y null 2 z"},
		{"k LIKE '_2' OR k LIKE 'x%'", nil, "true false null true false"},
	}
	b := smallTable(t)
	defer b.Release()
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	ev := NewEvaluator(mem)
	for _, c := range cases {
		for _, e := range []Expr{sql(t, c.expr), Fold(sql(t, c.expr))} {
			ev.Reset()
			col, err := ev.Eval(e, b, c.sel)
			require.NoError(t, err, c.expr)
			sel := c.sel
			if sel == nil {
				sel = ev.identity[:5]
			}
			require.Equal(t, c.want, show(ev, col, sel, e.Type()), "%s as %s", c.expr, e)
			col.Release()
		}
	}
}

// TestFilter: rows where the predicate is TRUE, conjunct by conjunct; a failed row is out.
func TestFilter(t *testing.T) {
	cases := []struct{ pred, want, failed string }{
		{"f", "[0 3]", "[]"},
		{"NOT f", "[1 4]", "[]"},
		{"a > 0 AND f", "[0 3]", "[]"},
		{"k = 'x' OR k = 'z'", "[0 4]", "[]"},
		{"a IS NULL OR a = 4", "[2 3]", "[]"},
		{"f AND 4 div a = 1", "[3]", "[]"},
		{"4 div a = 1 OR k = 'y'", "[3]", "[1]"},
		{"k = 'y' OR 4 div a = 1", "[1 3]", "[]"},
		{"NULL", "[]", "[]"},
		{"TRUE", "[0 1 2 3 4]", "[]"},
		{"cast(k AS INT) > 1", "[3]", "[0 1 4]"},
	}
	b := smallTable(t)
	defer b.Release()
	ev := NewDefaultEvaluator()
	for _, c := range cases {
		ev.Reset()
		sel, err := ev.Filter(sql(t, c.pred), b, nil)
		require.NoError(t, err)
		require.NotNil(t, sel, "nil would mean every row")
		require.Equal(t, c.want, fmt.Sprint(sel), c.pred)
		rows := []int32{}
		for _, e := range ev.Errors() {
			rows = append(rows, e.Row)
		}
		require.Equal(t, c.failed, fmt.Sprint(rows), c.pred)
	}
	_, err := ev.Filter(sql(t, "a"), b, nil)
	require.ErrorContains(t, err, "BOOLEAN")
	_, err = ev.Eval(Column(7, "gone", columnar.Int, true), b, nil)
	require.ErrorContains(t, err, "gone")
}

// TestEvalSlice: a batch may be a slice of another one.
func TestEvalSlice(t *testing.T) {
	b := smallTable(t)
	defer b.Release()
	part := columnar.Slice(b, 1, 4)
	defer part.Release()
	ev := NewDefaultEvaluator()
	for text, want := range map[string]string{"a * 2": "0 null 8", "k || '!'": "y! null 12!", "NOT f": "true null false", "f": "false null true"} {
		e := sql(t, text)
		c, err := ev.Eval(e, part, nil)
		require.NoError(t, err)
		require.Equal(t, want, show(ev, c, nil, e.Type()))
		c.Release()
	}
}

// TestString prints what was bound, implicit casts included.
func TestString(t *testing.T) {
	for text, want := range map[string]string{
		"a > 250":                              "(a > CAST(250 AS BIGINT))",
		"cast(k as bigint)":                    "CAST(k AS BIGINT)",
		"try_cast(k as int)":                   "TRY_CAST(k AS INT)",
		"k = 'it''s'":                          "",
		"a IN (1L, 2L)":                        "(a IN (1, 2))",
		"NOT f AND k LIKE 'a%'":                "((NOT f) AND k LIKE 'a%')",
		"a IS NOT NULL":                        "(a IS NOT NULL)",
		"CASE WHEN f THEN 1 END":               "CASE WHEN f THEN 1 ELSE CAST(NULL AS INT) END",
		"coalesce(a, 0L)":                      "coalesce(a, 0)",
		"k || 'x'":                             "concat(k, 'x')",
		"-a":                                   "(- a)",
		"date_trunc('HOUR', DATE'2024-01-02')": "date_trunc('HOUR', CAST(DATE '2024-01-02' AS TIMESTAMP))",
		"1.50 + 2":                             "(1.50 + CAST(2 AS DECIMAL(1,0)))",
		"1e10 * 2":                             "(1.0E10D * CAST(2 AS DOUBLE))",
		"X'0aFF'":                              "X'0AFF'",
	} {
		if want != "" {
			require.Equal(t, want, sql(t, text).String())
		}
	}
	require.Equal(t, "3", Fold(sql(t, "1 + 2")).String())
	require.Equal(t, "(a > 3)", Fold(sql(t, "a > 1 + 2")).String())
	require.Equal(t, "(1 div 0)", Fold(sql(t, "1L div 0L")).String(), "a failure is left for the rows that reach it")
}

func TestColumnsAndRemap(t *testing.T) {
	e := sql(t, "if(f, k, cast(a AS STRING))")
	require.Equal(t, []int{0, 1, 2}, Columns(e))
	moved := Remap(e, func(i int) int { return i + 5 })
	require.Equal(t, []int{5, 6, 7}, Columns(moved))
	require.Equal(t, []int{0, 1, 2}, Columns(e))
	require.Empty(t, Columns(Integer(1, columnar.Int)))
	require.True(t, Literal(Null()))
	require.False(t, Literal(e))
}

func TestRefusals(t *testing.T) {
	_, err := Call("uper", Text("a"))
	var unknown *UnknownFunctionError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, "upper", unknown.Suggestions[0])
	for text, condition := range map[string]string{
		"f + 1":                  "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
		"f = 1":                  "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
		"'a' + 'b'":              "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
		"a AND f":                "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
		"cast(f AS DATE)":        "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
		"year(f)":                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
		"coalesce(f, 1)":         "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
		"upper()":                "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
		"substring('a')":         "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
		"k LIKE 'a' ESCAPE 'xy'": "INVALID_ESCAPE_CHAR",
	} {
		_, err := parseSQL(text, smallSchema)
		var bind *TypeError
		require.ErrorAs(t, err, &bind, text)
		require.Equal(t, condition, bind.Condition, text)
	}
	_, err = DecimalText("123456789012345678901234567890123456789")
	require.Error(t, err)
}

// TestLike covers the pattern matcher.
func TestLike(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{"abc", "abc", true}, {"abc", "a%", true}, {"abc", "%c", true}, {"abc", "%b%", true}, {"abc", "a_c", true}, {"abc", "a_", false},
		{"", "", true}, {"", "%", true}, {"a", "", false}, {"aé日", "a__", true}, {"aé日", "%_日", true}, {"abab", "%ab", true}, {"aXbXc", "a%X%c", true},
		{"a%c", `a\%c`, true}, {"abc", `a\%c`, false}, {"a_c", `a\_c`, true}, {`a\c`, `a\\c`, true}, {"aab", "%_b", true}, {"ab", "a%b%b", false},
		{"xayaz", "%a_a%", true}, {"line\nbreak", "line%", true},
	} {
		p, err := compilePattern([]byte(c.pattern), '\\')
		require.NoError(t, err)
		require.Equal(t, c.want, p.match([]byte(c.text)), "%q LIKE %q", c.text, c.pattern)
	}
	_, err := compilePattern([]byte(`a\b`), '\\')
	require.ErrorContains(t, err, "INVALID_FORMAT")
}
