package rowcode

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// Output collects decoded values of a type.
type Output struct {
	typ     columnar.Type
	valid   []bool
	data    []byte // values of fixed width, a byte for a BOOLEAN
	text    columnar.BinaryBuffer
	offsets []int32
	kids    []*Output
}

// NewOutput makes an Output of no values.
func NewOutput(t columnar.Type) *Output {
	out := &Output{typ: t, offsets: []int32{0}}
	for _, part := range t.Parts() {
		out.kids = append(out.kids, NewOutput(part.Type))
	}
	return out
}

// Read adds the value at the front of a code and returns the rest.
func (out *Output) Read(code []byte) []byte {
	if code[0] == 0 {
		out.AppendNull()
		return code[1:]
	}
	code = code[1:]
	out.valid = append(out.valid, true)
	switch out.typ.Kind {
	case columnar.BooleanKind:
		out.data = append(out.data, code[0])
		return code[1:]
	case columnar.StringKind, columnar.BinaryKind:
		return out.readText(code)
	case columnar.ArrayKind, columnar.MapKind:
		return out.readList(code)
	case columnar.StructKind:
		for _, kid := range out.kids {
			code = kid.Read(code)
		}
		return code
	}
	return out.readFixed(code)
}

// AppendNull adds a NULL.
func (out *Output) AppendNull() {
	out.valid = append(out.valid, false)
	switch out.typ.Kind {
	case columnar.NullKind:
	case columnar.BooleanKind:
		out.data = append(out.data, 0)
	case columnar.StringKind, columnar.BinaryKind:
		out.text.AppendNull()
	case columnar.ArrayKind, columnar.MapKind:
		out.offsets = append(out.offsets, out.offsets[len(out.offsets)-1])
	case columnar.StructKind:
		for _, kid := range out.kids {
			kid.AppendNull()
		}
	default:
		out.data = append(out.data, make([]byte, out.typ.Width())...)
	}
}

func (out *Output) readFixed(code []byte) []byte {
	const sign = 1 << 63
	switch out.typ.Kind {
	case columnar.TinyIntKind:
		out.data = append(out.data, code[0]^0x80)
		return code[1:]
	case columnar.SmallIntKind:
		out.data = binary.LittleEndian.AppendUint16(out.data, binary.BigEndian.Uint16(code)^sign>>48)
		return code[2:]
	case columnar.IntKind, columnar.DateKind, columnar.YearMonthIntervalKind:
		out.data = binary.LittleEndian.AppendUint32(out.data, binary.BigEndian.Uint32(code)^sign>>32)
		return code[4:]
	case columnar.FloatKind:
		bits := disordered(uint64(binary.BigEndian.Uint32(code))<<32, math.MaxUint32<<32, uint64(math.Float32bits(float32(math.NaN())))<<32)
		out.data = binary.LittleEndian.AppendUint32(out.data, uint32(bits>>32))
		return code[4:]
	case columnar.DoubleKind:
		bits := disordered(binary.BigEndian.Uint64(code), math.MaxUint64, math.Float64bits(math.NaN()))
		out.data = binary.LittleEndian.AppendUint64(out.data, bits)
		return code[8:]
	case columnar.DecimalKind:
		out.data = binary.LittleEndian.AppendUint64(out.data, binary.BigEndian.Uint64(code[8:]))
		out.data = binary.LittleEndian.AppendUint64(out.data, binary.BigEndian.Uint64(code)^sign)
		return code[16:]
	}
	out.data = binary.LittleEndian.AppendUint64(out.data, binary.BigEndian.Uint64(code)^sign)
	return code[8:]
}

// disordered undoes ordered.
func disordered(v, top, nan uint64) uint64 {
	switch {
	case v == top:
		return nan
	case v>>63 == 0:
		return ^v
	}
	return v &^ (1 << 63)
}

func (out *Output) readText(code []byte) []byte {
	text := code[:0:0]
	for {
		zero := bytes.IndexByte(code, 0)
		part, next := code[:zero], code[zero+1]
		code = code[zero+2:]
		if next == 0 && text == nil {
			out.text.Append(part)
			return code
		}
		text = append(text, part...)
		if next == 0 {
			out.text.Append(text)
			return code
		}
		text = append(text, 0)
	}
}

func (out *Output) readList(code []byte) []byte {
	for code[0] == 1 {
		code = code[1:]
		for _, kid := range out.kids {
			code = kid.Read(code)
		}
	}
	out.offsets = append(out.offsets, int32(len(out.kids[0].valid)))
	return code[1:]
}

// Column makes a column of the values; the Output is not used any more.
func (out *Output) Column() columnar.Column {
	switch out.typ.Kind {
	case columnar.NullKind:
		return array.NewNull(len(out.valid))
	case columnar.BooleanKind:
		return columnar.NewBooleanColumn(unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(out.data))), len(out.data)), out.valid)
	case columnar.StringKind:
		return out.text.FinishString()
	case columnar.BinaryKind:
		return out.text.Finish()
	case columnar.ArrayKind:
		return columnar.NewArrayColumn(out.typ, out.offsets, out.kids[0].Column(), out.valid)
	case columnar.MapKind:
		return columnar.NewMapColumn(out.typ, out.offsets, out.kids[0].Column(), out.kids[1].Column(), out.valid)
	case columnar.StructKind:
		fields := make([]columnar.Column, len(out.kids))
		for k, kid := range out.kids {
			fields[k] = kid.Column()
		}
		return columnar.NewStructColumn(out.typ, fields, len(out.valid), out.valid)
	}
	return out.fixed()
}

func (out *Output) fixed() columnar.Column {
	switch out.typ.Width() {
	case 1:
		return fixedColumn[int8](out)
	case 2:
		return fixedColumn[int16](out)
	case 4:
		return fixedColumn[int32](out)
	case 16:
		return fixedColumn[decimal128.Num](out)
	}
	return fixedColumn[int64](out)
}

func fixedColumn[T columnar.Fixed](out *Output) columnar.Column {
	values := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(out.data))), len(out.valid))
	return columnar.NewFixedColumn(out.typ, values, out.valid)
}
