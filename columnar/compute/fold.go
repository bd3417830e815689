package compute

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
)

// Fold replaces every part of e that reads no column by its value. A part whose
// evaluation would fail stays: whether it fails depends on the rows that reach it. So
// does one whose value is large.
func Fold(e Expr) Expr { return FoldEach(e, func(Expr, Expr) {}) }

// What a constant may hold that replaces an expression.
const (
	maxFoldedBytes    = 1 << 16
	maxFoldedElements = 1 << 12
)

// FoldEach is Fold; it tells folded of each part and its value, inner parts first.
func FoldEach(e Expr, folded func(part, value Expr)) Expr {
	ev := NewDefaultEvaluator()
	ev.mostBytes, ev.mostElements = maxFoldedBytes, maxFoldedElements
	b := columnar.NewBatch(columnar.NewSchema(), nil, 1)
	return rewrite(e, func(x Expr) Expr {
		value := foldNode(ev, b, x)
		if value != x {
			folded(x, value)
		}
		return value
	})
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
