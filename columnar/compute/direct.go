package compute

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// direct is where the outermost call of an expression writes numbers, so that its column needs no copy of them.
type direct struct {
	of  Expr
	buf *memory.Buffer
}

// output makes the vector that a call fills.
func (ev *Evaluator) output(c *call) *vector {
	d := &ev.direct
	if d.of != Expr(c) || d.buf != nil || width(c.typ) == 0 || c.typ == columnar.Boolean {
		return ev.vector(c.typ)
	}
	d.buf = ev.buffer(ev.rows * width(c.typ))
	return &vector{typ: c.typ, data: d.buf.Bytes()}
}

// take hands over the buffer if it holds the values of v, else nil.
func (d *direct) take(v *vector) *memory.Buffer {
	b := d.buf
	if b == nil || b.Len() == 0 || unsafe.SliceData(b.Bytes()) != unsafe.SliceData(v.data) {
		return nil
	}
	d.buf = nil
	return b
}

// drop ends the expression.
func (d *direct) drop() {
	if d.buf != nil {
		d.buf.Release()
	}
	*d = direct{}
}
