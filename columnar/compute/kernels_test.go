package compute_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/planner"
)

// kernelCase is one line of testdata/kernels:
//
//	expression ; a INT = 1 _ 2 ; b STRING = "x" "y" _ ; BIGINT = 1 _ !DIVIDE_BY_ZERO
//
// Columns come as the JSON that is decoded, the result as the JSON that is printed; _ is
// NULL, !CONDITION a row that fails; REFUSED is what is not bound. A line "with a INT = ..." gives the columns of the
// lines after it. integration/spark/gen_kernels.py fills in Spark's results.
type kernelCase struct {
	place, expr, typ string
	schema           *columnar.Schema
	docs             []string // the rows as JSON objects
	want             []string
}

func kernelCases(t testing.TB) []kernelCase {
	files, err := filepath.Glob("testdata/kernels/*.txt")
	require.NoError(t, err)
	var cases []kernelCase
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var table []string
		n := 0
		for line := range strings.Lines(string(raw)) {
			n++
			line = strings.TrimSpace(line)
			if with, ok := strings.CutPrefix(line, "with "); ok {
				table = strings.Split(with, " ; ")
			} else if line != "" && line[0] != '#' {
				cases = append(cases, kernelLine(t, filepath.Base(file)+":"+strconv.Itoa(n), line, table))
			}
		}
	}
	return cases
}

func kernelLine(t testing.TB, place, line string, table []string) kernelCase {
	parts := strings.Split(line, " ; ")
	c := kernelCase{place: place, expr: parts[0]}
	typ, want, ok := strings.Cut(parts[len(parts)-1], " =")
	require.True(t, ok && len(parts) > 1, "%s: no result", place)
	c.typ, c.want = typ, values(want)
	if len(parts) > 2 {
		table = parts[1 : len(parts)-1]
	}
	var ddl []string
	for _, column := range table {
		declared, cells, _ := strings.Cut(column, " =")
		name, typ, _ := strings.Cut(declared, " ")
		ddl = append(ddl, name+" "+typ)
		list := values(cells)
		if c.docs == nil {
			c.docs = slices.Repeat([]string{"{"}, len(list))
		}
		require.Len(t, list, len(c.docs), "%s: %s", place, column)
		for i, cell := range list {
			if cell == "_" {
				cell = "null"
			}
			c.docs[i] += map[bool]string{true: "", false: ","}[c.docs[i] == "{"] + `"` + name + `":` + cell
		}
	}
	for i := range c.docs {
		c.docs[i] += "}"
	}
	schema, err := planner.ParseSchema(strings.Join(ddl, ", "))
	require.NoError(t, err, place)
	c.schema = schema
	return c
}

// values splits at the blanks that are not within a JSON value.
func values(text string) (out []string) {
	depth, quoted, from := 0, false, -1
	for i := 0; i < len(text); i++ {
		ch := text[i]
		if ch == ' ' && depth == 0 && !quoted {
			if from >= 0 {
				out, from = append(out, text[from:i]), -1
			}
			continue
		}
		if from < 0 {
			from = i
		}
		switch {
		case quoted && ch == '\\':
			i++
		case ch == '"':
			quoted = !quoted
		case !quoted && (ch == '[' || ch == '{'):
			depth++
		case !quoted && (ch == ']' || ch == '}'):
			depth--
		}
	}
	if from >= 0 {
		out = append(out, text[from:])
	}
	return out
}

func decoded(t testing.TB, schema *columnar.Schema, mem memory.Allocator, docs ...string) *columnar.Batch {
	var buf columnar.BinaryBuffer
	for _, d := range docs {
		buf.AppendString(d)
	}
	in := buf.Finish()
	defer in.Release()
	b, errs, err := decode.NewJSON(schema, mem).Decode(in)
	require.NoError(t, err)
	require.Empty(t, errs)
	return b
}

// batchTime is what the clock shows.
const batchTime = 1_709_210_096_789_123

func newEvaluator(mem memory.Allocator) *compute.Evaluator {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	ev := compute.NewEvaluator(mem)
	ev.SetTime(batchTime)
	return ev
}

// cells evaluates e for the selected rows; what is not selected is "".
func cells(t testing.TB, ev *compute.Evaluator, e compute.Expr, b *columnar.Batch, sel columnar.Selection) []string {
	ev.Reset()
	col, err := ev.Eval(e, b, sel)
	require.NoError(t, err, e.String())
	defer col.Release()
	return columnCells(t, ev, col, b, sel)
}

func columnCells(t testing.TB, ev *compute.Evaluator, col columnar.Column, b *columnar.Batch, sel columnar.Selection) []string {
	require.Equal(t, b.Rows(), col.Len())
	out := make([]string, b.Rows())
	for i := range sel.Len(b.Rows()) {
		row := i
		if sel != nil {
			row = int(sel[i])
		}
		if out[row] = "_"; !col.IsNull(row) && col.DataType().ID() != arrow.NULL {
			out[row] = string(columnar.AppendValueJSON(nil, col, row))
		}
	}
	for _, failed := range ev.Errors() {
		require.NotEmpty(t, out[failed.Row], "row %d failed, which is not selected: %v", failed.Row, failed.Err)
		require.Equal(t, "_", out[failed.Row], "a row that failed is NULL")
		out[failed.Row] = "!" + condition(t, failed.Err)
	}
	return out
}

