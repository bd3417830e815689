package compute

import "github.com/lakewheel/lakewheel/columnar"

// bindMapZipWith joins two maps by key: those of the first one in order, then the others.
func bindMapZipWith(name string, args []Expr) (Expr, error) {
	list := make([]Expr, 2)
	for i := range list {
		m, err := mapNotNull(name, i, args[i])
		if err != nil {
			return nil, err
		}
		list[i] = m
	}
	key, ok := tightest(list[0].Type().KeyType(), list[1].Type().KeyType())
	if !ok {
		return nil, mismatch("MAP_ZIP_WITH_DIFF_TYPES", "%s: the two maps should have keys of one type, got %s.", name, typeList(list))
	}
	l, err := lambdaArgument(name, 2, args[2], 3, 3)
	if err != nil {
		return nil, err
	}
	for i, m := range list {
		list[i] = implicit(m, columnar.Map(key, m.Type().ValueType()))
	}
	return newHigher(name, list, []Expr{l}, columnar.Map(key, l.Type()), false, func(f *frame, ls []*lambda) {
		joined := f.joinMaps()
		values := joined.kids
		joined.kids = values[:1:1]
		ls[0].run(f.Evaluator, joined.parents, values, func(out *vector, _ []int32) {
			joined.kids = append(joined.kids, f.whole(out))
		})
		f.rebuild(joined)
	}), nil
}

// joinMaps lists the keys of both maps with their values, NULL where a map has no such key.
func (f *frame) joinMaps() flat {
	m, n := f.args[0], f.args[1]
	out := flat{kids: []*vector{grown(m.kids[0].typ), grown(m.kids[1].typ), grown(n.kids[1].typ)}, start: f.ints(), end: f.ints()}
	clear(out.start)
	clear(out.end)
	for _, i := range f.rows {
		out.start[i] = int32(len(out.parents))
		from, until := m.rangeAt(i)
		for k := from; k < until; k++ {
			out.kids[0].push(m.kids[0], k)
			out.kids[1].push(m.kids[1], k)
			out.kids[2].pushAt(n.kids[1], n.findKey(i, m.kids[0], k))
			out.parents = append(out.parents, i)
		}
		from, until = n.rangeAt(i)
		for k := from; k < until; k++ {
			if m.findKey(i, n.kids[0], k) < 0 {
				out.kids[0].push(n.kids[0], k)
				out.kids[1].pushNull()
				out.kids[2].push(n.kids[1], k)
				out.parents = append(out.parents, i)
			}
		}
		out.end[i] = int32(len(out.parents))
	}
	return out
}

// pushAt adds value k of src, or NULL if k is negative.
func (v *vector) pushAt(src *vector, k int32) {
	if k < 0 {
		v.pushNull()
		return
	}
	v.push(src, k)
}
