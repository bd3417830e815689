package compute

import "github.com/lakewheel/lakewheel/columnar"

// castableNested is castable for two types of which one is nested: their parts are cast
// one by one, and everything has a text.
func castableNested(from, to columnar.Type) bool {
	if to == columnar.String {
		return true
	}
	if from.Kind != to.Kind || len(from.Parts()) != len(to.Parts()) {
		return false
	}
	for k, part := range from.Parts() {
		if !castable(part.Type, to.Parts()[k].Type) {
			return false
		}
	}
	return true
}

// losesKeys reports whether a TRY_CAST could make a key of a MAP NULL.
func losesKeys(from, to columnar.Type) bool {
	if !from.Nested() || !to.Nested() {
		return false
	}
	if from.Kind == columnar.MapKind && losesValues(from.KeyType(), to.KeyType()) {
		return true
	}
	for k, part := range from.Parts() {
		if losesKeys(part.Type, to.Parts()[k].Type) {
			return true
		}
	}
	return false
}

// losesValues is Spark's list of casts that may give NULL outside of ANSI mode.
func losesValues(from, to columnar.Type) bool {
	fractional := from == columnar.Float || from == columnar.Double
	switch {
	case from == to:
		return false
	case from == columnar.String:
		return to != columnar.Binary
	case isDecimal(to):
		wide, ok := tightest(from, to)
		return !ok || wide != to
	case to == columnar.Timestamp:
		return fractional
	case to.Integral():
		return fractional || isDecimal(from) || from == columnar.Timestamp && to != columnar.BigInt
	}
	return false
}

// castNested casts the parts of nested values.
func castNested(to columnar.Type) kernel {
	switch to.Kind {
	case columnar.StringKind:
		return func(f *frame) {
			for _, i := range f.rows {
				at := len(f.out.data)
				f.out.data = appendText(f.out.data, f.args[0], i)
				f.close(f.out, i, at)
			}
		}
	case columnar.StructKind:
		return func(f *frame) {
			for k, part := range to.Parts() {
				f.out.kids[k] = f.castPart(f.args[0].kids[k], part.Type, f.rows)
			}
		}
	}
	return func(f *frame) {
		flat := f.flatten(f.args[0], f.rows)
		f.out.start, f.out.end = flat.start, flat.end
		f.within(len(flat.parents), flat.parents, nil, func(rows []int32) {
			for k, part := range to.Parts() {
				f.out.kids[k] = f.castPart(flat.kids[k], part.Type, rows)
			}
		})
	}
}

// castPart casts a kid for the given rows of the running scope.
func (f *frame) castPart(v *vector, to columnar.Type, rows []int32) *vector {
	if v.typ == to {
		return v
	}
	if v.allNull() || v.typ == columnar.Null {
		return f.spreadAny(constantNull(to))
	}
	inner := frame{Evaluator: f.Evaluator, args: []*vector{v}, out: f.vector(to), try: f.try, source: f.source}
	inner.rows = f.live(rows, inner.out, v)
	if len(inner.rows) > 0 {
		castKernel(v.typ, to)(&inner)
	}
	return inner.out
}

// flat is the elements of some rows of an ARRAY or MAP, one after the other.
type flat struct {
	kids       []*vector
	parents    []int32 // the row of each element
	start, end []int32 // the elements of each row
}

// flatten lists the elements of the given rows, each row's for itself, though ranges of
// rows may overlap.
func (ev *Evaluator) flatten(v *vector, rows []int32) flat {
	total := 0
	for _, i := range rows {
		from, until := v.rangeAt(i)
		total += int(until - from)
	}
	if total > ev.mostElements {
		ev.fault = ErrTooLarge
		rows, total = nil, 0
	}
	f := flat{start: ev.ints(), end: ev.ints(), parents: cast[int32](ev.scratch.bytes(4*total), total)}
	clear(f.start)
	clear(f.end)
	at := cast[int32](ev.scratch.bytes(4*total), total)
	n := int32(0)
	for _, i := range rows {
		f.start[i] = n
		from, until := v.rangeAt(i)
		for k := from; k < until; k++ {
			at[n], f.parents[n] = k, i
			n++
		}
		f.end[i] = n
	}
	for _, kid := range v.kids {
		f.kids = append(f.kids, ev.take(kid, at))
	}
	return f
}

// appendNestedText prints as Spark's CAST to STRING does: [1, null], {a -> 1}, {1, x}.
func appendNestedText(dst []byte, v *vector, row int32) []byte {
	switch v.typ.Kind {
	case columnar.StructKind:
		dst = append(dst, '{')
		for k, kid := range v.kids {
			if k > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendPart(dst, kid, row)
		}
		return append(dst, '}')
	case columnar.MapKind:
		return appendElements(dst, v, row, '{', '}', func(dst []byte, k int32) []byte {
			return appendPart(append(appendPart(dst, v.kids[0], k), " -> "...), v.kids[1], k)
		})
	}
	return appendElements(dst, v, row, '[', ']', func(dst []byte, k int32) []byte { return appendPart(dst, v.kids[0], k) })
}

func appendElements(dst []byte, v *vector, row int32, open, last byte, one func(dst []byte, k int32) []byte) []byte {
	dst = append(dst, open)
	from, until := v.rangeAt(row)
	for k := from; k < until; k++ {
		if k > from {
			dst = append(dst, ", "...)
		}
		dst = one(dst, k)
	}
	return append(dst, last)
}

func appendPart(dst []byte, v *vector, row int32) []byte {
	if v.typ == columnar.Null || v.isNull(row) {
		return append(dst, "null"...)
	}
	return appendText(dst, v, row)
}
