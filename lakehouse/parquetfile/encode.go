package parquetfile

import (
	"errors"
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
	all        bool    // none is null; present is empty then
	dictionary dictionary
	shredder   shredder
	scratch    []int32  // the positions of all values of a nested leaf; present is a part of it
	hashes     []uint64 // of the values, for the Bloom filter
}

// target is where a column of a row group goes.
type target struct {
	w      *parquet.ColumnWriter
	index  int
	typ    parquet.Type
	leaf   leaf
	stats  *Stats
	filter *[]byte // takes the Bloom filter; nil for none
}

var errNotNull = errors.New("there is a NULL where none is allowed")

// encode writes a column, all rows of the row group, page by page.
func (p *pager) encode(to target, c columnar.Column) error {
	write := p.plain
	if len(to.leaf.steps) > 0 {
		write = p.nested
	}
	p.hashes = p.hashes[:0]
	if err := write(to, c); err != nil {
		return fmt.Errorf("column %s: %w", to.leaf.name, err)
	}
	if to.filter != nil {
		*to.filter = filterOf(p.hashes)
		announceFilter(to.w)
	}
	return nil
}

// plain writes a column that is a leaf itself.
func (p *pager) plain(to target, c columnar.Column) error {
	if c.NullN() > 0 && !to.leaf.nullable {
		return errNotNull
	}
	dict := p.choose(to, c, nil)
	ids := p.dictionary.ids
	for from := 0; from < c.Len(); from += pageRows {
		part := array.NewSlice(c, int64(from), int64(min(from+pageRows, c.Len())))
		p.mark(part)
		pg := &page{rows: int64(part.Len()), slots: int64(part.Len()), nulls: int64(part.NullN())}
		if to.leaf.nullable {
			pg.levels = p.definitions(part)
		}
		err := p.write(to, pg, part, dict, &ids)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// nested writes one leaf of a nested column.
func (p *pager) nested(to target, c columnar.Column) error {
	values, err := p.shredder.shred(to.leaf, c)
	if err != nil {
		return err
	}
	p.scratch = p.scratch[:0]
	for _, at := range p.shredder.at {
		if at >= 0 {
			p.scratch = append(p.scratch, at)
		}
	}
	rest := p.scratch
	dict := p.choose(to, values, rest)
	ids := p.dictionary.ids
	for from := 0; from < len(p.shredder.at); {
		until, pg := p.slots(from)
		n := pg.slots - pg.nulls
		p.present, rest = rest[:n], rest[n:]
		part := p.narrow(values)
		err := p.write(to, pg, part, dict, &ids)
		part.Release()
		if err != nil {
			return err
		}
		from = until
	}
	return nil
}

// slots makes a page, without values yet, of the slots from one on, and returns where it ends.
func (p *pager) slots(from int) (until int, pg *page) {
	s := &p.shredder
	until, rows := s.page(from)
	pg = &page{rows: int64(rows), slots: int64(until - from), levels: s.def[from:until]}
	if s.depth > 0 {
		pg.repeats = s.rep[from:until]
	}
	for _, at := range s.at[from:until] {
		if at < 0 {
			pg.nulls++
		}
	}
	return until, pg
}

// narrow cuts from a leaf the values that are present, if they stand side by side.
func (p *pager) narrow(values columnar.Column) columnar.Column {
	n := len(p.present)
	p.all = n == 0 || int(p.present[n-1]-p.present[0]) == n-1
	if !p.all {
		values.Retain()
		return values
	}
	if n == 0 {
		return array.NewSlice(values, 0, 0)
	}
	return array.NewSlice(values, int64(p.present[0]), int64(p.present[n-1])+1)
}

// choose gives a text column its dictionary, or takes the declared one from it. at are the positions of its values, nil
// for all that are not NULL.
func (p *pager) choose(to target, c columnar.Column, at []int32) parquet.Dictionary {
	texts, ok := c.(*array.String)
	if !ok || !fields.found {
		return nil
	}
	if !p.dictionary.fill(texts, at) {
		dropDictionary(to.w, to.typ)
		return nil
	}
	dict := p.dictionary.parquet(to.typ, to.index)
	setDictionary(to.w, dict)
	if to.filter != nil {
		p.hashes = appendHashes(p.hashes, dict.Page().Data(), dict.Len())
	}
	return dict
}

// write adds its values to a page and writes it. With a dictionary it takes their ids off the front of ids.
func (p *pager) write(to target, pg *page, c columnar.Column, dict parquet.Dictionary, ids *[]int32) error {
	if dict != nil {
		n := int(pg.slots - pg.nulls)
		mine := (*ids)[:n:n]
		*ids = (*ids)[n:]
		pg.Page = dict.Type().NewPage(to.index, n, encoding.Int32Values(mine))
		pg.bounds = p.dictionary.bounds(mine)
	} else {
		values, n, err := p.dense(c, to.leaf.typ)
		if err != nil {
			return err
		}
		pg.Page = to.typ.NewPage(to.index, n, values)
		if n > 0 {
			pg.bounds = boundsOf(pg.Page)
		}
		if to.filter != nil {
			p.hashes = appendHashes(p.hashes, values, n)
		}
	}
	to.stats.add(to.typ, pg.slots, pg.nulls, pg.bounds)
	_, err := writeDataPage(to.w, pg)
	return err
}

// mark lists the rows that hold a value.
func (p *pager) mark(c columnar.Column) {
	p.present, p.all = p.present[:0], c.NullN() == 0
	if p.all {
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
	if p.all {
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
		p.i32 = widen(p, p.i32, a.Int8Values())
		return encoding.Int32Values(p.i32), len(p.i32), nil
	case *array.Int16:
		p.i32 = widen(p, p.i32, a.Int16Values())
		return encoding.Int32Values(p.i32), len(p.i32), nil
	case *array.Int32:
		v := pick(p, &p.i32, a.Int32Values())
		return encoding.Int32Values(v), len(v), nil
	case *array.Date32:
		v := pick(p, &p.i32, arrow.Int32Traits.CastFromBytes(arrow.Date32Traits.CastToBytes(a.Date32Values())))
		return encoding.Int32Values(v), len(v), nil
	case *array.Int64:
		v := pick(p, &p.i64, a.Int64Values())
		return encoding.Int64Values(v), len(v), nil
	case *array.Timestamp:
		v := pick(p, &p.i64, arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues())))
		return encoding.Int64Values(v), len(v), nil
	case *array.Float32:
		v := pick(p, &p.f32, a.Float32Values())
		return encoding.FloatValues(v), len(v), nil
	case *array.Float64:
		v := pick(p, &p.f64, a.Float64Values())
		return encoding.DoubleValues(v), len(v), nil
	case *array.Decimal128:
		return p.decimals(a, int(t.Precision))
	case *array.String:
		return p.binaries(a.ValueOffsets(), a.ValueBytes(), a.Len())
	case *array.Binary:
		return p.binaries(a.ValueOffsets(), a.ValueBytes(), a.Len())
	}
	return encoding.Values{}, 0, fmt.Errorf("layout %s cannot be written to Parquet", c.DataType())
}

// pick packs the values that are not null; without nulls they are used in place.
func pick[T any](p *pager, scratch *[]T, values []T) []T {
	if p.all {
		return values
	}
	*scratch = grow(*scratch, len(p.present))
	for i, row := range p.present {
		(*scratch)[i] = values[row]
	}
	return *scratch
}

// widen packs and converts.
func widen[F int8 | int16](p *pager, out []int32, values []F) []int32 {
	if p.all {
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
	n := p.count(a.Len())
	p.bytes = grow(p.bytes, (n+7)/8)
	clear(p.bytes)
	for i := range n {
		row := i
		if !p.all {
			row = int(p.present[i])
		}
		if a.Value(row) {
			bitutil.SetBit(p.bytes, i)
		}
	}
	return encoding.BooleanValues(p.bytes), n, nil
}

// count is the number of values, of so many rows, that are not null.
func (p *pager) count(rows int) int {
	if p.all {
		return rows
	}
	return len(p.present)
}

// binaries uses the bytes in place. With nulls it packs them, as a null may have bytes of its own.
func (p *pager) binaries(offsets []int32, data []byte, rows int) (encoding.Values, int, error) {
	n := p.count(rows)
	p.ends = grow(p.ends, n+1)
	base := int32(0)
	if len(offsets) > 0 {
		base = offsets[0]
	}
	if p.all {
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
	n := p.count(a.Len())
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
	if p.all {
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
