package compute

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// When is one branch of a CASE.
type When struct{ Cond, Then Expr }

// caseExpr is CASE WHEN; list holds cond, then, cond, then, ... and the ELSE last.
type caseExpr struct {
	list []Expr
	typ  columnar.Type
}

// Case makes a searched CASE; a nil otherwise is NULL. Branches are evaluated only
// for the rows that reach them.
func Case(whens []When, otherwise Expr) (Expr, error) {
	if otherwise == nil {
		otherwise = Null()
	}
	values := make([]Expr, 0, len(whens)+1)
	for i, w := range whens {
		if w.Cond.Type() != columnar.Boolean {
			return nil, unexpectedInput("CASE WHEN", i, "BOOLEAN", w.Cond)
		}
		values = append(values, w.Then)
	}
	values, t, ok := common(append(values, otherwise))
	if !ok {
		return nil, mismatch("DATA_DIFF_TYPES", "CASE: the branches should all be of the same type, got %s.", typeList(append(thens(whens), otherwise)))
	}
	list := make([]Expr, 0, 2*len(whens)+1)
	for i, w := range whens {
		list = append(list, w.Cond, values[i])
	}
	return &caseExpr{list: append(list, values[len(whens)]), typ: t}, nil
}

func thens(whens []When) []Expr {
	out := make([]Expr, len(whens))
	for i, w := range whens {
		out[i] = w.Then
	}
	return out
}

func typeList(list []Expr) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Type().String()
	}
	return strings.Join(names, ", ")
}

func (c *caseExpr) Type() columnar.Type { return c.typ }

func (c *caseExpr) Nullable() bool {
	for i := 1; i < len(c.list); i += 2 {
		if c.list[i].Nullable() {
			return true
		}
	}
	return c.list[len(c.list)-1].Nullable()
}

func (c *caseExpr) String() string {
	var b strings.Builder
	b.WriteString("CASE")
	last := len(c.list) - 1
	for i := 0; i < last; i += 2 {
		b.WriteString(" WHEN " + c.list[i].String() + " THEN " + c.list[i+1].String())
	}
	b.WriteString(" ELSE " + c.list[last].String() + " END")
	return b.String()
}

func (c *caseExpr) inputs() []Expr          { return c.list }
func (c *caseExpr) with(inputs []Expr) Expr { return &caseExpr{list: inputs, typ: c.typ} }

// eval gives each branch the rows whose conditions before it were not true.
func (c *caseExpr) eval(ev *Evaluator, rows []int32) *vector {
	out := ev.vector(c.typ)
	last := len(c.list) - 1
	for i := 0; i < last && len(rows) > 0; i += 2 {
		hit, rest := ev.split(c.list[i].eval(ev, rows), rows)
		if len(hit) > 0 {
			ev.merge(out, c.list[i+1].eval(ev, hit), hit)
		}
		rows = rest
	}
	if len(rows) > 0 {
		ev.merge(out, c.list[last].eval(ev, rows), rows)
	}
	return out
}
