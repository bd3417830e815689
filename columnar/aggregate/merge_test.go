package aggregate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/planner"
)

// mergeCalls has a call for each kind of state.
var mergeCalls = []string{"count(*)", "count(i, s)", "sum(i)", "try_sum(i)", "sum(d)", "avg(i)", "avg(d)", "min(i)", "max(s)", "min(st)", "max(b)", "first(s)", "first(i, true)",
	"last(st)", "last(s, true)", "max_by(s, i)", "min_by(i, s)", "max_by(st, d)", "collect_list(i)", "collect_list(s)", "collect_list(st)", "listagg(s, ',')", "collect_set(s)", "collect_set(st)",
	"count(DISTINCT i)", "count(DISTINCT i, s)", "sum(DISTINCT d)", "stddev(i)", "kurtosis(i)", "covar_samp(i, abs(i))", "approx_count_distinct(s)", "mode(s)", "percentile(i, 0.3)",
	"percentile_approx(i, array(0.1, 0.9))", "bit_xor(i)", "count_if(b)", "bool_and(b)", "sum(i) FILTER (WHERE b)", "collect_list(s) FILTER (WHERE b)"}

// TestMerge: rows that are added in random parts, some directly and some as merged states, while groups are forgotten in
// between, give what all rows of the groups that are left give at once.
func TestMerge(t *testing.T) {
	schema, err := planner.ParseSchema("i INT, d DECIMAL(12,2), s STRING, b BOOLEAN, st STRUCT<x: INT, y: STRING>")
	require.NoError(t, err)
	for _, text := range mergeCalls {
		t.Run(text, func(t *testing.T) {
			call, err := bindOver(t, text, schema)
			require.NoError(t, err)
			rapid.Check(t, func(r *rapid.T) {
				m := &merging{T: t, r: r, call: call, acc: call.New(), inputs: randomInputs(t, r, call, schema)}
				m.rows = inputRows
				m.run()
			})
		})
	}
}

const inputRows = 150

// merging adds the rows of the inputs to an accumulator, step by step.
type merging struct {
	*testing.T
	r      *rapid.T
	call   *aggregate.Call
	acc    aggregate.Accumulator
	inputs []columnar.Column
	rows   int
	n      int     // groups
	owners []int32 // by row that was added: its group, -1 if that was forgotten
}

func (m *merging) run() {
	for len(m.owners) < m.rows {
		until := min(m.rows, len(m.owners)+rapid.IntRange(0, 80).Draw(m.r, "rows"))
		m.grow(rapid.IntRange(1, 5).Draw(m.r, "groups"))
		groups, random := make([]int32, until-len(m.owners)), randomOf(m.r)
		for i := range groups {
			groups[i] = random.Int32N(int32(m.n)+1) - 1
		}
		m.add(groups, rapid.Bool().Draw(m.r, "merge"))
		if rapid.IntRange(0, 3).Draw(m.r, "keep") == 0 {
			m.keep()
		}
		m.check()
	}
}

func (m *merging) grow(n int) {
	m.n = max(m.n, n)
	m.acc.Resize(m.n)
}

// add adds the next rows, as a state with the groups in another order if merge is set.
func (m *merging) add(groups []int32, merge bool) {
	from := len(m.owners)
	m.owners = append(m.owners, groups...)
	cut := make([]columnar.Column, len(m.inputs))
	for k, c := range m.inputs {
		cut[k] = array.NewSlice(c, int64(from), int64(from+len(groups)))
	}
	if !merge {
		require.Empty(m, m.acc.Update(groups, cut))
		return
	}
	part, to := m.call.New(), make([]int32, m.n)
	part.Resize(m.n)
	turned := make([]int32, len(groups))
	for i, g := range groups {
		if turned[i] = -1; g >= 0 {
			turned[i] = int32(m.n) - 1 - g
		}
	}
	require.Empty(m, part.Update(turned, cut))
	for g := range to {
		to[g] = int32(m.n - 1 - g)
	}
	require.Empty(m, m.acc.Merge(to, part.State(nil)))
}

// keep forgets some groups.
func (m *merging) keep() {
	left, to := columnar.Selection{}, make([]int32, m.n)
	for g := range m.n {
		if to[g] = -1; rapid.Bool().Draw(m.r, "stays") {
			to[g] = int32(len(left))
			left = append(left, int32(g))
		}
	}
	m.acc.Keep(left)
	m.n = len(left)
	for i, g := range m.owners {
		if g >= 0 {
			m.owners[i] = to[g]
		}
	}
}

func (m *merging) check() {
	whole, cut := m.call.New(), make([]columnar.Column, len(m.inputs))
	for k, c := range m.inputs {
		cut[k] = array.NewSlice(c, 0, int64(len(m.owners)))
	}
	whole.Resize(m.n)
	require.Empty(m, whole.Update(m.owners, cut))
	want, have := printed(m.T, whole), printed(m.T, m.acc)
	require.Equal(m, len(want), len(have))
	for g := range want {
		requireSame(m.T, &want[g], &have[g], fmt.Sprint(g))
	}
}

func printed(t *testing.T, acc aggregate.Accumulator) []string {
	c, failed := acc.Result(nil)
	require.Empty(t, failed)
	out := make([]string, c.Len())
	for i := range out {
		out[i] = string(columnar.AppendValueJSON(nil, c, i))
	}
	return out
}

func randomOf(r *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0)) }

// randomInputs computes the inputs of a call over random rows.
func randomInputs(t *testing.T, r *rapid.T, call *aggregate.Call, schema *columnar.Schema) []columnar.Column {
	var docs columnar.BinaryBuffer
	random := randomOf(r)
	v := func() int { return random.IntN(10) }
	for range inputRows {
		doc := fmt.Sprintf(`{"b":%s`, []string{"null", "true", "false"}[v()%3])
		if x := v(); x > 1 {
			doc += fmt.Sprintf(`,"i":%d`, x*x-20)
		}
		if x := v(); x > 1 {
			doc += fmt.Sprintf(`,"d":%d.25`, x-5)
		}
		if x := v(); x > 1 {
			doc += fmt.Sprintf(`,"s":"%.*s"`, x, "abcdefghijkl"[x/2:])
		}
		if x := v(); x > 1 {
			doc += fmt.Sprintf(`,"st":{"x":%d,"y":"%d"}`, x%3, x%2)
		}
		docs.AppendString(doc + "}")
	}
	b, failed, err := decode.NewJSON(schema, nil).Decode(docs.Finish())
	require.NoError(t, err)
	require.Empty(t, failed)
	inputs, err := compute.NewDefaultEvaluator().EvalAll(call.Inputs(), b, nil)
	require.NoError(t, err)
	return inputs
}
