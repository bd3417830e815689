//go:build integration

package spark

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// queryAnswer is what Spark's query gave: rows as JSON arrays, or an error.
type queryAnswer struct {
	Columns, Types, Rows []string
	Error                string
}

// TestQueries compares the rows of random queries, in any order, with those that a
// pipeline makes of the same documents.
func TestQueries(t *testing.T) {
	r, g := random(t), loadGrammar(t)
	b, docs := bothRead(t, r, tableSchema, tableRows)
	b.Release()
	queries := make([]string, 80)
	for i := range queries {
		queries[i] = query{r, g}.text()
	}
	var answers []queryAnswer
	ask(t, &answers, map[string]any{"do": "queries", "queries": queries})
	same, failed, refused := 0, 0, 0
	for i, q := range queries {
		got, err := runQuery(t, q, b.Schema(), docs)
		want := answers[i]
		var fault planner.Errors
		switch {
		case want.Error != "":
			if failed++; err == nil { // its optimizer computes constants and generators of rows that WHERE leaves out
				t.Logf("Spark alone fails with %s: %s", want.Error, q)
			}
		case errors.As(err, &fault):
			refused++
			t.Logf("refused: %s\n  %v", q, err)
		case err != nil:
			t.Errorf("%s\n  %v", q, err)
		case !sameRows(got, want):
			t.Errorf("%s\n  got  %v\n  want %v", q, got, want)
		default:
			same++
		}
	}
	t.Logf("%d the same, %d fail, %d refused", same, failed, refused)
	require.LessOrEqual(t, refused, len(queries)*3/100, "too many are refused")
}

