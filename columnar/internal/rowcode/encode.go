package rowcode

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
)

// Input is a column that is opened for encoding. It borrows the column.
type Input struct {
	typ      columnar.Type
	exact    bool
	validity []byte // nil: no NULL
	base     int    // of bits in validity, and in data of a BOOLEAN
	data     []byte // values of fixed width or bits
	offsets  []int32
	kids     []*Input
}

// Open prepares a column. exact keeps what equal numbers differ in, the sign of zero; otherwise zero is 0.0.
func Open(c columnar.Column, t columnar.Type, exact bool) *Input {
	in := &Input{typ: t, exact: exact, base: c.Data().Offset()}
	if c.Len() == 0 {
		return in
	}
	if c.NullN() > 0 {
		in.validity = c.NullBitmapBytes()
	}
	switch a := c.(type) {
	case *array.Struct:
		for k, f := range t.Parts() {
			in.kids = append(in.kids, Open(a.Field(k), f.Type, exact))
		}
	case *array.Map:
		in.offsets = a.Offsets()[in.base:]
		in.kids = []*Input{Open(a.Keys(), t.KeyType(), exact), Open(a.Items(), t.ValueType(), exact)}
	case *array.List:
		in.offsets = a.Offsets()[in.base:]
		in.kids = []*Input{Open(a.ListValues(), t.Elem(), exact)}
	case *array.String:
		in.offsets, in.data = a.ValueOffsets(), content(c, 2)
	case *array.Binary:
		in.offsets, in.data = a.ValueOffsets(), content(c, 2)
	case *array.Boolean:
		in.data = content(c, 1)
	case *array.Null:
	default:
		in.data = content(c, 1)[in.base*t.Width():]
	}
	return in
}

func content(c columnar.Column, buffer int) []byte {
	if b := c.Data().Buffers()[buffer]; b != nil {
		return b.Bytes()
	}
	return nil
}

// IsNull reports whether a value is NULL.
func (in *Input) IsNull(row int) bool {
	if in.typ.Kind == columnar.NullKind {
		return true
	}
	at := in.base + row
	return in.validity != nil && in.validity[at>>3]>>(at&7)&1 == 0
}

// Append appends the code of a value.
func (in *Input) Append(dst []byte, row int) []byte {
	if in.IsNull(row) {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch in.typ.Kind {
	case columnar.BooleanKind:
		at := in.base + row
		return append(dst, in.data[at>>3]>>(at&7)&1)
	case columnar.StringKind, columnar.BinaryKind:
		return appendText(dst, in.data[in.offsets[row]:in.offsets[row+1]])
	case columnar.ArrayKind, columnar.MapKind:
		return in.appendList(dst, row)
	case columnar.StructKind:
		for _, kid := range in.kids {
			dst = kid.Append(dst, row)
		}
		return dst
	}
	return in.appendFixed(dst, row)
}

func (in *Input) appendFixed(dst []byte, row int) []byte {
	const sign = 1 << 63
	switch in.typ.Kind {
	case columnar.TinyIntKind:
		return append(dst, in.data[row]^0x80)
	case columnar.SmallIntKind:
		return binary.BigEndian.AppendUint16(dst, binary.LittleEndian.Uint16(in.data[2*row:])^sign>>48)
	case columnar.IntKind, columnar.DateKind, columnar.YearMonthIntervalKind:
		return binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(in.data[4*row:])^sign>>32)
	case columnar.FloatKind:
		x := math.Float32frombits(binary.LittleEndian.Uint32(in.data[4*row:]))
		return binary.BigEndian.AppendUint32(dst, uint32(ordered(float64(x), uint64(math.Float32bits(x))<<32, in.exact)>>32))
	case columnar.DoubleKind:
		x := math.Float64frombits(binary.LittleEndian.Uint64(in.data[8*row:]))
		return binary.BigEndian.AppendUint64(dst, ordered(x, math.Float64bits(x), in.exact))
	case columnar.DecimalKind:
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(in.data[16*row+8:])^sign)
		return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(in.data[16*row:]))
	}
	return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(in.data[8*row:])^sign)
}

// ordered turns the bits of x, which begin at the highest, into a number in the order of the values.
func ordered(x float64, bits uint64, exact bool) uint64 {
	switch {
	case x != x:
		return math.MaxUint64
	case x == 0 && !exact:
		return 1 << 63
	case bits>>63 != 0:
		return ^bits
	}
	return bits | 1<<63
}

func appendText(dst, text []byte) []byte {
	for {
		zero := bytes.IndexByte(text, 0)
		if zero < 0 {
			break
		}
		dst = append(append(dst, text[:zero+1]...), 0xff)
		text = text[zero+1:]
	}
	return append(append(dst, text...), 0, 0)
}

func (in *Input) appendList(dst []byte, row int) []byte {
	for k := in.offsets[row]; k < in.offsets[row+1]; k++ {
		dst = append(dst, 1)
		for _, kid := range in.kids {
			dst = kid.Append(dst, int(k))
		}
	}
	return append(dst, 0)
}
