package compute

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// counted is an expression that counts the rows it is evaluated for.
type counted struct {
	Expr
	rows *int
}

func (c counted) eval(ev *Evaluator, rows []int32) *vector {
	*c.rows += len(rows)
	return c.Expr.eval(ev, rows)
}

func (c counted) inputs() []Expr   { return nil }
func (c counted) with([]Expr) Expr { return c }

// TestShare: a common part is computed once a row, and for no row that nothing needs it for.
func TestShare(t *testing.T) {
	b := smallTable(t) // a is 1, 0, NULL, 4, max
	defer b.Release()
	for _, test := range []struct {
		name, want string
		rows       int
		exprs      func(common Expr) []Expr
	}{
		{"twice", "2 1 null 5 null!", 5, func(x Expr) []Expr { return []Expr{x, x} }},
		{"in a branch of a CASE only", "2 null null null null", 1, func(x Expr) []Expr {
			when, err := Case([]When{{sql(t, "k = 'x'"), x}}, nil)
			require.NoError(t, err)
			return []Expr{when, when}
		}},
		{"in a branch, then everywhere", "2 null null null null!", 1 + 5, func(x Expr) []Expr {
			when, err := Case([]When{{sql(t, "k = 'x'"), x}}, nil)
			require.NoError(t, err)
			return []Expr{when, x}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := 0
			common, err := Call("+", counted{sql(t, "a"), &rows}, Integer(1, columnar.BigInt))
			require.NoError(t, err)
			ev := NewDefaultEvaluator()
			ev.Open()
			defer ev.Close()
			exprs := test.exprs(common)
			cols, err := ev.EvalAll(Share(exprs), b, nil)
			require.NoError(t, err)
			require.Equal(t, test.want, show(ev, cols[0], nil, exprs[0].Type()))
			require.Equal(t, test.rows, rows)
			release(cols)
		})
	}
}