func sameRows(a, b queryAnswer) bool {
	if !slices.Equal(a.Columns, b.Columns) || !slices.Equal(a.Types, b.Types) || len(a.Rows) != len(b.Rows) {
		return false
	}
	left := slices.Clone(b.Rows)
	for _, row := range a.Rows {
		at := slices.IndexFunc(left, func(other string) bool { return sparktest.SameJSON(row, other) })
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

// runQuery runs a query as a pipeline over a source in memory. A row that fails makes
// the query fail, as it does in Spark.
func runQuery(t *testing.T, text string, schema *columnar.Schema, docs []string) (out queryAnswer, err error) {
	planned, err := planner.Plan(text, planner.Catalog{"t": {Schema: schema}}, planner.Options{})
	if err != nil {
		return out, err
	}
	p, err := exec.Compile(planned.Physical, exec.Settings{}, exec.Input{Name: "t", Format: "json", Schema: schema})
	require.NoError(t, err)
	src := memory.New("t", false)
	for _, d := range docs {
		src.Append(0, []byte(d), 0)
	}
	whole := offsets.Range{Partition: offsets.Partition{Topic: "t"}, From: 0, Until: int64(len(docs))}
	reader, err := src.Read(context.Background(), whole)
	require.NoError(t, err)
	defer reader.Close()
	for _, f := range planned.Physical.Schema().Fields {
		out.Columns, out.Types = append(out.Columns, f.Name), append(out.Types, sparktest.TypeName(f.Type))
	}
	task := p.NewTask(0, whole, exec.Moment{Batch: batchTime / 1000}, func() int64 { return 0 })
	for {
		raw, err := reader.Next(context.Background())
		if err == io.EOF {
			return out, nil
		}
		require.NoError(t, err)
		res, err := task.Run(raw)
		require.NoError(t, err)
		if res.FirstError != nil {
			return out, res.FirstError
		}
		if res.Rows != nil {
			out.Rows = append(out.Rows, rowTexts(res.Rows)...)
			res.Rows.Release()
		}
	}
}

func rowTexts(b *columnar.Batch) []string {
	rows := make([]string, b.Rows())
	for i := range rows {
		cells := make([]string, b.Schema().Len())
		for k, f := range b.Schema().Fields {
			cells[k] = sparktest.Value(f.Type, b.Column(k), i)
		}
		rows[i] = "[" + strings.Join(cells, ",") + "]"
	}
	return rows
}

// query makes random queries over t.
type query struct {
	*rand.Rand
	g grammar
}

// safe are kinds whose expressions at depth 1 seldom fail.
var safe = []string{"text", "bool", "texts", "pair", "map", "json", "date"}

func (q query) expr() string { return q.g.make(q.Rand, pick(q.Rand, safe), 1) }

func (q query) where() string {
	if q.IntN(2) == 0 {
		return ""
	}
	return " WHERE " + q.g.make(q.Rand, "bool", 1)
}

// text is a query of one of several forms.
func (q query) text() string {
	forms := []func() string{q.plain, q.plain, q.exploded, q.exploded, q.star, q.nested, q.with, q.union, q.stacked, q.alias}
	return pick(q.Rand, forms)()
}

func (q query) plain() string {
	return "SELECT id, " + q.expr() + " AS c1, " + q.expr() + " AS c2 FROM t" + q.where()
}

func (q query) star() string {
	return pick(q.Rand, []string{"SELECT * FROM t", "SELECT * EXCEPT (id, ai, m) FROM t", "SELECT p.* FROM t", "SELECT x.*, " + q.expr() + " AS c9 FROM t AS x", "SELECT t.* EXCEPT (p) FROM t"}) + q.where()
}

func (q query) nested() string {
	return "SELECT c1, concat(c1, '!') AS c2, n FROM (SELECT " + q.g.make(q.Rand, "text", 1) + " AS c1, id AS n FROM t" + q.where() + ") WHERE n % 2 = 0 OR c1 IS NULL"
}

func (q query) with() string {
	return "WITH a AS (SELECT id, " + q.expr() + " AS c FROM t" + q.where() + "), b AS (SELECT c, id + 1 AS n FROM a) SELECT n, c FROM b WHERE n > 3"
}

func (q query) union() string {
	kind := pick(q.Rand, safe)
	return "SELECT id, " + q.g.make(q.Rand, kind, 1) + " AS c FROM t" + q.where() + " UNION ALL SELECT id + 100, " + q.g.make(q.Rand, kind, 1) + " FROM t" + q.where()
}

func (q query) exploded() string {
	outer := pick(q.Rand, []string{"", "OUTER "})
	return q.g.fill(q.Rand, pick(q.Rand, []string{
		"SELECT id, z FROM t LATERAL VIEW " + outer + "explode({texts}) AS z",
		"SELECT id, z.pos, z.col FROM t LATERAL VIEW " + outer + "posexplode({ints}) z AS pos, col",
		"SELECT id, k1, v1 FROM t LATERAL VIEW " + outer + "inline({pairs}) AS k1, v1",
		"SELECT id, a1, b1 FROM t LATERAL VIEW " + outer + "explode({map}) AS a1, b1",
		"SELECT id, z, y1 FROM t LATERAL VIEW " + outer + "explode({texts}) AS z LATERAL VIEW " + outer + "explode(array(z, s)) AS y1",
		"SELECT id, explode({texts}) FROM t",
		"SELECT posexplode_outer({texts}), id FROM t",
		"SELECT inline_outer({pairs}) FROM t",
		"SELECT id, explode_outer({map}) AS (a1, b1) FROM t",
		"SELECT id, json_tuple({json}, 'a', 'b') AS (a1, b1) FROM t",
	}), 1) + q.where()
}

func (q query) stacked() string {
	return q.g.fill(q.Rand, pick(q.Rand, []string{"SELECT id, stack(2, {text}, i, {text}, 7) FROM t", "SELECT id, stack(3, s, u, v, {text}) AS (c1, c2) FROM t", "SELECT id, a1 FROM t LATERAL VIEW stack(2, {text}, {text}) AS a1"}), 1) + q.where()
}

func (q query) alias() string {
	return "SELECT " + q.g.make(q.Rand, "text", 1) + " AS c1, concat(c1, s) AS c2, length(c2) AS c3 FROM t" + q.where()
}
