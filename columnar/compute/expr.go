package compute

import (
	"sort"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// Expr is a bound, typed expression. It is immutable and may be shared by goroutines.
// String prints it as SQL text in Spark's manner, implicit casts included.
type Expr interface {
	Type() columnar.Type
	Nullable() bool
	String() string

	inputs() []Expr
	// with returns the same expression over other inputs of the same types.
	with(inputs []Expr) Expr
	// eval computes the expression for the given rows only. The vector lives until
	// the evaluator's next top-level call.
	eval(ev *Evaluator, rows []int32) *vector
}

type column struct {
	index    int
	name     string
	typ      columnar.Type
	nullable bool
}

// Column refers to the column at a position of the batch; name is for printing and for
// the fields of structs.
func Column(index int, name string, t columnar.Type, nullable bool) Expr {
	return &column{index: index, name: name, typ: t, nullable: nullable}
}

func (c *column) Type() columnar.Type { return c.typ }
func (c *column) Nullable() bool      { return c.nullable }
func (c *column) String() string      { return columnar.QuoteName(c.name) }
func (c *column) inputs() []Expr      { return nil }
func (c *column) with([]Expr) Expr    { return c }

func (c *column) eval(ev *Evaluator, _ []int32) *vector { return ev.load(c.index) }

// Columns lists the positions of the columns that e reads, ascending, each once.
func Columns(e Expr) []int {
	seen := map[int]bool{}
	walk(e, func(x Expr) {
		if c, ok := x.(*column); ok {
			seen[c.index] = true
		}
	})
	out := make([]int, 0, len(seen))
	for i := range seen {
		out = append(out, i)
	}
	sort.Ints(out)
	return out
}

// Remap returns e reading every column from the position that to gives for it.
func Remap(e Expr, to func(int) int) Expr {
	return rewrite(e, func(x Expr) Expr {
		c, ok := x.(*column)
		if !ok {
			return x
		}
		moved := *c
		moved.index = to(c.index)
		return &moved
	})
}

func walk(e Expr, visit func(Expr)) {
	visit(e)
	for _, x := range e.inputs() {
		walk(x, visit)
	}
}

// rewrite applies f to every node, inputs first.
func rewrite(e Expr, f func(Expr) Expr) Expr {
	in := e.inputs()
	if len(in) == 0 {
		return f(e)
	}
	out := make([]Expr, len(in))
	for i, x := range in {
		out[i] = rewrite(x, f)
	}
	return f(e.with(out))
}

func anyNullable(list []Expr) bool {
	for _, e := range list {
		if e.Nullable() {
			return true
		}
	}
	return false
}

func joined(list []Expr) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

// Size counts the nodes of an expression as it prints, shared ones each time; it stops
// counting at a million.
func Size(e Expr) int { return sizeUpTo(e, 1<<20) }

func sizeUpTo(e Expr, most int) int {
	n := 1
	for _, x := range e.inputs() {
		if n >= most {
			return n
		}
		n += sizeUpTo(x, most-n)
	}
	return n
}

// Substitute returns e with every column replaced by the expression that to gives for it.
func Substitute(e Expr, to func(int) Expr) Expr {
	return rewrite(e, func(x Expr) Expr {
		if c, ok := x.(*column); ok {
			return to(c.index)
		}
		return x
	})
}

// Position is the position of the column that e refers to; false if e is anything else.
func Position(e Expr) (int, bool) {
	if c, ok := e.(*column); ok {
		return c.index, true
	}
	return 0, false
}

// Replace returns e with parts of it replaced: by what other gives for them, where that is not nil. It is asked for a part
// before the parts of that, and not for the parts of what it replaces.
func Replace(e Expr, other func(Expr) Expr) Expr {
	if x := other(e); x != nil {
		return x
	}
	in := e.inputs()
	if len(in) == 0 {
		return e
	}
	out := make([]Expr, len(in))
	for i, x := range in {
		out[i] = Replace(x, other)
	}
	return e.with(out)
}
