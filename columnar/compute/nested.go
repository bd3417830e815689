package compute

import (
	"unsafe"

	"github.com/lakewheel/lakewheel/columnar"
)

// A nested vector has kids. A STRUCT has one a field, each with a value for every row.
// An ARRAY has one, a MAP two (keys and values); row i is [start[i], end[i]) of them, in
// any order, so that a slice of an array needs no copy.

// listed reports whether the rows of a type are ranges of kids.
func listed(t columnar.Type) bool {
	return t.Kind == columnar.ArrayKind || t.Kind == columnar.MapKind
}

// ranged reports whether rows of a type have a start and an end.
func ranged(t columnar.Type) bool { return textual(t) || listed(t) }

// grown makes an empty vector that push adds values to.
func grown(t columnar.Type) *vector {
	v := &vector{typ: t}
	for _, part := range t.Parts() {
		v.kids = append(v.kids, grown(part.Type))
	}
	return v
}

// push adds value row of src, which has the same type, to a grown vector.
func (v *vector) push(src *vector, row int32) {
	if src.isNull(row) {
		v.pushNull()
		return
	}
	if v.null != nil {
		v.null = append(v.null, 0)
	}
	i := row & src.mask()
	switch {
	case textual(v.typ):
		v.pushText(src.data[src.start[i]:src.end[i]])
		return
	case listed(v.typ):
		from := v.kids[0].n
		for k, kid := range v.kids {
			kid.pushRun(src.kids[k], src.start[i], src.end[i])
		}
		v.pushRange(from)
		return
	case v.typ.Kind == columnar.StructKind:
		for k, kid := range v.kids {
			kid.push(src.kids[k], row)
		}
	default:
		w := int32(width(v.typ))
		v.data = append(v.data, src.data[i*w:(i+1)*w]...)
	}
	v.n++
}

// weight is about how many bytes value row takes.
func (v *vector) weight(row int32) int64 {
	if v.isNull(row) {
		return 1
	}
	i, total := row&v.mask(), int64(1+width(v.typ))
	switch {
	case textual(v.typ):
		total += int64(v.end[i] - v.start[i])
	case listed(v.typ):
		for _, kid := range v.kids {
			for k := v.start[i]; k < v.end[i]; k++ {
				total += kid.weight(k)
			}
		}
	case v.typ.Kind == columnar.StructKind:
		for _, kid := range v.kids {
			total += kid.weight(row)
		}
	}
	return total
}

// pushNull adds a NULL.
func (v *vector) pushNull() {
	for len(v.null) < v.n {
		v.null = append(v.null, 0)
	}
	v.null = append(v.null, 1)
	switch {
	case textual(v.typ):
		v.pushText(nil)
		return
	case listed(v.typ):
		v.pushRange(v.kids[0].n)
		return
	case v.typ.Kind == columnar.StructKind:
		for _, kid := range v.kids {
			kid.pushNull()
		}
	default:
		v.data = append(v.data, zeros[:width(v.typ)]...)
	}
	v.n++
}

var zeros [16]byte

// pushText ends a value of bytes that are not yet in data.
func (v *vector) pushText(b []byte) {
	v.start = append(v.start, int32(len(v.data)))
	v.data = append(v.data, b...)
	v.end = append(v.end, int32(len(v.data)))
	v.n++
}

// pushRange ends a value whose elements were pushed to the kids since from.
func (v *vector) pushRange(from int) {
	v.start = append(v.start, int32(from))
	v.end = append(v.end, int32(v.kids[0].n))
	v.n++
}

// pushRun adds values [from, until) of src, which is no constant.
func (v *vector) pushRun(src *vector, from, until int32) {
	if w := int32(width(v.typ)); w > 0 && !src.one {
		if v.null == nil && src.null != nil {
			v.null = make([]byte, v.n)
		}
		if src.null != nil {
			v.null = append(v.null, src.null[from:until]...)
		} else if v.null != nil {
			v.null = append(v.null, make([]byte, until-from)...)
		}
		v.data = append(v.data, src.data[from*w:until*w]...)
		v.n += int(until - from)
		return
	}
	for i := from; i < until; i++ {
		v.push(src, i)
	}
}

