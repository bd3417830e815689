package compute_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

const (
	randomTrees = 900
	randomRows  = 37
	randomDepth = 5
)

var randomTypes = []columnar.Type{columnar.Boolean, columnar.TinyInt, columnar.Int, columnar.BigInt, money, columnar.String, list, pair}

// grower makes random expressions and values.
type grower struct {
	*rand.Rand
	schema *columnar.Schema
	scope  []*node // the variables around, all INT
	pool   []*node // parts that may come again
}

func newGrower(seed int64) *grower {
	g := &grower{Rand: rand.New(rand.NewSource(seed)), schema: columnar.NewSchema()}
	for i, t := range append(randomTypes, randomTypes...) {
		g.schema.Fields = append(g.schema.Fields, columnar.Field{Name: fmt.Sprintf("c%d", i), Type: t, Nullable: true})
	}
	return g
}

func pick[T any](g *grower, of ...T) T { return of[g.Intn(len(of))] }

var texts = []string{"", "a", "B", "12", "-7", " 5 ", "true", "No", "é日", "abc", "300", "99999999999", "x'y\\"}

// value is a random value, sometimes NULL or an extreme.
func (g *grower) value(t columnar.Type) any {
	if g.Intn(6) == 0 {
		return nil
	}
	switch t {
	case columnar.Boolean:
		return g.Intn(2) == 0
	case columnar.String:
		return pick(g, texts...)
	case list:
		out := make([]any, g.Intn(4))
		for i := range out {
			out[i] = g.value(columnar.Int)
		}
		return out
	case pair:
		return []any{g.value(columnar.Int), g.value(columnar.String)}
	case money:
		return big.NewInt(pick[int64](g, 0, 1, -150, 250, 99, 12799, 999_999_999_999, -999_999_999_999))
	}
	most := widest[t].Int64()
	return pick[int64](g, 0, 1, -1, 2, 3, 7, most, -most-1, min(most, math.MaxInt32+1))
}

// document prints a value as JSON.
func document(v any, t columnar.Type) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if enc.Encode(x) != nil {
			panic(x)
		}
		return strings.TrimSpace(b.String())
	case *big.Int:
		return `"` + text(x) + `"`
	case []any:
		parts := make([]string, len(x))
		for i, f := range x {
			parts[i] = document(f, columnar.Null)
			if t == pair {
				parts[i] = `"` + "pq"[i:i+1] + `":` + parts[i]
			}
		}
		if t == pair {
			return "{" + strings.Join(parts, ",") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return text(v)
}

func (g *grower) rows() (rows [][]any, docs []string) {
	for range randomRows {
		row, doc := make([]any, len(g.schema.Fields)), make([]string, len(g.schema.Fields))
		for i, f := range g.schema.Fields {
			row[i] = g.value(f.Type)
			doc[i] = `"` + f.Name + `":` + document(row[i], f.Type)
		}
		rows, docs = append(rows, row), append(docs, "{"+strings.Join(doc, ",")+"}")
	}
	return rows, docs
}

// grow makes an expression of a type.
func (g *grower) grow(t columnar.Type, depth int) *node {
	if len(g.scope) == 0 && g.Intn(8) == 0 {
		for _, n := range g.pool {
			if n.typ == t && g.Intn(3) == 0 {
				return n
			}
		}
	}
	n := g.leaf(t)
	if depth > 0 && g.Intn(8) > 0 {
		n = g.branch(t, depth-1)
	}
	if len(g.scope) == 0 {
		g.pool = append(g.pool, n)
	}
	return n
}

func (g *grower) leaf(t columnar.Type) *node {
	if t == columnar.Int && len(g.scope) > 0 && g.Intn(2) == 0 {
		return pick(g, g.scope...)
	}
	if g.Intn(4) == 0 && !t.Nested() {
		return &node{op: "literal", typ: t, lit: g.value(t)}
	}
	for {
		if i := g.Intn(len(g.schema.Fields)); g.schema.Fields[i].Type == t {
			return &node{op: "column", typ: t, lit: i}
		}
	}
}

func (g *grower) make(op string, t columnar.Type, depth int, types ...columnar.Type) *node {
	n := &node{op: op, typ: t}
	for _, of := range types {
		n.args = append(n.args, g.grow(of, depth))
	}
	return n
}

