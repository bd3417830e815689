package compute

import (
	"github.com/lakewheel/lakewheel/columnar"
)

var logicFunctions = []function{
	entry("and", "a AND b", "TRUE if both are; b is not evaluated where a is FALSE.", "a AND b", 2, 2, bindLogic),
	entry("or", "a OR b", "TRUE if one is; b is not evaluated where a is TRUE.", "a OR b", 2, 2, bindLogic),
	entry("not", "NOT a", "The opposite; NULL stays NULL.", "NOT a", 1, 1, bindNot),
	entry("isnull", "a IS NULL", "TRUE if a is NULL.", "isnull(a)", 1, 1, bindIsNull),
	entry("isnotnull", "a IS NOT NULL", "TRUE if a is not NULL.", "isnotnull(a)", 1, 1, bindIsNull),
	entry("in", "a IN (b, ...)", "TRUE if a equals one of the list, NULL if it might.", "a IN (1, 2)", 2, -1, bindIn),
}

// connective is AND or OR. decides is the value of the left side that needs no right side.
type connective struct {
	word        string
	decides     byte
	left, right Expr
}

func bindLogic(name string, args []Expr) (Expr, error) {
	word, decides := "AND", byte(0)
	if name == "or" {
		word, decides = "OR", 1
	}
	l, r := args[0], args[1]
	if !isCondition(l) || !isCondition(r) {
		bad := l
		if isCondition(l) {
			bad = r
		}
		return nil, mismatch("BINARY_OP_WRONG_TYPE", `(%s %s %s): the operator requires the input type "BOOLEAN", not %s.`, l, word, r, bad.Type())
	}
	return &connective{word, decides, implicit(l, columnar.Boolean), implicit(r, columnar.Boolean)}, nil
}

func isCondition(e Expr) bool {
	return e.Type() == columnar.Boolean || e.Type() == columnar.Null
}

func (c *connective) Type() columnar.Type { return columnar.Boolean }
func (c *connective) Nullable() bool      { return c.left.Nullable() || c.right.Nullable() }
func (c *connective) inputs() []Expr      { return []Expr{c.left, c.right} }
func (c *connective) String() string {
	return "(" + c.left.String() + " " + c.word + " " + c.right.String() + ")"
}

func (c *connective) with(in []Expr) Expr { return &connective{c.word, c.decides, in[0], in[1]} }

// eval computes the right side for the undecided rows only. There, the result is the
// right side, unless the left is NULL and the right does not decide: then NULL.
func (c *connective) eval(ev *Evaluator, rows []int32) *vector {
	l := c.left.eval(ev, rows)
	out := ev.vector(columnar.Boolean)
	values, from, m := slice[uint8](out), slice[uint8](l), l.mask()
	open, k := ev.ints(), 0
	for _, i := range rows {
		decided := 1 - from[i&m] ^ c.decides
		values[i] = c.decides
		open[k] = i
		if l.null != nil && l.null[i&m] != 0 {
			decided = 0
		}
		k += int(1 - decided&1)
	}
	if k > 0 {
		c.combine(ev, open[:k], l, out)
	}
	return out
}

func (c *connective) combine(ev *Evaluator, open []int32, l, out *vector) {
	r := c.right.eval(ev, open)
	values, from, m := slice[uint8](out), slice[uint8](r), r.mask()
	if l.null == nil && r.null == nil {
		for _, i := range open {
			values[i] = from[i&m]
		}
		return
	}
	for _, i := range open {
		values[i] = from[i&m]
		if r.isNull(i) || l.isNull(i) && from[i&m] != c.decides {
			ev.setNull(out, i)
		}
	}
}

// filter returns the rows where e is TRUE. AND narrows row by row; OR unites.
func (ev *Evaluator) filter(e Expr, rows []int32) []int32 {
	if c, ok := e.(*connective); ok {
		hit := ev.filter(c.left, rows)
		if c.decides == 0 {
			return ev.filter(c.right, hit)
		}
		rest := ev.exclude(rows, hit)
		return ev.unite(hit, ev.filter(c.right, rest))
	}
	if len(rows) == 0 || e.Type() == columnar.Null {
		return rows[:0]
	}
	return ev.pick(e.eval(ev, rows), rows)
}

// exclude returns rows without those of gone, which is part of them.
func (ev *Evaluator) exclude(rows, gone []int32) []int32 {
	out := ev.ints()
	k, g := 0, 0
	for _, i := range rows {
		if g < len(gone) && gone[g] == i {
			g++
			continue
		}
		out[k] = i
		k++
	}
	return out[:k]
}

// unite merges two ascending lists that share no row.
func (ev *Evaluator) unite(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := ev.ints()[:0]
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// not is NOT.
type not struct{ in Expr }

func bindNot(_ string, args []Expr) (Expr, error) {
	if !isCondition(args[0]) {
		return nil, unexpectedInput("NOT", 0, "BOOLEAN", args[0])
	}
	return &not{implicit(args[0], columnar.Boolean)}, nil
}

func (n *not) Type() columnar.Type { return columnar.Boolean }
func (n *not) Nullable() bool      { return n.in.Nullable() }
func (n *not) String() string      { return "(NOT " + n.in.String() + ")" }
func (n *not) inputs() []Expr      { return []Expr{n.in} }
func (n *not) with(in []Expr) Expr { return &not{in[0]} }

func (n *not) eval(ev *Evaluator, rows []int32) *vector {
	in := n.in.eval(ev, rows)
	out := ev.vector(columnar.Boolean)
	values, from, m := slice[uint8](out), slice[uint8](in), in.mask()
	for _, i := range ev.live(rows, out, in) {
		values[i] = 1 - from[i&m]
	}
	return out
}

// nullTest is IS NULL, or IS NOT NULL where the wanted flag is 0.
type nullTest struct {
	in     Expr
	wanted byte
}

// ComparedToNull is the column of which an expression says that it IS NULL.
func ComparedToNull(e Expr) (column int, ok bool) {
	if n, is := e.(*nullTest); is && n.wanted == 1 {
		return Position(n.in)
	}
	return 0, false
}

func bindIsNull(name string, args []Expr) (Expr, error) {
	return &nullTest{args[0], bit(name == "isnull")}, nil
}

func (n *nullTest) Type() columnar.Type { return columnar.Boolean }
func (n *nullTest) Nullable() bool      { return false }
func (n *nullTest) inputs() []Expr      { return []Expr{n.in} }
func (n *nullTest) with(in []Expr) Expr { return &nullTest{in[0], n.wanted} }

func (n *nullTest) String() string {
	if n.wanted == 1 {
		return "(" + n.in.String() + " IS NULL)"
	}
	return "(" + n.in.String() + " IS NOT NULL)"
}

func (n *nullTest) eval(ev *Evaluator, rows []int32) *vector {
	in := n.in.eval(ev, rows)
	out := ev.vector(columnar.Boolean)
	m := in.mask()
	if in.null == nil {
		for _, i := range rows {
			out.data[i] = 1 - n.wanted
		}
		return out
	}
	for _, i := range rows {
		out.data[i] = 1 - in.null[i&m] ^ n.wanted
	}
	return out
}

// Conjuncts are the conditions that AND joins in e, from left to right.
func Conjuncts(e Expr) []Expr {
	if c, ok := e.(*connective); ok && c.decides == 0 {
		return append(Conjuncts(c.left), Conjuncts(c.right)...)
	}
	return []Expr{e}
}