// shell makes an output for nested values of the batch's length: ranges are empty.
func (ev *Evaluator) shell(t columnar.Type) *vector {
	v := &vector{typ: t}
	if t.Kind == columnar.StructKind {
		for _, f := range t.Parts() {
			v.kids = append(v.kids, ev.vector(f.Type))
		}
		return v
	}
	v.start, v.end = ev.ints(), ev.ints()
	clear(v.start)
	clear(v.end)
	for _, f := range t.Parts() {
		v.kids = append(v.kids, grown(f.Type))
	}
	return v
}

// closeList ends the value of a row whose elements were pushed to the kids since from. It
// fails a row that has too many, or the call if the rows together have.
func (ev *Evaluator) closeList(out *vector, row int32, from int) {
	if ev.crowded(out) {
		if from > 0 {
			ev.fault = ErrTooLarge
		} else {
			ev.setNull(out, row)
			ev.fail(row, errTooManyElements)
		}
		for _, kid := range out.kids {
			kid.cut(0)
		}
		from = 0
	}
	out.start[row], out.end[row] = int32(from), int32(out.kids[0].n)
}

// mergeNested copies the rows of v that are not NULL into out.
func (ev *Evaluator) mergeNested(out, v *vector, rows []int32) {
	if out.typ.Kind == columnar.StructKind {
		for k, kid := range out.kids {
			ev.merge(kid, v.kids[k], rows)
		}
		return
	}
	m := v.mask()
	for _, i := range rows {
		if v.isNull(i) {
			out.start[i], out.end[i] = 0, 0
			continue
		}
		from := out.kids[0].n
		for k, kid := range out.kids {
			kid.pushRun(v.kids[k], v.start[i&m], v.end[i&m])
		}
		ev.closeList(out, i, from)
	}
}

// take makes a vector whose row i is row at[i] of v; ranges are shared, not copied.
func (ev *Evaluator) take(v *vector, at []int32) *vector {
	if v.one {
		return v
	}
	out := &vector{typ: v.typ}
	if v.null != nil {
		out.null = ev.scratch.bytes(len(at))
		for i, from := range at {
			out.null[i] = v.null[from]
		}
	}
	switch {
	case ranged(v.typ):
		out.data, out.kids = v.data, v.kids
		out.start, out.end = cast[int32](ev.scratch.bytes(4*len(at)), len(at)), cast[int32](ev.scratch.bytes(4*len(at)), len(at))
		for i, from := range at {
			out.start[i], out.end[i] = v.start[from], v.end[from]
		}
	case v.typ.Kind == columnar.StructKind:
		for _, kid := range v.kids {
			out.kids = append(out.kids, ev.take(kid, at))
		}
	default:
		ev.takeFixed(out, v, at)
	}
	return out
}

func (ev *Evaluator) takeFixed(out, v *vector, at []int32) {
	out.data = ev.scratch.bytes(len(at) * width(v.typ))
	switch width(v.typ) {
	case 1:
		takeValues[uint8](out, v, at)
	case 2:
		takeValues[int16](out, v, at)
	case 4:
		takeValues[int32](out, v, at)
	case 8:
		takeValues[int64](out, v, at)
	case 16:
		takeValues[decimalValue](out, v, at)
	}
}

func takeValues[T fixed](out, v *vector, at []int32) {
	to, from := slice[T](out), slice[T](v)
	for i, k := range at {
		to[i] = from[k]
	}
}

// singleNested copies the value of row 0, which is not NULL, into a constant.
func singleNested(v *vector) *vector {
	out := &vector{typ: v.typ, one: true}
	if v.typ.Kind == columnar.StructKind {
		for _, kid := range v.kids {
			out.kids = append(out.kids, single(kid))
		}
		return out
	}
	for _, kid := range v.kids {
		copied := grown(kid.typ)
		copied.pushRun(kid, v.start[0], v.end[0])
		out.kids = append(out.kids, copied)
	}
	out.start, out.end = []int32{0}, []int32{v.end[0] - v.start[0]}
	return out
}

// pushFixed adds a value of fixed width.
func pushFixed[T fixed](v *vector, x T) {
	if v.null != nil {
		v.null = append(v.null, 0)
	}
	v.data = append(v.data, bytesOf(&x)...)
	v.n++
}

func bytesOf[T fixed](x *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x))
}
