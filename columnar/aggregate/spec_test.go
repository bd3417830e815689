package aggregate_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// TestSpec runs testdata/spec.txt. A line is a call, whose columns are declared in place, the rows as SQL constants, and the
// type and value of the result as JSON, or its error:
//
//	sum(v INT): 1, 2, NULL -> BIGINT 3
//
// Whatever a line says also has to hold if the rows are aggregated in two parts, with the states merged, and if
// the group is moved.
func TestSpec(t *testing.T) {
	text, err := os.ReadFile("testdata/spec.txt")
	require.NoError(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		t.Run(line, func(t *testing.T) {
			call, want, _ := strings.Cut(line, " -> ")
			require.Equal(t, want, outcome(t, call))
		})
	}
}

func outcome(t *testing.T, line string) string {
	head, rows, _ := strings.Cut(line, "):")
	call, schema, err := bind(t, head+")")
	if err != nil {
		return "error " + condition(err)
	}
	b := batchOf(t, schema, split(rows))
	whole := accumulate(t, call, b, 0, b.Rows())
	want := resultOf(call, whole)
	for at := range b.Rows() + 1 {
		require.Equal(t, want, resultOf(call, inTwoParts(t, call, b, at)), "split at %d", at)
	}
	whole.acc.Keep(columnar.Selection{1})
	whole.group = 0
	require.Equal(t, want, resultOf(call, whole), "after Keep")
	return want
}

var condition = func() func(error) string {
	pattern := regexp.MustCompile(`\[[A-Z0-9_.]+\]`)
	return func(err error) string {
		if name := pattern.FindString(err.Error()); name != "" {
			return name
		}
		return err.Error()
	}
}()

var callPattern = regexp.MustCompile(`^(\w+)\((DISTINCT )?(.*?)\)( FILTER \(WHERE (.*)\))?$`)

// bind resolves a call whose arguments are columns ("v INT") or constants.
func bind(t *testing.T, head string) (*aggregate.Call, *columnar.Schema, error) {
	part := callPattern.FindStringSubmatch(head)
	require.NotNil(t, part, head)
	schema := &columnar.Schema{}
	var args []compute.Expr
	for _, a := range split(part[3]) {
		args = append(args, argument(t, schema, a))
	}
	var filter compute.Expr
	if part[5] != "" {
		filter = argument(t, schema, part[5])
	}
	call, err := aggregate.Bind(part[1], args, part[2] != "", filter)
	return call, schema, err
}

func argument(t *testing.T, schema *columnar.Schema, text string) compute.Expr {
	if declared, err := planner.ParseSchema(text); err == nil {
		f := declared.Fields[0]
		schema.Fields = append(schema.Fields, f)
		return compute.Column(len(schema.Fields)-1, f.Name, f.Type, f.Nullable)
	}
	e, err := planner.Expression(text, &columnar.Schema{})
	require.NoError(t, err, text)
	return compute.Fold(e)
}

// split cuts a list at its commas, those in brackets and quotes excepted.
func split(list string) []string {
	var out []string
	depth, quoted, from := 0, false, 0
	for i, c := range list {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([<", c):
			depth++
		case strings.ContainsRune(")]>", c):
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// batchOf makes a batch of rows of constants; rows of several columns are in brackets.
func batchOf(t *testing.T, schema *columnar.Schema, rows []string) *columnar.Batch {
	parts := make([][]columnar.Column, schema.Len())
	for _, row := range rows {
		values := []string{row}
		if schema.Len() != 1 {
			values = split(row[1 : len(row)-1])
		}
		for k, f := range schema.Fields {
			parts[k] = append(parts[k], constant(t, values[k], f.Type))
		}
	}
	columns := make([]columnar.Column, schema.Len())
	for k, f := range schema.Fields {
		columns[k] = concat(t, f.Type, parts[k])
	}
	return columnar.NewBatch(schema, columns, len(rows))
}

func concat(t *testing.T, typ columnar.Type, parts []columnar.Column) columnar.Column {
	if len(parts) == 0 {
		return columnar.NewNullColumn(typ, 0)
	}
	list := make([]arrow.Array, len(parts))
	copy(list, parts)
	c, err := array.Concatenate(list, memory.DefaultAllocator)
	require.NoError(t, err)
	return c
}

func constant(t *testing.T, text string, typ columnar.Type) columnar.Column {
	e, err := planner.Expression(text, &columnar.Schema{})
	require.NoError(t, err, text)
	e, err = compute.Cast(e, typ, false)
	require.NoError(t, err, text)
	ev := compute.NewDefaultEvaluator()
	c, err := ev.Eval(e, columnar.NewBatch(&columnar.Schema{}, nil, 1), nil)
	require.NoError(t, err, text)
	require.Empty(t, ev.Errors(), text)
	return c
}

// accumulated is a group of an accumulator, with the first error of its rows.
type accumulated struct {
	acc   aggregate.Accumulator
	group int32
	err   error
}

// accumulate aggregates rows [from, until) as group 1 of 3.
func accumulate(t *testing.T, call *aggregate.Call, b *columnar.Batch, from, until int) *accumulated {
	a := &accumulated{acc: call.New(), group: 1}
	a.acc.Resize(3)
	ev := compute.NewDefaultEvaluator()
	inputs, err := ev.EvalAll(call.Inputs(), columnar.Slice(b, from, until), nil)
	require.NoError(t, err)
	a.note(ev.Errors())
	a.note(a.acc.Update(ones(until-from), inputs))
	return a
}

func ones(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func inTwoParts(t *testing.T, call *aggregate.Call, b *columnar.Batch, at int) *accumulated {
	into := &accumulated{acc: call.New(), group: 1}
	into.acc.Resize(2)
	for _, part := range []*accumulated{accumulate(t, call, b, 0, at), accumulate(t, call, b, at, b.Rows())} {
		into.err = first(into.err, part.err)
		state := part.acc.State(columnar.Selection{0, 1})
		for k, f := range call.State() {
			require.True(t, arrow.TypeEqual(f.Type.Arrow(), state[k].DataType()), "state %s is %s", f.Name, state[k].DataType())
			require.True(t, f.Nullable || state[k].NullN() == 0, "state %s has NULLs", f.Name)
		}
		into.note(into.acc.Merge([]int32{0, 1}, state))
	}
	return into
}

func (a *accumulated) note(failed []columnar.RowError) {
	if len(failed) > 0 {
		a.err = first(a.err, failed[0].Err)
	}
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func resultOf(call *aggregate.Call, a *accumulated) string {
	c, failed := a.acc.Result(columnar.Selection{a.group})
	a.note(failed)
	if a.err != nil {
		return "error " + condition(a.err)
	}
	if !arrow.TypeEqual(c.DataType(), call.Type().Arrow()) {
		return "a column of " + c.DataType().String()
	}
	return call.Type().String() + " " + rounded(string(columnar.AppendValueJSON(nil, c, 0)))
}

// rounded cuts numbers to 12 digits: in what order doubles are added shows in the last ones.
func rounded(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(v, 'g', 12, 64)
	})
}

var longNumber = regexp.MustCompile(`-?\b\d+\.\d{12,}\b`)
