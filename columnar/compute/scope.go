package compute

import "github.com/lakewheel/lakewheel/columnar"

// scope is a set of rows and what names mean for them. The outermost scope has the rows
// of the batch; the body of a lambda runs in one that has a row for each element.
type scope struct {
	outer *scope
	rows  int
	// parents gives the outer row of each row; nil: the same row.
	parents []int32
	loaded  []*vector // the columns of the batch, as far as they were read
	bound   []binding
}

// binding is the value of a variable of a lambda.
type binding struct {
	variable *variable
	value    *vector
}

// parent is the outer row of a row.
func (s *scope) parent(row int32) int32 {
	if s.parents == nil {
		return row
	}
	return s.parents[row]
}

// load returns a column of the batch for the rows of the running scope.
func (ev *Evaluator) load(index int) *vector { return ev.loadIn(ev.scope, index) }

func (ev *Evaluator) loadIn(s *scope, index int) *vector {
	if v := s.loaded[index]; v != nil {
		return v
	}
	var v *vector
	if s.outer == nil {
		v = ev.view(ev.batch.Column(index), ev.batch.Schema().Fields[index].Type)
	} else {
		v = ev.inner(s, ev.loadIn(s.outer, index))
	}
	s.loaded[index] = v
	return v
}

// inner repeats a vector of the outer scope for each row of s.
func (ev *Evaluator) inner(s *scope, v *vector) *vector {
	if s.parents == nil {
		return v
	}
	return ev.take(v, s.parents)
}

// lookup returns the value of a variable for the rows of a scope.
func (ev *Evaluator) lookup(s *scope, x *variable) *vector {
	for _, b := range s.bound {
		if b.variable == x {
			return b.value
		}
	}
	v := ev.inner(s, ev.lookup(s.outer, x))
	s.bound = append(s.bound, binding{x, v})
	return v
}

// within runs do in a scope of n rows with the given outer rows; parents nil: the same rows.
func (ev *Evaluator) within(n int, parents []int32, bound []binding, do func(rows []int32)) {
	outer := ev.scope
	ev.scope = &scope{outer: outer, rows: n, parents: parents, loaded: make([]*vector, len(outer.loaded)), bound: bound}
	do(ev.all(n))
	ev.scope = outer
}

// variable is a parameter of a lambda.
type variable struct {
	name string
	typ  columnar.Type
}

// Variable makes a parameter for a lambda; the body refers to it by this very Expr.
func Variable(name string, t columnar.Type) Expr { return &variable{name, t} }

func (x *variable) Type() columnar.Type                   { return x.typ }
func (x *variable) Nullable() bool                        { return true }
func (x *variable) String() string                        { return x.name }
func (x *variable) inputs() []Expr                        { return nil }
func (x *variable) with([]Expr) Expr                      { return x }
func (x *variable) eval(ev *Evaluator, _ []int32) *vector { return ev.lookup(ev.scope, x) }