func (g *grower) branch(t columnar.Type, depth int) *node {
	switch g.Intn(9) {
	case 0:
		return g.make("CASE", t, depth, columnar.Boolean, t, columnar.Boolean, t, t)
	case 1:
		return g.make("coalesce", t, depth, t, t)
	case 2:
		return g.make("nullif", t, depth, t, t)
	}
	switch t {
	case columnar.Boolean:
		return g.condition(depth)
	case columnar.String:
		return pick(g, func() *node { return g.make("concat", t, depth, t, t) }, func() *node { return g.make("upper", t, depth, t) },
			func() *node { return g.make("substring", t, depth, t, columnar.TinyInt, columnar.TinyInt) },
			func() *node { return g.make("CAST", t, depth, pick(g, randomTypes[:5]...)) }, func() *node { return g.field(t, 1, depth) })()
	case list:
		return pick(g, func() *node { return g.make("array", t, depth, columnar.Int, columnar.Int) },
			func() *node { return g.lambda("transform", t, columnar.Int, depth) }, func() *node { return g.lambda("filter", t, columnar.Boolean, depth) })()
	case pair:
		return g.make("named_struct", t, depth, columnar.Int, columnar.String)
	}
	return g.number(t, depth)
}

func (g *grower) condition(depth int) *node {
	b, of := columnar.Boolean, pick(g, randomTypes...)
	switch g.Intn(8) {
	case 0, 1:
		return g.make(pick(g, "AND", "OR"), b, depth, b, b)
	case 2:
		return pick(g, g.make("NOT", b, depth, b), g.make("IS NULL", b, depth, of))
	case 3:
		return g.make("IN", b, depth, of, of, of)
	case 4:
		return g.make("BETWEEN", b, depth, of, of, of)
	case 5:
		return g.lambda("exists", b, b, depth)
	case 6:
		return pick(g, g.make("contains", b, depth, columnar.String, columnar.String), g.make(pick(g, "CAST", "TRY_CAST"), b, depth, pick(g, randomTypes[1:6]...)))
	}
	return g.make(pick(g, "=", "<>", "<", "<=", ">", ">=", "<=>"), b, depth, of, of)
}

func (g *grower) number(t columnar.Type, depth int) *node {
	switch k := g.Intn(9); {
	case k < 4:
		return g.make(pick(g, "+", "-", "*"), t, depth, t, t)
	case k == 4:
		return g.make("negate", t, depth, t)
	case k == 5 && t == columnar.BigInt:
		return g.make("div", t, depth, t, t)
	case k == 5 && t != money:
		return g.make("%", t, depth, t, t)
	case k == 6 && t == columnar.Int:
		return pick(g, g.make("length", t, depth, columnar.String), g.make("size", t, depth, list), g.field(t, 0, depth), g.make(pick(g, "get", "item"), t, depth, list, columnar.Int))
	case t == money:
		return g.make(pick(g, "CAST", "TRY_CAST"), t, depth, pick(g, columnar.TinyInt, columnar.Int, columnar.BigInt))
	}
	from := pick(g, columnar.Boolean, columnar.TinyInt, columnar.Int, columnar.BigInt, money, columnar.String)
	return g.make(pick(g, "CAST", "TRY_CAST"), t, depth, from)
}

func (g *grower) field(t columnar.Type, k, depth int) *node {
	n := g.make("field", t, depth, pair)
	n.lit = k
	return n
}

func (g *grower) lambda(op string, t, body columnar.Type, depth int) *node {
	n := &node{op: op, typ: t, name: fmt.Sprintf("x%d", len(g.scope)), args: []*node{g.grow(list, depth)}}
	g.scope = append(g.scope, &node{op: "variable", typ: columnar.Int, name: n.name})
	n.args = append(n.args, g.grow(body, depth))
	g.scope = g.scope[:len(g.scope)-1]
	return n
}

// String prints the expression as SQL.
func (n *node) String() string {
	args := make([]string, len(n.args))
	for k, a := range n.args {
		args[k] = a.String()
	}
	all := strings.Join(args, ", ")
	switch n.op {
	case "literal":
		if n.lit == nil {
			return "CAST(NULL AS " + n.typ.String() + ")"
		}
		return "CAST('" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text(n.lit)) + "' AS " + n.typ.String() + ")"
	case "column":
		return fmt.Sprintf("c%d", n.lit)
	case "variable":
		return n.name
	case "CASE":
		return fmt.Sprintf("CASE WHEN %s THEN %s WHEN %s THEN %s ELSE %s END", args[0], args[1], args[2], args[3], args[4])
	case "NOT":
		return "(NOT " + all + ")"
	case "negate":
		return "(- " + all + ")"
	case "IS NULL":
		return "(" + all + " IS NULL)"
	case "IN":
		return "(" + args[0] + " IN (" + args[1] + ", " + args[2] + "))"
	case "BETWEEN":
		return "(" + args[0] + " BETWEEN " + args[1] + " AND " + args[2] + ")"
	case "CAST", "TRY_CAST":
		return n.op + "(" + all + " AS " + n.typ.String() + ")"
	case "item":
		return args[0] + "[" + args[1] + "]"
	case "field":
		return args[0] + "." + "pq"[n.lit.(int):n.lit.(int)+1]
	case "named_struct":
		return "named_struct('p', " + args[0] + ", 'q', " + args[1] + ")"
	case "transform", "filter", "exists":
		return n.op + "(" + args[0] + ", " + n.name + " -> " + args[1] + ")"
	case "coalesce", "nullif", "concat", "upper", "length", "contains", "substring", "size", "get", "array":
		return n.op + "(" + all + ")"
	}
	infix := "(" + args[0] + " " + n.op + " " + args[1] + ")"
	if n.typ == money {
		return "CAST(" + infix + " AS " + money.String() + ")"
	}
	return infix
}

