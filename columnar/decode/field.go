package decode

import (
	"encoding/json"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// field collects one column of the running batch, in the layout of Arrow.
type field struct {
	name     string
	quoted   string // the key as it usually stands in a document
	typ      columnar.Type
	nullable bool
	seen     int32 // the row or object that has it already

	mem      memory.Allocator
	rows     int            // how many values there is room for
	validity *memory.Buffer // nil while nothing is NULL
	nulls    int
	fixed    *memory.Buffer // values of fixed width
	values   []byte
	offsets  *memory.Buffer // STRING and BINARY: ends[row] begins the row
	ends     []int32
	bytes    *memory.Buffer
	data     []byte
	used     int

	perRow int // bytes of a string in the batch before, rounded up

	kids  record // what an ARRAY, MAP or STRUCT is made of
	count int32  // values so far, if the field is below another one
}

func newField(f columnar.Field) field {
	quoted, err := json.Marshal(f.Name)
	if err != nil || len(quoted) != len(f.Name)+2 {
		quoted = []byte{0} // never guessed: the key has more than one spelling
	}
	return field{name: f.Name, quoted: string(quoted), typ: f.Type, nullable: f.Nullable, kids: newRecord(f.Type.Parts())}
}

// size is the number of bits of a value of fixed width, 0 for every other type.
func size(t columnar.Type) int {
	switch t.Kind {
	case columnar.BooleanKind:
		return 1
	case columnar.TinyIntKind:
		return 8
	case columnar.SmallIntKind:
		return 16
	case columnar.IntKind, columnar.FloatKind, columnar.DateKind:
		return 32
	case columnar.BigIntKind, columnar.DoubleKind, columnar.TimestampKind, columnar.TimestampNTZKind:
		return 64
	case columnar.DecimalKind:
		return 128
	}
	return 0
}

// begin makes room for a batch of rows whose documents have so many bytes.
func (f *field) begin(mem memory.Allocator, rows, input int) {
	f.mem, f.seen, f.nulls, f.used, f.count, f.rows = mem, -1, 0, 0, 0, rows
	for k := range f.kids.fields {
		f.kids.fields[k].begin(mem, rows, input)
	}
	if f.typ.Kind == columnar.StructKind {
		return
	}
	if bits := size(f.typ); bits > 0 {
		f.fixed = allocate(mem, (rows*bits+7)/8)
		f.values = f.fixed.Bytes()
		if bits == 1 {
			clear(f.values)
		}
		return
	}
	f.offsets = allocate(mem, 4*(rows+1))
	f.ends = view[int32](f.offsets.Bytes())
	f.ends[0] = 0
	if f.typ.Nested() {
		return
	}
	guess := rows * 16
	if f.perRow > 0 {
		guess = rows*f.perRow + rows*f.perRow/16
	}
	f.bytes = allocate(mem, min(guess, input))
	f.data = f.bytes.Bytes()
}

func allocate(mem memory.Allocator, n int) *memory.Buffer {
	b := memory.NewResizableBuffer(mem)
	b.Resize(n)
	return b
}

func view[T any](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// set writes a value of fixed width; T has the field's width.
func set[T any](f *field, row int32, v T) int32 {
	view[T](f.values)[row] = v
	return row
}

// setNull marks the row NULL.
func (f *field) setNull(row int32) {
	if f.validity == nil {
		f.validity = allocate(f.mem, f.rows/8+1)
		fill(f.validity.Bytes(), 0xff)
	}
	b, mask := &f.validity.Bytes()[row/8], byte(1)<<(row%8)
	if *b&mask != 0 {
		*b &^= mask
		f.nulls++
	}
	if f.typ.Kind != columnar.BooleanKind && f.fixed != nil {
		w := size(f.typ) / 8
		clear(f.values[int(row)*w : int(row+1)*w])
	}
}

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// put appends the bytes of a string.
func (f *field) put(b []byte) {
	if f.used+len(b) > len(f.data) {
		f.reserve(len(b))
	}
	f.used += copy(f.data[f.used:], b)
}

// reserve makes room for n more bytes.
func (f *field) reserve(n int) {
	if f.used+n <= len(f.data) {
		return
	}
	f.bytes.Resize(max(f.used+n, len(f.data)+len(f.data)/2, 1024))
	f.data = f.bytes.Bytes()
}

// finish returns the column and lets go of its buffers.
func (f *field) finish(rows int) columnar.Column {
	data := f.layout(rows)
	defer data.Release()
	return array.MakeFromData(data)
}

func (f *field) layout(rows int) arrow.ArrayData {
	buffers := []*memory.Buffer{f.validity}
	switch {
	case f.fixed != nil:
		buffers = append(buffers, f.fixed)
	case f.bytes != nil:
		f.bytes.ResizeNoShrink(f.used)
		buffers = append(buffers, f.offsets, f.bytes)
		if rows > 0 {
			f.perRow = (f.used + rows - 1) / rows
		}
	case f.offsets != nil:
		buffers = append(buffers, f.offsets)
	}
	kids := f.kidData()
	data := array.NewData(f.typ.Arrow(), rows, buffers, kids, f.nulls, 0)
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, k := range kids {
		k.Release()
	}
	f.validity, f.fixed, f.values, f.offsets, f.ends, f.bytes, f.data = nil, nil, nil, nil, nil, nil, nil
	return data
}
