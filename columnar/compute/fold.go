package compute

import (
	"github.com/lakewheel/lakewheel/columnar"
)

// Fold replaces every part of e without columns by its value. A part whose value would be an error stays: it fails the
// rows that reach it, not the plan.
func Fold(e Expr) Expr {
	one := columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "one", Type: columnar.BigInt}), []columnar.Column{columnar.NewInt64Column([]int64{0}, nil)}, 1)
	defer one.Release()
	return rewrite(e, func(x Expr) Expr {
		if Literal(x) || len(x.inputs()) == 0 {
			return x
		}
		for _, in := range x.inputs() {
			if !Literal(in) {
				return x
			}
		}
		return foldOne(x, one)
	})
}

func foldOne(x Expr, one *columnar.Batch) Expr {
	ev := NewDefaultEvaluator()
	rows := ev.begin(one, nil)
	v := x.eval(ev, rows)
	if len(ev.failed) > 0 {
		return x
	}
	if v.isNull(0) {
		return typedNull(x.Type())
	}
	l := constant(x.Type())
	copyAt(l.v, 0, v, 0)
	return l
}
