package compute

import (
	"cmp"
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

// comparison operators, by what a three-way comparison must be.
type relation struct{ less, equal, greater bool }

var relations = map[string]relation{
	"=": {equal: true}, "<>": {less: true, greater: true}, "<": {less: true}, "<=": {less: true, equal: true},
	">": {greater: true}, ">=": {equal: true, greater: true}, "<=>": {equal: true},
}

func (r relation) holds(c int) bool {
	switch {
	case c < 0:
		return r.less
	case c > 0:
		return r.greater
	}
	return r.equal
}

func bindComparison(op string, args []Expr) (Expr, error) {
	l, r := args[0], args[1]
	t, ok := wider(l.Type(), r.Type())
	if !ok {
		return nil, binaryDiffTypes(op, l, r)
	}
	args = castAll(args, t)
	rel := relations[op]
	if op == "<=>" {
		return &call{name: op, args: args, typ: columnar.Boolean, loose: true, text: infix(op), run: nullSafeEqual(t)}, nil
	}
	return &call{name: op, args: args, typ: columnar.Boolean, text: infix(op), run: compareKernel(t, rel)}, nil
}

// compareKernel is one loop for the type and the operator.
func compareKernel(t columnar.Type, rel relation) kernel {
	switch {
	case t == columnar.String || t == columnar.Binary:
		if rel == relations["="] {
			return textEqual
		}
		return func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			a, b := in[0], in[1]
			for _, r := range rows {
				out.bools[r] = rel.holds(cmp.Compare(a.texts[r&a.mask], b.texts[r&b.mask]))
			}
		}
	case isFloating(t):
		return floatCompare(rel)
	case isDecimal(t):
		return func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			a, b := in[0], in[1]
			for _, r := range rows {
				out.bools[r] = rel.holds(a.decimals[r&a.mask].Cmp(b.decimals[r&b.mask]))
			}
		}
	case t == columnar.Boolean:
		return func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			a, b := in[0], in[1]
			for _, r := range rows {
				out.bools[r] = rel.holds(compareBools(a.bools[r&a.mask], b.bools[r&b.mask]))
			}
		}
	}
	return func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
		a, b := in[0], in[1]
		for _, r := range rows {
			out.bools[r] = rel.holds(cmp.Compare(a.ints[r&a.mask], b.ints[r&b.mask]))
		}
	}
}

func textEqual(_ *Evaluator, out *vector, in []*vector, rows []int32) {
	a, b := in[0], in[1]
	for _, r := range rows {
		out.bools[r] = a.texts[r&a.mask] == b.texts[r&b.mask]
	}
}

// floatCompare orders as Spark does: NaN equals NaN and is above everything; -0.0 equals 0.0.
func floatCompare(rel relation) kernel {
	return func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
		a, b := in[0], in[1]
		for _, r := range rows {
			x, y := a.floats[r&a.mask], b.floats[r&b.mask]
			switch {
			case x < y:
				out.bools[r] = rel.less
			case x > y:
				out.bools[r] = rel.greater
			case x == y:
				out.bools[r] = rel.equal
			default:
				out.bools[r] = rel.holds(compareNaN(x, y))
			}
		}
	}
}

func compareNaN(x, y float64) int {
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	}
	return -1
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// nullSafeEqual is <=>: NULL equals NULL, and the result is never NULL.
func nullSafeEqual(t columnar.Type) kernel {
	equal := compareKernel(t, relations["="])
	if t == columnar.Null {
		equal = func(*Evaluator, *vector, []*vector, []int32) {}
	}
	return func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		both := make([]int32, 0, len(rows))
		for _, r := range rows {
			if a, b := in[0].isNull(r), in[1].isNull(r); a || b {
				out.bools[r] = a && b
			} else {
				both = append(both, r)
			}
		}
		equal(ev, out, in, both)
	}
}

// bindIn is value IN (list): TRUE if one is equal, else NULL if anything is NULL, else FALSE.
func bindIn(args []Expr) (Expr, error) {
	cast, t, ok := common(args)
	if !ok {
		return nil, mismatch("DATA_DIFF_TYPES", "IN: the values should all be of the same type, got %s.", typeList(args))
	}
	equal := compareKernel(t, relations["="])
	if t == columnar.Null {
		return typedNull(columnar.Boolean), nil
	}
	return &call{name: "in", args: cast, typ: columnar.Boolean, loose: true, nullable: anyNullable(cast),
		text: func(a []Expr) string { return "(" + a[0].String() + " IN (" + joined(a[1:]) + "))" },
		run: func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
			rows = ev.present(out, in[:1], rows)
			hit := ev.vector(columnar.Boolean)
			for _, item := range in[1:] {
				pending := rows[:0:0]
				for _, r := range rows {
					switch {
					case out.bools[r]:
					case item.isNull(r):
						out.setNull(r, ev.n)
					default:
						pending = append(pending, r)
					}
				}
				equal(ev, hit, []*vector{in[0], item}, pending)
				for _, r := range pending {
					if hit.bools[r] {
						out.bools[r] = true
						if out.nulls != nil {
							out.nulls[r] = false
						}
					}
				}
			}
		}}, nil
}
