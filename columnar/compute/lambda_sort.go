package compute

import "github.com/lakewheel/lakewheel/columnar"

// bindSortBy sorts by a lambda that compares two elements.
func bindSortBy(name string, a, compare Expr) (Expr, error) {
	l, err := lambdaArgument(name, 1, compare, 2, 2)
	if err != nil {
		return nil, err
	}
	if l.Type() != columnar.Int && l.Type() != columnar.Null {
		return nil, unexpectedInput(name, 1, "INT", l)
	}
	l = &lambda{l.params, implicit(l.body, columnar.Int)}
	return newHigher(name, []Expr{a}, []Expr{l}, a.Type(), true, func(f *frame, ls []*lambda) {
		ls[0].preload(f.Evaluator)
		failed := map[int32]bool{}
		sortElements(func(f *frame, row int32, a *vector, x, y int32) int {
			if failed[row] {
				return 0
			}
			order, ok := ls[0].compare(f.Evaluator, row, a, x, y)
			if !ok {
				failed[row] = true
				f.fail(row, &EvalError{"COMPARATOR_RETURNS_NULL", "The comparator has returned a NULL for a comparison. It should return a positive integer for \"greater than\", 0 for \"equal\" and a negative integer for \"less than\"."})
			}
			return order
		})(f)
	}), nil
}

// preload reads everything from outer scopes that the lambda may use, so that memory of
// a single evaluation can be taken back.
func (l *lambda) preload(ev *Evaluator) {
	walk(l.body, func(x Expr) {
		switch x := x.(type) {
		case *column:
			ev.load(x.index)
		case *variable:
			if ev.isBound(x) {
				ev.lookup(ev.scope, x)
			}
		}
	})
}

// isBound reports whether the running scope or one around it knows a variable.
func (ev *Evaluator) isBound(x *variable) bool {
	for s := ev.scope; s != nil; s = s.outer {
		for _, b := range s.bound {
			if b.variable == x {
				return true
			}
		}
	}
	return false
}

// compare evaluates the lambda for two elements; ok is false where it is NULL.
func (l *lambda) compare(ev *Evaluator, row int32, a *vector, x, y int32) (order int, ok bool) {
	mark := ev.scratch.mark()
	defer func() { ev.scratch.release(mark) }()
	pair := []*vector{ev.take(a, []int32{x}), ev.take(a, []int32{y})}
	l.run(ev, []int32{row}, pair, func(out *vector, _ []int32) {
		if ok = !out.isNull(0); ok {
			order = int(valueAt[int32](out, 0))
		}
	})
	return order, ok
}
