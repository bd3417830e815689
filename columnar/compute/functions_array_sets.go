package compute

import "github.com/lakewheel/lakewheel/columnar"

var arraySetFunctions = []function{
	entry("array_distinct", "array_distinct(a)", "Each element once, in the order of the first.", "array_distinct(array(1, 2, 1))", 1, 1, bindArraySet(func(in [2]bool) bool { return in[0] })),
	entry("array_union", "array_union(a, b)", "The elements of either, each once.", "array_union(array(1), array(2))", 2, 2, bindArraySet(func(in [2]bool) bool { return in[0] || in[1] })),
	entry("array_intersect", "array_intersect(a, b)", "The elements of both, each once.", "array_intersect(array(1, 2), array(2))", 2, 2, bindArraySet(func(in [2]bool) bool { return in[0] && in[1] })),
	entry("array_except", "array_except(a, b)", "The elements of a that are not in b, each once.", "array_except(array(1, 2), array(2))", 2, 2, bindArraySet(func(in [2]bool) bool { return in[0] && !in[1] })),
	entry("arrays_overlap", "arrays_overlap(a, b)", "TRUE if an element is in both; NULL if not and one is NULL.", "arrays_overlap(array(1, 2), array(2))", 2, 2, bindArraysOverlap),
}

// arrayPair makes the arguments arrays of one type whose elements can be compared.
func arrayPair(name string, args []Expr) ([]Expr, error) {
	list := make([]Expr, len(args))
	elem := columnar.Null
	for i, a := range args {
		a, err := arrayArgument(name, i, a)
		if err != nil {
			return nil, err
		}
		list[i] = a
		t, ok := tightest(elem, a.Type().Elem())
		if !ok || len(args) > 1 && args[i].Type() == columnar.Null {
			return nil, mismatch("BINARY_ARRAY_DIFF_TYPES", "%s(%s): the arrays should have elements of one type.", name, joined(args))
		}
		elem = t
	}
	if !orderable(elem) {
		return nil, mismatch("INVALID_ORDERING_TYPE", "%s does not support ordering on type %s.", name, elem)
	}
	return castAll(list, columnar.Array(elem)), nil
}

// bindArraySet keeps each value once if want says so of where it occurs: in the first
// array, in the second.
func bindArraySet(want func(in [2]bool) bool) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		list, err := arrayPair(name, args)
		if err != nil {
			return nil, err
		}
		run := func(f *frame) {
			s := elementSet{}
			for _, i := range f.rows {
				s.collect(f.args, i)
				from := f.out.kids[0].n
				s.push(f.out.kids[0], want)
				f.closeList(f.out, i, from)
			}
		}
		return &call{name: name, args: list, typ: list[0].Type(), run: run}, nil
	}
}

// elementSet holds the distinct elements of one or two arrays in order of appearance.
type elementSet struct {
	list  []member
	index map[string]int
	key   []byte
}

type member struct {
	from *vector
	at   int32
	in   [2]bool
}

func (s *elementSet) collect(args []*vector, row int32) {
	s.list, s.index = s.list[:0], map[string]int{}
	for k, a := range args {
		from, until := a.rangeAt(row)
		for at := from; at < until; at++ {
			s.add(a.kids[0], at, k)
		}
	}
}

func (s *elementSet) add(v *vector, at int32, side int) {
	s.key = appendExactKey(s.key[:0], v, at)
	k, known := s.index[string(s.key)]
	if !known {
		k = len(s.list)
		s.index[string(s.key)] = k
		s.list = append(s.list, member{from: v, at: at})
	}
	s.list[k].in[side] = true
}

func (s *elementSet) push(out *vector, want func(in [2]bool) bool) {
	for _, m := range s.list {
		if want(m.in) {
			out.push(m.from, m.at)
		}
	}
}

func bindArraysOverlap(name string, args []Expr) (Expr, error) {
	list, err := arrayPair(name, args)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		s := elementSet{}
		for _, i := range f.rows {
			s.collect(f.args, i)
			f.out.data[i] = 0
			null := false
			for _, m := range s.list {
				switch {
				case m.from.isNull(m.at):
					null = true
				case m.in[0] && m.in[1]:
					f.out.data[i] = 1
				}
			}
			if null && f.out.data[i] == 0 && bothFilled(f.args, i) {
				f.setNull(f.out, i)
			}
		}
	}
	return &call{name: name, args: list, typ: columnar.Boolean, nullable: true, run: run}, nil
}

func bothFilled(args []*vector, row int32) bool {
	for _, a := range args {
		if from, until := a.rangeAt(row); from == until {
			return false
		}
	}
	return true
}
