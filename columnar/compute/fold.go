package compute

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
)

// Fold replaces every part of e that reads no column by its value. A part whose
// evaluation would fail stays: whether it fails depends on the rows that reach it.
func Fold(e Expr) Expr {
	ev := NewDefaultEvaluator()
	b := columnar.NewBatch(columnar.NewSchema(), nil, 1)
	return rewrite(e, func(x Expr) Expr { return foldNode(ev, b, x) })
}

func foldNode(ev *Evaluator, b *columnar.Batch, x Expr) Expr {
	in := x.inputs()
	if _, function := x.(*lambda); function || len(in) == 0 || !allLiteral(in) {
		return x
	}
	rows := ev.begin(b, nil)
	defer ev.end()
	ev.Reset()
	ev.clock.hit = false
	v := x.eval(ev, rows)
	if len(ev.errors) > 0 || ev.fault != nil || ev.clock.hit {
		return x
	}
	return &literal{typ: x.Type(), value: single(v)}
}

func allLiteral(list []Expr) bool {
	for _, e := range list {
		if !Literal(e) {
			return false
		}
	}
	return true
}

// single copies the value of row 0 into a constant.
func single(v *vector) *vector {
	if v.isNull(0) {
		return constantNull(v.typ)
	}
	if textual(v.typ) {
		return constantBytes(v.typ, slices.Clone(v.bytesAt(0)))
	}
	if v.typ.Nested() {
		return singleNested(v)
	}
	w := width(v.typ)
	raw := make([]byte, max(w, 16))[:w]
	copy(raw, v.data)
	return &vector{typ: v.typ, one: true, data: raw}
}
