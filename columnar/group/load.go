package group

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// loader makes keys of the rows of some columns.
type loader struct {
	layout
	columns []columnar.Column
	sel     columnar.Selection
	inputs  []*rowcode.Input // of the columns that are encoded
	offsets []int32          // of the values of the plain column in block
	block   []byte
}

func newLoader(l layout, columns []columnar.Column, sel columnar.Selection) loader {
	out := loader{layout: l, columns: columns, sel: sel}
	if l.plain >= 0 {
		out.offsets, out.block = textParts(columns[l.plain])
		return out
	}
	for k, c := range columns {
		if l.at[k] == inText {
			out.inputs = append(out.inputs, rowcode.Open(c, l.types[k], false))
		}
	}
	return out
}

func textParts(c columnar.Column) (offsets []int32, block []byte) {
	if c.Len() == 0 {
		return nil, nil
	}
	if b := c.Data().Buffers()[2]; b != nil {
		block = b.Bytes()
	}
	if s, ok := c.(*array.String); ok {
		return s.ValueOffsets(), block
	}
	return c.(*array.Binary).ValueOffsets(), block
}

// load makes the keys of a run of the selected rows from one on.
func load[K words](l *loader, r *run[K], from int, nulls bool) {
	if nulls {
		clear(r.nulls[:r.n])
	}
	rows := rows{l.sel, from, r.n, len(r.keys[0])}
	if l.words > 0 {
		out := unsafe.Slice((*uint64)(unsafe.Pointer(&r.keys)), rows.stride*r.n)
		for k, c := range l.columns {
			if l.at[k] == inText {
				continue
			}
			rows.load(c, l.types[k], out[l.at[k]:])
			if c.NullN() > 0 {
				rows.clearNulls(c, out[l.at[k]:], wordsOf(l.types[k]))
				rows.markNulls(c, r.nulls[:], 1<<k)
			}
		}
	}
	switch {
	case l.plain >= 0:
		loadPlain(l, r, rows)
	case l.text:
		loadCodes(l, r, rows)
	}
}

// loadPlain locates the values of the plain column.
func loadPlain[K words](l *loader, r *run[K], rows rows) {
	r.block = l.block
	if l.sel == nil {
		copy(r.starts[:r.n], l.offsets[rows.from:])
		copy(r.ends[:r.n], l.offsets[rows.from+1:])
	} else {
		for i, row := range l.sel[rows.from:][:r.n] {
			r.starts[i], r.ends[i] = l.offsets[row], l.offsets[row+1]
		}
	}
	if c := l.columns[l.plain]; c.NullN() > 0 {
		rows.markNulls(c, r.nulls[:], 1<<l.plain)
		rows.each(func(i, row int) {
			if c.IsNull(row) {
				r.ends[i] = r.starts[i]
			}
		})
	}
}

// loadCodes encodes the columns that are no words.
func loadCodes[K words](l *loader, r *run[K], rows rows) {
	r.code = r.code[:0]
	rows.each(func(i, row int) {
		r.starts[i] = int32(len(r.code))
		for _, in := range l.inputs {
			r.code = in.Append(r.code, row)
		}
		r.ends[i] = int32(len(r.code))
	})
	r.block = r.code
}

// rows are n rows of a selection, from one on; their words are written stride apart.
type rows struct {
	sel     columnar.Selection
	from, n int
	stride  int
}

func (r rows) load(c columnar.Column, t columnar.Type, out []uint64) {
	switch {
	case t == columnar.Boolean:
		flags := c.(*array.Boolean)
		r.each(func(i, row int) { out[i*r.stride] = uint64(truth(flags.Value(row))) })
	case t == columnar.Float:
		loadWords(r, columnar.FixedValues[float32](c), out, func(v float32) uint64 { return uint64(math.Float32bits(canonical(v))) })
	case t == columnar.Double:
		loadWords(r, columnar.FixedValues[float64](c), out, func(v float64) uint64 { return math.Float64bits(canonical(v)) })
	case t.Kind == columnar.DecimalKind:
		values := columnar.FixedValues[decimal128.Num](c)
		r.each(func(i, row int) {
			out[i*r.stride], out[i*r.stride+1] = values[row].LowBits(), uint64(values[row].HighBits())
		})
	default:
		r.loadIntegers(c, t.Width(), out)
	}
}

func (r rows) loadIntegers(c columnar.Column, width int, out []uint64) {
	switch width {
	case 1:
		loadInteger(r, columnar.FixedValues[int8](c), out)
	case 2:
		loadInteger(r, columnar.FixedValues[int16](c), out)
	case 4:
		loadInteger(r, columnar.FixedValues[int32](c), out)
	default:
		loadInteger(r, columnar.FixedValues[int64](c), out)
	}
}

func loadInteger[T int8 | int16 | int32 | int64](r rows, values []T, out []uint64) {
	if r.sel == nil {
		for i, v := range values[r.from:][:r.n] {
			out[i*r.stride] = uint64(v)
		}
		return
	}
	for i, row := range r.sel[r.from:][:r.n] {
		out[i*r.stride] = uint64(values[row])
	}
}

func loadWords[T any](r rows, values []T, out []uint64, word func(T) uint64) {
	r.each(func(i, row int) { out[i*r.stride] = word(values[row]) })
}

func (r rows) each(f func(i, row int)) {
	for i := range r.n {
		row := r.from + i
		if r.sel != nil {
			row = int(r.sel[row])
		}
		f(i, row)
	}
}

// clearNulls clears the words of the rows that are NULL.
func (r rows) clearNulls(c columnar.Column, out []uint64, width int) {
	r.each(func(i, row int) {
		if c.IsNull(row) {
			clear(out[i*r.stride:][:width])
		}
	})
}

// markNulls sets a bit of the masks of the rows that are NULL.
func (r rows) markNulls(c columnar.Column, masks []uint8, bit uint8) {
	r.each(func(i, row int) {
		if c.IsNull(row) {
			masks[i] |= bit
		}
	})
}

// canonical is a number with one zero and one NaN.
func canonical[T float32 | float64](v T) T {
	if v != v {
		return T(math.NaN())
	}
	return v + 0 // -0.0 + 0 is 0.0
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
