package parquetfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/lakewheel/lakewheel/columnar"
)

// pager makes pages of the columns of one row group. It owns scratch memory that a page
// needs only until it is encoded.
type pager struct {
	i32        []int32
	i64        []int64
	f32        []float32
	f64        []float64
	bytes      []byte
	ends       []uint32
	levels     []byte
	present    []int32 // positions of the values that are not null
	dictionary dictionary
}

// target is where a column of a row group goes.
type target struct {
	w     *parquet.ColumnWriter
	index int
	typ   parquet.Type
	field columnar.Field
	stats *Stats
}

// encode writes a column, all rows of the row group, page by page.
func (p *pager) encode(to target, c columnar.Column) error {
	if c.NullN() > 0 && !to.field.Nullable {
		return fmt.Errorf("column %s: %d NULL values in a NOT NULL column", to.field.Name, c.NullN())
	}
	dict := p.choose(to, c)
	ids := p.dictionary.ids
	for from := 0; from < c.Len(); from += pageRows {
		part := array.NewSlice(c, int64(from), int64(min(from+pageRows, c.Len())))
		err := p.page(to, part, dict, &ids)
		part.Release()
		if err != nil {
			return fmt.Errorf("column %s: %w", to.field.Name, err)
		}
	}
	return nil
}

// choose gives a text column its dictionary, or takes the declared one from it.
func (p *pager) choose(to target, c columnar.Column) parquet.Dictionary {
	texts, ok := c.(*array.String)
	if !ok || !fields.found {
		return nil
	}
	if !p.dictionary.fill(texts) {
		dropDictionary(to.w, to.typ)
		return nil
	}
	dict := p.dictionary.parquet(to.typ, to.index)
	setDictionary(to.w, dict)
	return dict
}

// page writes one page. With a dictionary it takes the ids of its values off the front of ids.
func (p *pager) page(to target, c columnar.Column, dict parquet.Dictionary, ids *[]int32) error {
	p.mark(c)
	pg := &page{rows: int64(c.Len()), nulls: int64(c.NullN())}
	if to.field.Nullable {
		pg.levels = p.definitions(c)
	}
	if dict != nil {
		n := c.Len() - c.NullN()
		mine := (*ids)[:n:n]
		*ids = (*ids)[n:]
		pg.Page = dict.Type().NewPage(to.index, n, encoding.Int32Values(mine))
		pg.bounds = p.dictionary.bounds(mine)
	} else {
		values, n, err := p.dense(c, to.field.Type)
		if err != nil {
			return err
		}
		pg.Page = to.typ.NewPage(to.index, n, values)
		if n > 0 {
			pg.bounds = boundsOf(pg.Page)
		}
	}
	to.stats.add(to.typ, pg.rows, pg.nulls, pg.bounds)
	_, err := writeDataPage(to.w, pg)
	return err
}

// mark lists the rows that hold a value.
func (p *pager) mark(c columnar.Column) {
	p.present = p.present[:0]
	if c.NullN() == 0 {
		return
	}
	bits, base := c.NullBitmapBytes(), c.Data().Offset()
	for i := range c.Len() {
		if bitutil.BitIsSet(bits, base+i) {
			p.present = append(p.present, int32(i))
		}
	}
}

// definitions expands the validity of a column into a level per row.
func (p *pager) definitions(c columnar.Column) []byte {
	p.levels = grow(p.levels, c.Len())
	if c.NullN() == 0 {
		for i := range p.levels {
			p.levels[i] = 1
		}
		return p.levels
	}
	clear(p.levels)
	for _, i := range p.present {
		p.levels[i] = 1
	}
	return p.levels
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// dense returns the values that are not null, in the file's physical type.
func (p *pager) dense(c columnar.Column, t columnar.Type) (encoding.Values, int, error) {
	switch a := c.(type) {
	case *array.Boolean:
		return p.booleans(a)
	case *array.Int8:
		p.i32 = widen(p, p.i32, a.Int8Values(), c.NullN())
		return encoding.Int32Values(p.i32), len(p.i32), nil
	case *array.Int16:
		p.i32 = widen(p, p.i32, a.Int16Values(), c.NullN())
		return encoding.Int32Values(p.i32), len(p.i32), nil
	case *array.Int32:
		v := pick(p, &p.i32, a.Int32Values(), c.NullN())
		return encoding.Int32Values(v), len(v), nil
	case *array.Date32:
		v := pick(p, &p.i32, arrow.Int32Traits.CastFromBytes(arrow.Date32Traits.CastToBytes(a.Date32Values())), c.NullN())
		return encoding.Int32Values(v), len(v), nil
	case *array.Int64:
		v := pick(p, &p.i64, a.Int64Values(), c.NullN())
		return encoding.Int64Values(v), len(v), nil
	case *array.Timestamp:
		v := pick(p, &p.i64, arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues())), c.NullN())
		return encoding.Int64Values(v), len(v), nil
	case *array.Float32:
		v := pick(p, &p.f32, a.Float32Values(), c.NullN())
		return encoding.FloatValues(v), len(v), nil
	case *array.Float64:
		v := pick(p, &p.f64, a.Float64Values(), c.NullN())
		return encoding.DoubleValues(v), len(v), nil
	case *array.Decimal128:
		return p.decimals(a, int(t.Precision))
	case *array.String:
		return p.binaries(a.ValueOffsets(), a.ValueBytes(), a.Len(), a.NullN())
	case *array.Binary:
		return p.binaries(a.ValueOffsets(), a.ValueBytes(), a.Len(), a.NullN())
	}
	return encoding.Values{}, 0, fmt.Errorf("layout %s cannot be written to Parquet", c.DataType())
}

