package aggregate

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// texts are one value for each group, NULL until it is set, as bytes in one block: a STRING or BINARY as it is, a value
// of another type as its code, which compares as the value does.
type texts struct {
	typ  columnar.Type
	code []byte // of the latest value
	data []byte
	from []int
	size []int32
	set  []bool
	used int // bytes of data that belong to a group
}

func (t *texts) Resize(n int) {
	t.from, t.size, t.set = resized(t.from, n), resized(t.size, n), resized(t.set, n)
}

func (t *texts) Keep(groups columnar.Selection) {
	t.from, t.size, t.set = columnar.Keep(t.from, groups), columnar.Keep(t.size, groups), columnar.Keep(t.set, groups)
	t.used = 0
	for _, n := range t.size {
		t.used += int(n)
	}
	t.compact()
}

func (t *texts) Bytes() int64 {
	return sizeOf(t.data) + sizeOf(t.from) + sizeOf(t.size) + sizeOf(t.set)
}

// of is the value of a group, borrowed until the next put.
func (t *texts) of(group int32) []byte {
	return t.data[t.from[group]:][:t.size[group]]
}

// put copies the value of a group in.
func (t *texts) put(group int32, value []byte) {
	old := int(t.size[group])
	t.set[group], t.size[group] = true, int32(len(value))
	t.used += len(value) - old
	if len(value) <= old {
		copy(t.data[t.from[group]:], value)
		return
	}
	t.from[group] = len(t.data)
	t.data = append(t.data, value...)
	t.compact()
}

// compact copies what is used when it is less than half of the block.
func (t *texts) compact() {
	if len(t.data) < 2*t.used+4096 {
		return
	}
	data := make([]byte, 0, t.used+t.used/2)
	for g, n := range t.size {
		from := len(data)
		data = append(data, t.data[t.from[g]:][:n]...)
		t.from[g] = from
	}
	t.data = data
}

// reader returns what reads the values of a column as bytes, each valid until the next.
func (t *texts) reader(c columnar.Column) func(row int) []byte {
	if textual(t.typ) {
		return func(row int) []byte { return columnar.BinaryAt(c, row) }
	}
	in := rowcode.Open(c, t.typ, true)
	return func(row int) []byte {
		t.code = in.Append(t.code[:0], row)
		return t.code
	}
}

func textual(t columnar.Type) bool { return t == columnar.String || t == columnar.Binary }

func (t *texts) column(groups columnar.Selection) columnar.Column {
	w := newWriter(t.typ)
	each(groups, len(t.set), func(g int32) {
		if t.set[g] {
			w.write(t.of(g))
		} else {
			w.writeNull()
		}
	})
	return w.column()
}

// writer makes a column of values as a reader gives them.
type writer struct {
	typ  columnar.Type
	text columnar.BinaryBuffer
	code *rowcode.Output
}

func newWriter(t columnar.Type) *writer { return &writer{typ: t, code: rowcode.NewOutput(t)} }

func (w *writer) write(value []byte) {
	if textual(w.typ) {
		w.text.Append(value)
	} else {
		w.code.Read(value)
	}
}

func (w *writer) writeNull() {
	if textual(w.typ) {
		w.text.AppendNull()
	} else {
		w.code.AppendNull()
	}
}

func (w *writer) column() columnar.Column {
	switch w.typ {
	case columnar.String:
		return w.text.FinishString()
	case columnar.Binary:
		return w.text.Finish()
	}
	return w.code.Column()
}
