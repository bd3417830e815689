package decode

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// field is a column that is being filled. Fixed-width values have a slot for each row; texts are appended.
type field struct {
	name     string
	quoted   string // the name as it stands in a document that does not escape it
	typ      columnar.Type
	required bool
	seen     int // 1 + the newest row that had the key

	valid  *memory.Buffer
	count  int // rows with a value
	fixed  *memory.Buffer
	i64    []int64
	i32    []int32
	i16    []int16
	i8     []int8
	f64    []float64
	f32    []float32
	dec    []decimal128.Num
	bools  []byte
	data   []byte // texts
	ends   []int32
	before int // length of data before the row
	usual  int // length of data of the batch before
}

func newField(f columnar.Field) *field {
	return &field{name: f.Name, quoted: `"` + f.Name + `"`, typ: f.Type, required: !f.Nullable}
}

func newBuffer(size int, mem memory.Allocator) *memory.Buffer {
	b := memory.NewResizableBuffer(mem)
	b.Resize(size)
	return b
}

// begin makes room for n rows.
func (f *field) begin(n int, mem memory.Allocator) {
	f.seen, f.count, f.before = 0, 0, 0
	f.valid = newBuffer(int(bitutil.BytesForBits(int64(n))), mem)
	clear(f.valid.Bytes())
	switch f.typ.Kind {
	case columnar.StringKind, columnar.BinaryKind:
		f.fixed = newBuffer(4*(n+1), mem)
		f.ends = arrow.Int32Traits.CastFromBytes(f.fixed.Bytes())
		f.ends[0] = 0
		f.data = make([]byte, 0, f.usual+f.usual/8)
	case columnar.BooleanKind:
		f.fixed = newBuffer(int(bitutil.BytesForBits(int64(n))), mem)
		f.bools = f.fixed.Bytes()
		clear(f.bools)
	default:
		f.fixed = newBuffer(n*f.typ.Arrow().(arrow.FixedWidthDataType).BitWidth()/8, mem)
		clear(f.fixed.Bytes())
		f.slots(f.fixed.Bytes())
	}
}

func (f *field) slots(b []byte) {
	switch f.typ.Kind {
	case columnar.TinyIntKind:
		f.i8 = arrow.Int8Traits.CastFromBytes(b)
	case columnar.SmallIntKind:
		f.i16 = arrow.Int16Traits.CastFromBytes(b)
	case columnar.IntKind, columnar.DateKind:
		f.i32 = arrow.Int32Traits.CastFromBytes(b)
	case columnar.BigIntKind, columnar.TimestampKind:
		f.i64 = arrow.Int64Traits.CastFromBytes(b)
	case columnar.FloatKind:
		f.f32 = arrow.Float32Traits.CastFromBytes(b)
	case columnar.DoubleKind:
		f.f64 = arrow.Float64Traits.CastFromBytes(b)
	case columnar.DecimalKind:
		f.dec = arrow.Decimal128Traits.CastFromBytes(b)
	}
}

func (f *field) set(row int) {
	bitutil.SetBit(f.valid.Bytes(), row)
	f.count++
}

func (f *field) isValid(row int) bool { return bitutil.BitIsSet(f.valid.Bytes(), row) }

// undo takes back the value of a row that turned out bad.
func (f *field) undo(row int) {
	if f.isValid(row) {
		bitutil.ClearBit(f.valid.Bytes(), row)
		f.count--
	}
	if f.ends != nil {
		f.data = f.data[:f.before]
	}
}

func (f *field) endRow(row int) {
	if f.ends != nil {
		f.before = len(f.data)
		f.ends[row+1] = int32(f.before)
	}
}

// finish returns the column.
func (f *field) finish(n int) columnar.Column {
	valid := f.valid
	if f.count == n {
		valid.Release()
		valid = nil
	}
	if f.ends == nil {
		return columnar.FromBuffers(f.typ.Arrow(), n, n-f.count, valid, f.fixed)
	}
	f.usual = len(f.data)
	return columnar.FromBuffers(f.typ.Arrow(), n, n-f.count, valid, f.fixed, memory.NewBufferBytes(f.data))
}

// value reads a value that is not null into a row.
func (f *field) value(p *parser, row int) error {
	var err error
	switch f.typ.Kind {
	case columnar.StringKind:
		err = f.string(p)
	case columnar.BigIntKind, columnar.IntKind, columnar.SmallIntKind, columnar.TinyIntKind:
		err = f.integer(p, row)
	case columnar.DoubleKind, columnar.FloatKind:
		err = f.float(p, row)
	case columnar.TimestampKind:
		err = f.timestamp(p, row)
	case columnar.DecimalKind:
		err = f.decimal(p, row)
	case columnar.BooleanKind:
		err = f.boolean(p, row)
	case columnar.DateKind:
		err = f.date(p, row)
	case columnar.BinaryKind:
		err = f.binary(p)
	}
	if err != nil {
		return fmt.Errorf("field %q: %w", f.name, err)
	}
	f.set(row)
	return nil
}

// wrong is the error of a value that is sound JSON but not of the type.
func (f *field) wrong(p *parser, at int) error {
	p.at = at
	return p.fail("expected %s", f.typ)
}

func (f *field) string(p *parser) error {
	if p.peek() == '"' {
		v, err := p.text()
		f.data = append(f.data, v...)
		return err
	}
	start := p.at
	err := p.skip(0)
	f.data = append(f.data, p.b[start:p.at]...)
	return err
}

