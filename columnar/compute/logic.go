package compute

import "github.com/lakewheel/lakewheel/columnar"

// logic is AND or OR over three values. The right side is evaluated only for rows that the left one does not decide.
type logic struct {
	args    []Expr // two
	decides bool   // what decides: false for AND, true for OR
}

func bindLogic(op string, args []Expr) (Expr, error) {
	for _, a := range args {
		if t := a.Type(); t != columnar.Boolean && t != columnar.Null {
			return nil, binaryWrongType(op, "BOOLEAN", args[0], args[1])
		}
	}
	return &logic{args: castAll(args, columnar.Boolean), decides: op == "OR"}, nil
}

func (l *logic) Type() columnar.Type     { return columnar.Boolean }
func (l *logic) Nullable() bool          { return anyNullable(l.args) }
func (l *logic) inputs() []Expr          { return l.args }
func (l *logic) with(inputs []Expr) Expr { return &logic{args: inputs, decides: l.decides} }

func (l *logic) String() string {
	if l.decides {
		return infix("OR")(l.args)
	}
	return infix("AND")(l.args)
}

func (l *logic) eval(ev *Evaluator, rows []int32) *vector {
	left := l.args[0].eval(ev, rows)
	out := ev.vector(columnar.Boolean)
	open := make([]int32, 0, len(rows))
	for _, r := range rows {
		if !left.isNull(r) && left.bools[r&left.mask] == l.decides {
			out.bools[r] = l.decides
		} else {
			open = append(open, r)
		}
	}
	if len(open) == 0 {
		return out
	}
	right := l.args[1].eval(ev, open)
	for _, r := range open {
		switch {
		case !right.isNull(r) && right.bools[r&right.mask] == l.decides:
			out.bools[r] = l.decides
		case left.isNull(r) || right.isNull(r):
			out.setNull(r, ev.n)
		default:
			out.bools[r] = !l.decides
		}
	}
	return out
}

func bindNot(args []Expr) (Expr, error) {
	if t := args[0].Type(); t != columnar.Boolean && t != columnar.Null {
		return nil, unexpectedInput("NOT", 0, "BOOLEAN", args[0])
	}
	return &call{name: "not", args: castAll(args, columnar.Boolean), typ: columnar.Boolean,
		text: func(a []Expr) string { return "(NOT " + a[0].String() + ")" },
		run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				out.bools[r] = !in[0].bools[r&in[0].mask]
			}
		}}, nil
}

func bindIsNull(want bool) func([]Expr) (Expr, error) {
	text := " IS NULL)"
	if !want {
		text = " IS NOT NULL)"
	}
	return func(args []Expr) (Expr, error) {
		return &call{name: "isnull", args: args, typ: columnar.Boolean, loose: true,
			text: func(a []Expr) string { return "(" + a[0].String() + text },
			run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
				for _, r := range rows {
					out.bools[r] = in[0].isNull(r) == want
				}
			}}, nil
	}
}

// coalesce is evaluated argument by argument, each only for the rows that are still NULL.
type coalesce struct {
	args []Expr
	typ  columnar.Type
}

func bindCoalesce(args []Expr) (Expr, error) {
	cast, t, ok := common(args)
	if !ok {
		return nil, mismatch("DATA_DIFF_TYPES", "coalesce: the arguments should all be of the same type, got %s.", typeList(args))
	}
	return &coalesce{args: cast, typ: t}, nil
}

func (c *coalesce) Type() columnar.Type     { return c.typ }
func (c *coalesce) inputs() []Expr          { return c.args }
func (c *coalesce) with(inputs []Expr) Expr { return &coalesce{args: inputs, typ: c.typ} }
func (c *coalesce) String() string          { return "coalesce(" + joined(c.args) + ")" }

func (c *coalesce) Nullable() bool {
	for _, a := range c.args {
		if !a.Nullable() {
			return false
		}
	}
	return true
}

func (c *coalesce) eval(ev *Evaluator, rows []int32) *vector {
	out := ev.vector(c.typ)
	for _, a := range c.args {
		v := a.eval(ev, rows)
		open := rows[:0:0]
		for _, r := range rows {
			if _, failed := ev.failed[r]; v.isNull(r) && !failed {
				open = append(open, r)
			} else {
				copyRow(out, v, r, ev.n)
			}
		}
		rows = open
	}
	for _, r := range rows {
		out.setNull(r, ev.n)
	}
	return out
}
