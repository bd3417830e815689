package compute

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// view is the column as a vector. Only flags are copied: Arrow packs them into bits.
func (ev *Evaluator) view(c columnar.Column, t columnar.Type) *vector {
	if t == columnar.Null {
		return constantNull(t)
	}
	v := &vector{typ: t}
	data, n := c.Data(), c.Len()
	buffers, offset := data.Buffers(), data.Offset()
	if c.NullN() > 0 && buffers[0] != nil {
		v.null = ev.scratch.bytes(n)
		unpack(v.null, buffers[0].Bytes(), offset, 1)
	}
	switch {
	case t.Nested():
		ev.viewNested(v, c)
	case textual(t):
		viewBytes(v, buffers, offset, n)
	case t == columnar.Boolean:
		v.data = ev.scratch.bytes(n)
		unpack(v.data, content(buffers[1]), offset, 0)
	default:
		w := width(t)
		v.data = content(buffers[1])[:(offset+n)*w][offset*w:]
	}
	return v
}

func viewBytes(v *vector, buffers []*memory.Buffer, offset, n int) {
	if n == 0 {
		return
	}
	ends := cast[int32](buffers[1].Bytes(), buffers[1].Len()/4)
	v.start, v.end = ends[offset:offset+n], ends[offset+1:offset+n+1]
	v.data = content(buffers[2])
}

func content(b *memory.Buffer) []byte {
	if b == nil {
		return nil
	}
	return b.Bytes()
}

// unpack writes a byte for each bit from offset on: the bit, exclusive-or flip.
func unpack(dst, bits []byte, offset int, flip byte) {
	i := 0
	if offset&7 == 0 {
		for packed := bits[offset/8:]; i+8 <= len(dst); i += 8 {
			b, d := packed[i/8], dst[i:i+8:i+8]
			d[0], d[1], d[2], d[3] = b&1^flip, b>>1&1^flip, b>>2&1^flip, b>>3&1^flip
			d[4], d[5], d[6], d[7] = b>>4&1^flip, b>>5&1^flip, b>>6&1^flip, b>>7^flip
		}
	}
	for ; i < len(dst); i++ {
		at := offset + i
		dst[i] = bits[at/8]>>(at%8)&1 ^ flip
	}
}

// pack sets bit i of dst where src[i] is 1, exclusive-or flip.
func pack(dst, src []byte, flip byte) {
	i := 0
	for ; i+8 <= len(src); i += 8 {
		s := src[i : i+8 : i+8]
		dst[i/8] = (s[0]&1 | s[1]&1<<1 | s[2]&1<<2 | s[3]&1<<3 | s[4]&1<<4 | s[5]&1<<5 | s[6]&1<<6 | s[7]&1<<7) ^ -flip
	}
	for ; i < len(src); i++ {
		bitutil.SetBitTo(dst, i, src[i]&1^flip != 0)
	}
}

// column makes an Arrow array of the vector; rows that were not asked for hold any value.
func (ev *Evaluator) column(v *vector, rows []int32) (columnar.Column, error) {
	if v.typ == columnar.Null {
		return array.NewNull(ev.rows), nil
	}
	if textual(v.typ) {
		return ev.bytesColumn(v, rows)
	}
	if v.typ.Nested() {
		return ev.nestedColumn(v, rows)
	}
	if v.one {
		v = ev.spread(v)
	}
	validity, nulls := ev.validity(v)
	if v.typ == columnar.Boolean {
		buf := ev.buffer((ev.rows + 7) / 8)
		pack(buf.Bytes(), v.data[:ev.rows], 0)
		return build(v.typ, ev.rows, nulls, validity, buf), nil
	}
	buf := ev.direct.take(v)
	if buf == nil {
		buf = ev.buffer(ev.rows * width(v.typ))
		copy(buf.Bytes(), v.data)
	}
	return build(v.typ, ev.rows, nulls, validity, buf), nil
}

// spread repeats a constant of fixed width for every row.
func (ev *Evaluator) spread(v *vector) *vector {
	out := ev.vector(v.typ)
	if v.allNull() {
		out.null = ev.nulls()
		for i := range out.null {
			out.null[i] = 1
		}
		clear(out.data)
		return out
	}
	w := width(v.typ)
	for n := copy(out.data, v.data[:w]); n > 0 && n < len(out.data); n *= 2 {
		copy(out.data[n:], out.data[:n])
	}
	return out
}

func (ev *Evaluator) bytesColumn(v *vector, rows []int32) (columnar.Column, error) {
	total := int64(0)
	m := v.mask()
	for _, i := range rows {
		total += int64(v.end[i&m] - v.start[i&m])
	}
	if total > 1<<31-1 {
		return nil, ErrTooLarge
	}
	ends, values := ev.buffer(4*(ev.rows+1)), ev.buffer(int(total))
	to, out := cast[int32](ends.Bytes(), ev.rows+1), values.Bytes()
	to[0] = 0
	at, next := int32(0), int32(0)
	for _, i := range rows {
		for ; next < i; next++ {
			to[next+1] = at
		}
		at += int32(copy(out[at:], v.data[v.start[i&m]:v.end[i&m]]))
		to[i+1] = at
		next = i + 1
	}
	for ; int(next) < ev.rows; next++ {
		to[next+1] = at
	}
	if v.one && v.null != nil {
		flags := ev.nulls()
		for i := range flags {
			flags[i] = v.null[0]
		}
		v = &vector{typ: v.typ, null: flags}
	}
	validity, nulls := ev.validity(v)
	return build(v.typ, ev.rows, nulls, validity, ends, values), nil
}

func (ev *Evaluator) validity(v *vector) (*memory.Buffer, int) {
	if v.null == nil {
		return nil, 0
	}
	nulls := 0
	for _, n := range v.null[:ev.rows] {
		nulls += int(n)
	}
	if nulls == 0 {
		return nil, 0
	}
	buf := ev.buffer((ev.rows + 7) / 8)
	pack(buf.Bytes(), v.null[:ev.rows], 1)
	return buf, nulls
}

func (ev *Evaluator) buffer(n int) *memory.Buffer {
	b := memory.NewResizableBuffer(ev.mem)
	b.Resize(n)
	return b
}

// build takes over the references of the buffers.
func build(t columnar.Type, n, nulls int, buffers ...*memory.Buffer) columnar.Column {
	return buildNested(t.Arrow(), n, nulls, nil, buffers...)
}

// buildNested takes over the references of the children, too.
func buildNested(t arrow.DataType, n, nulls int, children []columnar.Column, buffers ...*memory.Buffer) columnar.Column {
	parts := make([]arrow.ArrayData, len(children))
	for i, c := range children {
		parts[i] = c.Data()
	}
	data := array.NewData(t, n, buffers, parts, nulls, 0)
	for _, c := range children {
		c.Release()
	}
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	defer data.Release()
	return array.MakeFromData(data)
}
