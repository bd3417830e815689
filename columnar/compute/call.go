package compute

import (
	"github.com/lakewheel/lakewheel/columnar"
)

// kernel computes rows of a result; in holds the arguments. It reports failed rows with ev.fail, and leaves them null.
type kernel func(ev *Evaluator, out *vector, in []*vector, rows []int32)

// call is an operator or function over its arguments.
type call struct {
	name     string
	args     []Expr
	typ      columnar.Type
	nullable bool // may be NULL even if no argument is
	// loose kernels see rows with null arguments; all others only rows without.
	loose bool
	run   kernel
	text  func(args []Expr) string // how it prints; nil: name(args)
}

func (c *call) Type() columnar.Type { return c.typ }
func (c *call) Nullable() bool      { return c.nullable || !c.loose && anyNullable(c.args) }
func (c *call) inputs() []Expr      { return c.args }

func (c *call) with(inputs []Expr) Expr {
	other := *c
	other.args = inputs
	return &other
}

func (c *call) String() string {
	if c.text != nil {
		return c.text(c.args)
	}
	return c.name + "(" + joined(c.args) + ")"
}

func (c *call) eval(ev *Evaluator, rows []int32) *vector {
	in := make([]*vector, len(c.args))
	for i, a := range c.args {
		in[i] = a.eval(ev, rows)
	}
	out := ev.vector(c.typ)
	if !c.loose {
		rows = ev.present(out, in, rows)
	}
	c.run(ev, out, in, rows)
	return out
}

// present drops the rows in which an argument is null, and makes their result null.
func (ev *Evaluator) present(out *vector, in []*vector, rows []int32) []int32 {
	for _, v := range in {
		if v.nulls == nil {
			continue
		}
		kept := make([]int32, 0, len(rows))
		for _, r := range rows {
			if v.isNull(r) {
				out.setNull(r, ev.n)
			} else {
				kept = append(kept, r)
			}
		}
		rows = kept
	}
	return rows
}

// reject fails a row and makes its result null.
func (ev *Evaluator) reject(out *vector, r int32, err error) {
	ev.fail(r, err)
	out.setNull(r, ev.n)
}

func infix(op string) func([]Expr) string {
	return func(args []Expr) string { return "(" + args[0].String() + " " + op + " " + args[1].String() + ")" }
}
