package compute

import (
	"github.com/lakewheel/lakewheel/columnar"
)

var conditionalFunctions = []function{
	entry("if", "if(c, a, b)", "a where c is TRUE, else b.", "if(a > 1, 'x', 'y')", 3, 3, bindIf),
	entry("coalesce", "coalesce(a, ...)", "The first value that is not NULL.", "coalesce(a, 0)", 1, -1, bindCoalesce),
	entry("ifnull", "ifnull(a, b)", "b where a is NULL.", "ifnull(a, 0)", 2, 2, bindCoalesce),
	entry("nvl", "nvl(a, b)", "b where a is NULL.", "nvl(a, 0)", 2, 2, bindCoalesce),
	entry("nvl2", "nvl2(a, b, c)", "b where a is not NULL, else c.", "nvl2(a, 1, 0)", 3, 3, bindNvl2),
	entry("nullif", "nullif(a, b)", "NULL where a equals b, else a.", "nullif(a, 0)", 2, 2, bindNullIf),
	entry("zeroifnull", "zeroifnull(a)", "0 where a is NULL.", "zeroifnull(a)", 1, 1, bindZeroIfNull),
	entry("nullifzero", "nullifzero(a)", "NULL where a is 0.", "nullifzero(a)", 1, 1, bindNullIfZero),
	entry("greatest", "greatest(a, b, ...)", "The largest value; NULLs are skipped.", "greatest(a, b)", 2, -1, bindExtreme),
	entry("least", "least(a, b, ...)", "The smallest value; NULLs are skipped.", "least(a, b)", 2, -1, bindExtreme),
}

func bindIf(_ string, args []Expr) (Expr, error) {
	if !isCondition(args[0]) {
		return nil, unexpectedInput("if", 0, "BOOLEAN", args[0])
	}
	return Case([]When{{implicit(args[0], columnar.Boolean), args[1]}}, args[2])
}

func bindNvl2(_ string, args []Expr) (Expr, error) {
	return Case([]When{{&nullTest{args[0], 0}, args[1]}}, args[2])
}

func bindNullIf(_ string, args []Expr) (Expr, error) {
	return Once(args[0], func(a Expr) (Expr, error) {
		equal, err := bindComparison("=", []Expr{a, args[1]})
		if err != nil {
			return nil, err
		}
		return Case([]When{{equal, typedNull(a.Type())}}, a)
	})
}

func bindZeroIfNull(_ string, args []Expr) (Expr, error) {
	return bindCoalesce("coalesce", []Expr{args[0], Integer(0, columnar.Int)})
}

func bindNullIfZero(_ string, args []Expr) (Expr, error) {
	return bindNullIf("nullif", []Expr{args[0], Integer(0, columnar.Int)})
}

// coalesce evaluates each argument for the rows that are NULL so far.
type coalesce struct {
	list []Expr
	typ  columnar.Type
}

func bindCoalesce(name string, args []Expr) (Expr, error) {
	list, t, ok := common(args)
	if !ok {
		return nil, mismatch("DATA_DIFF_TYPES", "%s(%s): the arguments should all be of the same type, got %s.", name, joined(args), typeList(args))
	}
	return &coalesce{list, t}, nil
}

func (c *coalesce) Type() columnar.Type { return c.typ }
func (c *coalesce) String() string      { return "coalesce(" + joined(c.list) + ")" }
func (c *coalesce) inputs() []Expr      { return c.list }
func (c *coalesce) with(in []Expr) Expr { return &coalesce{in, c.typ} }
func (c *coalesce) Nullable() bool {
	for _, e := range c.list {
		if !e.Nullable() {
			return false
		}
	}
	return true
}

func (c *coalesce) eval(ev *Evaluator, rows []int32) *vector {
	out := ev.vector(c.typ)
	for _, e := range c.list {
		if len(rows) == 0 {
			return out
		}
		v := e.eval(ev, rows)
		found := ev.live(rows, &vector{}, v)
		if len(found) > 0 {
			ev.merge(out, v, found)
		}
		rows = ev.exclude(rows, found)
	}
	for _, i := range rows {
		ev.setNull(out, i)
	}
	return out
}

func bindExtreme(name string, args []Expr) (Expr, error) {
	list, t, ok := commonBy(args, unpromoted)
	if !ok {
		return nil, mismatch("DATA_DIFF_TYPES", "%s(%s): the arguments should all be of the same type, got %s.", name, joined(args), typeList(args))
	}
	op := "<"
	if name == "least" {
		op = ">"
	}
	nullable := (&coalesce{list, t}).Nullable()
	return &call{name: name, args: list, typ: t, lenient: true, nullable: nullable, run: extremeKernel(compareKernel(op, t))}, nil
}

// extremeKernel keeps the better of the value so far and the next argument.
func extremeKernel(worse kernel) kernel {
	return func(f *frame) {
		for _, i := range f.rows {
			f.setNull(f.out, i)
		}
		for _, v := range f.args {
			take := f.takers(v, worse)
			if len(take) == 0 {
				continue
			}
			f.merge(f.out, v, take)
			for _, i := range take {
				f.out.null[i] = 0
			}
		}
	}
}

// takers lists the rows where v is not NULL and beats what out holds.
func (f *frame) takers(v *vector, worse kernel) []int32 {
	present := f.live(f.rows, &vector{}, v)
	held := f.live(present, &vector{}, f.out)
	test := frame{Evaluator: f.Evaluator, rows: held, args: []*vector{f.out, v}, out: f.vector(columnar.Boolean)}
	if len(held) > 0 {
		worse(&test)
	}
	take := f.ints()[:0]
	for _, i := range present {
		if f.out.null[i] != 0 || test.out.data[i] != 0 {
			take = append(take, i)
		}
	}
	return take
}