// seedOf is the seed of the run: SEED replays a failure.
func seedOf(t testing.TB) int64 {
	seed, err := strconv.ParseInt(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = rand.Int63()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to replay: SEED=%d", seed)
		}
	})
	return seed
}

// TestRandomExpressions compares the kernels with the interpreter, row by row, for
// expressions as they are, folded, under a selection, and some at a time that share.
func TestRandomExpressions(t *testing.T) {
	g := newGrower(seedOf(t))
	rows, docs := g.rows()
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	b := decoded(t, g.schema, mem, docs...)
	defer b.Release()
	ev := newEvaluator(mem)
	for range randomTrees / 3 {
		g.pool = nil
		var exprs []compute.Expr
		var wants [][]string
		for range 3 {
			n := g.grow(pick(g, randomTypes...), randomDepth)
			e, err := planner.Expression(n.String(), g.schema)
			require.NoError(t, err, n.String())
			require.Equal(t, n.typ, e.Type(), n.String())
			want := n.rows(rows)
			requireRows(t, want, cells(t, ev, e, b, nil), n.String())
			requireRows(t, want, cells(t, ev, compute.Fold(e), b, nil), "folded: "+n.String())
			sel := everyOther(randomRows, g.Intn(randomRows))
			requireRows(t, only(want, sel), cells(t, ev, e, b, sel), "selected: "+n.String())
			exprs, wants = append(exprs, e), append(wants, want)
		}
		requireShared(t, ev, exprs, wants, b)
	}
}

// elementwise reports whether a lambda is evaluated.
func (n *node) elementwise() bool {
	return n.name != "" || slices.ContainsFunc(n.args, (*node).elementwise)
}

// rows are what the interpreter makes of each row. Which of the elements that fail gives
// a row its condition is left open.
func (n *node) rows(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		v, failed := n.run(row)
		switch {
		case failed != "" && n.elementwise():
			out[i] = "!"
		case failed != "":
			out[i] = "!" + failed
		case v == nil:
			out[i] = "_"
		default:
			out[i] = document(v, n.typ)
		}
	}
	return out
}

// requireShared evaluates expressions together. A row that fails for several of them
// fails as the first one does.
func requireShared(t *testing.T, ev *compute.Evaluator, exprs []compute.Expr, wants [][]string, b *columnar.Batch) {
	ev.Reset()
	ev.Open()
	defer ev.Close()
	cols, err := ev.EvalAll(compute.Share(exprs), b, nil)
	require.NoError(t, err)
	failed := map[int]string{}
	for _, e := range ev.Errors() {
		failed[int(e.Row)] = "!" + condition(t, e.Err)
	}
	for row := range b.Rows() {
		first := ""
		for k, col := range cols {
			want := wants[k][row]
			if want[0] == '!' {
				if first == "" {
					first = want
				}
				want = "_"
			}
			got := "_"
			if !col.IsNull(row) {
				got = string(columnar.AppendValueJSON(nil, col, row))
			}
			require.True(t, sameValue(want, got), "%s in row %d, shared: got %s, want %s", exprs[k], row, got, want)
		}
		require.True(t, first == failed[row] || first == "!" && failed[row] != "", "row %d of %v: got %s, want %s", row, exprs, failed[row], first)
	}
	for _, col := range cols {
		col.Release()
	}
}

// TestShareOnce: what stands for a value within one expression is not taken for that of
// another one.
func TestShareOnce(t *testing.T) {
	schema, err := planner.ParseSchema("a INT")
	require.NoError(t, err)
	b := decoded(t, schema, nil, `{"a":1}`, `{"a":2}`, `{}`)
	defer b.Release()
	var exprs []compute.Expr
	var wants [][]string
	for text, want := range map[string]string{
		"a + 1 BETWEEN 2 AND 3": "true true _", "a + 1 BETWEEN 2 AND 2": "true false _", "nullif(a + 1, 2)": "_ 3 _", "nullif(a + 1, 2) + nullif(a + 1, 2)": "_ 6 _",
		"coalesce(nullif(a + 1, 2), 0)": "0 3 0", "transform(array(a + 1), x -> nullif(x + 1, a + 1))": "[3] [4] [null]",
	} {
		e, err := planner.Expression(text, schema)
		require.NoError(t, err)
		exprs, wants = append(exprs, e), append(wants, values(want))
	}
	requireShared(t, compute.NewDefaultEvaluator(), exprs, wants, b)
}