func condition(t testing.TB, err error) string {
	var fault *compute.EvalError
	require.True(t, errors.As(err, &fault), "%v", err)
	return fault.Condition
}

func refusal(t testing.TB, err error) string {
	var fault planner.Errors
	require.True(t, errors.As(err, &fault), "it is not refused: %v", err)
	return fault[0].Condition
}

// sameValue compares printed values; numbers may differ in how they are written and in
// the last digit of what a float function leaves open.
func sameValue(want, got string) bool {
	if want == got || want == "!" && got[0] == '!' {
		return true
	}
	a, errA := strconv.ParseFloat(want, 64)
	b, errB := strconv.ParseFloat(got, 64)
	if errA == nil && errB == nil && strings.ContainsAny(want+got, ".e") {
		return a == b || math.Abs(a-b) <= 4e-16*math.Abs(a)
	}
	return want != "" && want[0] != '!' && want[0] == got[0] && sameDocument(want, got)
}

func sameDocument(want, got string) bool {
	var a, b any
	if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(got), &b) != nil {
		return false
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// requireRows compares the rows for which something is expected.
func requireRows(t *testing.T, want, got []string, shape string) {
	require.Len(t, got, len(want), shape)
	for i := range want {
		if want[i] != "" && !sameValue(want[i], got[i]) {
			t.Fatalf("%s, row %d:\n got  %s\n want %s", shape, i, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

// TestKernels evaluates each case in every shape that a batch can have.
func TestKernels(t *testing.T) {
	for _, c := range kernelCases(t) {
		t.Run(c.place+" "+c.expr, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(columnar.Heap)
			defer mem.AssertSize(t, 0)
			e, err := planner.Expression(c.expr, c.schema)
			if c.typ == "REFUSED" {
				require.Equal(t, c.want[0], "!"+refusal(t, err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.typ, e.Type().String())
			require.Len(t, c.want, len(c.docs))
			b := decoded(t, c.schema, mem, c.docs...)
			defer b.Release()
			ev := newEvaluator(mem)
			requireRows(t, c.want, cells(t, ev, e, b, nil), "all rows")
			requireRows(t, c.want, cells(t, ev, compute.Fold(e), b, nil), "folded")
			c.selected(t, ev, e, b)
			c.alone(t, ev, e, mem)
			c.displaced(t, ev, e, b)
			c.constants(t, ev, e, b)
			c.allNull(t, ev, e, mem)
			c.shared(t, ev, e, b)
			c.inLambda(t, ev, b)
		})
	}
}

// only keeps what is expected of the selected rows.
func only(want []string, sel columnar.Selection) []string {
	out := make([]string, len(want))
	for _, i := range sel {
		out[i] = want[i]
	}
	return out
}

func everyOther(n, from int) columnar.Selection {
	sel := columnar.Selection{}
	for i := from; i < n; i += 2 {
		sel = append(sel, int32(i))
	}
	return sel
}

// selections are some that matter: none, halves, the last row, the rows that do not fail.
func (c *kernelCase) selections() []columnar.Selection {
	n := len(c.want)
	good := columnar.Selection{}
	for i, w := range c.want {
		if w[0] != '!' {
			good = append(good, int32(i))
		}
	}
	return []columnar.Selection{{}, everyOther(n, 0), everyOther(n, 1), {int32(n - 1)}, good}
}

func (c *kernelCase) selected(t *testing.T, ev *compute.Evaluator, e compute.Expr, b *columnar.Batch) {
	for _, sel := range c.selections() {
		requireRows(t, only(c.want, sel), cells(t, ev, e, b, sel), "selection")
	}
}

func (c *kernelCase) alone(t *testing.T, ev *compute.Evaluator, e compute.Expr, mem memory.Allocator) {
	empty := decoded(t, c.schema, mem)
	defer empty.Release()
	require.Empty(t, cells(t, ev, e, empty, nil))
	for i := range c.want {
		b := decoded(t, c.schema, mem, c.docs[i])
		requireRows(t, c.want[i:i+1], cells(t, ev, e, b, nil), "a row alone")
		b.Release()
	}
}

// displaced evaluates over columns that lie within larger arrays, at odd offsets.
func (c *kernelCase) displaced(t *testing.T, ev *compute.Evaluator, e compute.Expr, b *columnar.Batch) {
	cols := make([]columnar.Column, c.schema.Len())
	for i := range cols {
		cols[i] = displace(t, b.Column(i), 3)
	}
	inside := columnar.NewBatch(c.schema, cols, b.Rows())
	defer inside.Release()
	requireRows(t, c.want, cells(t, ev, e, inside, nil), "displaced")
	sel := everyOther(len(c.want), 1)
	requireRows(t, only(c.want, sel), cells(t, ev, e, inside, sel), "displaced and selected")
	for from := range len(c.want) {
		part := columnar.Slice(inside, from, len(c.want))
		requireRows(t, c.want[from:], cells(t, ev, e, part, nil), "a slice")
		part.Release()
	}
}

// displace makes an equal array whose values, and whose children's, begin behind n others.
func displace(t testing.TB, a columnar.Column, n int) columnar.Column {
	data := a.Data()
	if len(data.Children()) > 0 {
		var kids []arrow.ArrayData
		for _, kid := range data.Children() {
			child := array.MakeFromData(kid)
			moved := displace(t, child, n+2)
			defer moved.Release()
			child.Release()
			kids = append(kids, moved.Data())
		}
		data = array.NewData(a.DataType(), data.Len(), data.Buffers(), kids, data.NullN(), data.Offset())
		defer data.Release()
	}
	same := array.MakeFromData(data)
	defer same.Release()
	parts := []arrow.Array{}
	for lead := 0; lead < n && a.Len() > 0; lead += a.Len() {
		parts = append(parts, same)
	}
	lead := len(parts) * a.Len()
	all, err := array.Concatenate(append(parts, same, same), memory.DefaultAllocator)
	require.NoError(t, err)
	defer all.Release()
	return array.NewSlice(all, int64(lead), int64(lead+a.Len()))
}

// cell makes a constant of a value of row i.
func (c *kernelCase) cell(t testing.TB, column, row int) compute.Expr {
	f := c.schema.Fields[column]
	doc := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(c.docs[row])
	e, err := planner.Expression("from_json('"+doc+"', '"+c.schema.String()+"')."+f.Name, c.schema)
	require.NoError(t, err)
	e = compute.Fold(e)
	require.True(t, compute.Literal(e))
	require.Equal(t, f.Type, e.Type())
	return e
}

// constants puts constants for the columns, one at a time and all together.
func (c *kernelCase) constants(t *testing.T, ev *compute.Evaluator, e compute.Expr, b *columnar.Batch) {
	read := compute.Columns(e)
	for row, want := range c.want {
		sel := columnar.Selection{int32(row)}
		constant := func(i int) compute.Expr { return c.cell(t, i, row) }
		all := compute.Substitute(e, constant)
		requireRows(t, []string{want}, cells(t, ev, all, b, sel)[row:row+1], "constants")
		requireRows(t, []string{want}, cells(t, ev, compute.Fold(all), b, sel)[row:row+1], "folded constants")
		for _, k := range read {
			mixed := compute.Substitute(e, func(i int) compute.Expr {
				if i == k {
					return constant(i)
				}
				return compute.Column(i, c.schema.Fields[i].Name, c.schema.Fields[i].Type, true)
			})
			requireRows(t, []string{want}, cells(t, ev, mixed, b, sel)[row:row+1], "constant "+c.schema.Fields[k].Name)
		}
	}
}

// allNull compares columns of NULLs with the constant.
func (c *kernelCase) allNull(t *testing.T, ev *compute.Evaluator, e compute.Expr, mem memory.Allocator) {
	b := decoded(t, c.schema, mem, slices.Repeat([]string{"{}"}, 11)...)
	defer b.Release()
	constant := compute.Substitute(e, func(i int) compute.Expr {
		null, err := compute.Cast(compute.Null(), c.schema.Fields[i].Type, false)
		require.NoError(t, err)
		return null
	})
	want := cells(t, ev, constant, b, nil)
	requireRows(t, want, cells(t, ev, e, b, nil), "all NULL")
	requireRows(t, want, cells(t, ev, compute.Fold(constant), b, nil), "the folded constant NULL")
}

// shared evaluates twice in one batch, first for some of the rows.
func (c *kernelCase) shared(t *testing.T, ev *compute.Evaluator, e compute.Expr, b *columnar.Batch) {
	for _, first := range c.selections() {
		ev.Open()
		ev.Reset()
		both := compute.Share([]compute.Expr{e, e})
		for _, sel := range []columnar.Selection{first, nil} {
			cols, err := ev.EvalAll(both, b, sel)
			require.NoError(t, err)
			for _, col := range cols {
				want := c.want
				if sel != nil {
					want = only(want, sel)
				}
				requireRows(t, want, columnCells(t, ev, col, b, sel), "shared")
				col.Release()
			}
		}
		ev.Close()
	}
}

// inLambda evaluates in the scope of elements, two a row.
func (c *kernelCase) inLambda(t *testing.T, ev *compute.Evaluator, b *columnar.Batch) {
	e, err := planner.Expression("transform(array(0, 1), element_ -> "+c.expr+")[1]", c.schema)
	require.NoError(t, err)
	requireRows(t, c.want, cells(t, ev, e, b, nil), "in a lambda")
	sel := everyOther(len(c.want), 1)
	requireRows(t, only(c.want, sel), cells(t, ev, e, b, sel), "in a lambda, selected")
}