func (f *field) integer(p *parser, row int) error {
	start := p.at
	v, ok := p.integer()
	if !ok {
		return f.wrong(p, start)
	}
	fits := true
	switch f.typ.Kind {
	case columnar.BigIntKind:
		f.i64[row] = v
	case columnar.IntKind:
		f.i32[row], fits = int32(v), int64(int32(v)) == v
	case columnar.SmallIntKind:
		f.i16[row], fits = int16(v), int64(int16(v)) == v
	default:
		f.i8[row], fits = int8(v), int64(int8(v)) == v
	}
	if !fits {
		return f.wrong(p, start)
	}
	return nil
}

// integer reads a number without fraction and exponent that fits 64 bits.
func (p *parser) integer() (int64, bool) {
	start := p.at
	negative := p.take('-')
	first := p.at
	v := uint64(0)
	for p.at < len(p.b) && p.b[p.at]-'0' < 10 {
		v = v*10 + uint64(p.b[p.at]-'0')
		p.at++
	}
	n := p.at - first
	if n == 0 || n > 1 && p.b[first] == '0' {
		return 0, false
	}
	if c := p.peek(); c == '.' || c == 'e' || c == 'E' {
		return 0, false
	}
	if n <= 18 {
		if negative {
			return -int64(v), true
		}
		return int64(v), true
	}
	exact, err := strconv.ParseInt(string(p.b[start:p.at]), 10, 64)
	return exact, err == nil
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

func (f *field) float(p *parser, row int) error {
	start := p.at
	if p.peek() == '"' {
		return f.namedFloat(p, row)
	}
	text, err := p.number()
	if err != nil {
		return err
	}
	if f.typ.Kind == columnar.FloatKind {
		v, err := strconv.ParseFloat(string(text), 32)
		if err != nil {
			return f.wrong(p, start)
		}
		f.f32[row] = float32(v)
		return nil
	}
	v, ok := simpleFloat(text)
	if !ok {
		if v, err = strconv.ParseFloat(string(text), 64); err != nil {
			return f.wrong(p, start)
		}
	}
	f.f64[row] = v
	return nil
}

// simpleFloat is exact for up to 15 digits with up to 22 behind the point: digits and power of ten are both exact, so that one division
// rounds once (Clinger). Anything else is left to strconv.
func simpleFloat(text []byte) (float64, bool) {
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	if len(text) > 16 {
		return 0, false
	}
	digits, behind := uint64(0), -1
	for i, c := range text {
		switch {
		case c == '.':
			behind = len(text) - i - 1
		case c-'0' < 10:
			digits = digits*10 + uint64(c-'0')
		default:
			return 0, false
		}
	}
	if digits >= 1e15 {
		return 0, false
	}
	v := float64(digits)
	if behind > 0 {
		v /= powers[behind]
	}
	if negative {
		v = -v
	}
	return v, true
}

// namedFloats are the strings that Spark reads as numbers.
var namedFloats = map[string]string{"NaN": "NaN", "Infinity": "+Inf", "+Infinity": "+Inf", "INF": "+Inf", "+INF": "+Inf", "-Infinity": "-Inf", "-INF": "-Inf"}

func (f *field) namedFloat(p *parser, row int) error {
	start := p.at
	text, err := p.text()
	if err != nil {
		return err
	}
	name, ok := namedFloats[string(text)]
	if !ok {
		return f.wrong(p, start)
	}
	v, _ := strconv.ParseFloat(name, 64)
	if f.typ.Kind == columnar.FloatKind {
		f.f32[row] = float32(v)
	} else {
		f.f64[row] = v
	}
	return nil
}

func (f *field) timestamp(p *parser, row int) error {
	start := p.at
	if p.peek() != '"' {
		v, ok := p.integer()
		if !ok || v > maxSeconds || v < -maxSeconds {
			return f.wrong(p, start)
		}
		f.i64[row] = v * 1_000_000
		return nil
	}
	text, err := p.text()
	if err != nil {
		return err
	}
	v, ok := columnar.ParseTimestamp(text)
	if !ok {
		return f.wrong(p, start)
	}
	f.i64[row] = v
	return nil
}

// maxSeconds is the largest number of seconds that fits in microseconds.
const maxSeconds = (1<<63 - 1) / 1_000_000

func (f *field) date(p *parser, row int) error {
	start := p.at
	text, err := p.text()
	if err != nil {
		return err
	}
	v, ok := columnar.ParseDate(text)
	if !ok {
		return f.wrong(p, start)
	}
	f.i32[row] = v
	return nil
}

func (f *field) boolean(p *parser, row int) error {
	switch {
	case p.literal("true"):
		bitutil.SetBit(f.bools, row)
	case p.literal("false"):
	default:
		return p.fail("expected %s", f.typ)
	}
	return nil
}

func (f *field) binary(p *parser) error {
	start := p.at
	text, err := p.text()
	if err != nil {
		return err
	}
	if f.data, err = base64.StdEncoding.AppendDecode(f.data, text); err != nil {
		return f.wrong(p, start)
	}
	return nil
}

func (f *field) decimal(p *parser, row int) error {
	start := p.at
	var text []byte
	var err error
	if p.peek() == '"' {
		text, err = p.text()
	} else {
		text, err = p.number()
	}
	if err != nil {
		return err
	}
	v, ok := columnar.ParseDecimal(text, f.typ)
	if !ok {
		return f.wrong(p, start)
	}
	f.dec[row] = v
	return nil
}