// pick packs the values that are not null; without nulls they are used in place.
func pick[T any](p *pager, scratch *[]T, values []T, nulls int) []T {
	if nulls == 0 {
		return values
	}
	*scratch = grow(*scratch, len(p.present))
	for i, row := range p.present {
		(*scratch)[i] = values[row]
	}
	return *scratch
}

// widen packs and converts.
func widen[F int8 | int16](p *pager, out []int32, values []F, nulls int) []int32 {
	if nulls == 0 {
		out = grow(out, len(values))
		for i, v := range values {
			out[i] = int32(v)
		}
		return out
	}
	out = grow(out, len(p.present))
	for i, row := range p.present {
		out[i] = int32(values[row])
	}
	return out
}

func (p *pager) booleans(a *array.Boolean) (encoding.Values, int, error) {
	n := a.Len() - a.NullN()
	p.bytes = grow(p.bytes, (n+7)/8)
	clear(p.bytes)
	at := 0
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		if a.Value(i) {
			bitutil.SetBit(p.bytes, at)
		}
		at++
	}
	return encoding.BooleanValues(p.bytes), n, nil
}

// binaries uses the bytes in place. With nulls it packs them, as a null may have bytes of its own.
func (p *pager) binaries(offsets []int32, data []byte, rows, nulls int) (encoding.Values, int, error) {
	n := rows - nulls
	p.ends = grow(p.ends, n+1)
	base := int32(0)
	if len(offsets) > 0 {
		base = offsets[0]
	}
	if nulls == 0 {
		for i := range n + 1 {
			p.ends[i] = 0
			if len(offsets) > 0 {
				p.ends[i] = uint32(offsets[i] - base)
			}
		}
		return encoding.ByteArrayValues(data, p.ends), n, nil
	}
	p.bytes = p.bytes[:0]
	p.ends[0] = 0
	for i, row := range p.present {
		p.bytes = append(p.bytes, data[offsets[row]-base:offsets[row+1]-base]...)
		p.ends[i+1] = uint32(len(p.bytes))
	}
	return encoding.ByteArrayValues(p.bytes, p.ends), n, nil
}

func (p *pager) decimals(a *array.Decimal128, precision int) (encoding.Values, int, error) {
	n := a.Len() - a.NullN()
	switch {
	case precision <= 9:
		p.i32 = grow(p.i32, n)
		p.eachDecimal(a, func(i int, v decimal128.Num) { p.i32[i] = int32(v.LowBits()) })
		return encoding.Int32Values(p.i32), n, nil
	case precision <= 18:
		p.i64 = grow(p.i64, n)
		p.eachDecimal(a, func(i int, v decimal128.Num) { p.i64[i] = int64(v.LowBits()) })
		return encoding.Int64Values(p.i64), n, nil
	}
	size := decimalBytes(precision)
	p.bytes = grow(p.bytes, n*size)
	p.eachDecimal(a, func(i int, v decimal128.Num) { putBigEndian(p.bytes[i*size:(i+1)*size], v) })
	return encoding.FixedLenByteArrayValues(p.bytes, size), n, nil
}

func (p *pager) eachDecimal(a *array.Decimal128, put func(i int, v decimal128.Num)) {
	if a.NullN() == 0 {
		for i, v := range a.Values() {
			put(i, v)
		}
		return
	}
	for i, row := range p.present {
		put(i, a.Value(int(row)))
	}
}

// putBigEndian writes the lowest bytes of v, in two's complement, most significant first.
func putBigEndian(dst []byte, v decimal128.Num) {
	high, low := uint64(v.HighBits()), v.LowBits()
	sign := byte(v.HighBits() >> 63)
	for i := len(dst) - 1; i >= 0; i-- {
		switch k := len(dst) - 1 - i; {
		case k < 8:
			dst[i] = byte(low >> (8 * k))
		case k < 16:
			dst[i] = byte(high >> (8 * (k - 8)))
		default:
			dst[i] = sign
		}
	}
}
