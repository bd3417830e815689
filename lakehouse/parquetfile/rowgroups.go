package parquetfile

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/lakewheel/lakewheel/columnar"
)

// RowGroup is a part of a file that can be read on its own.
type RowGroup struct {
	Start int64 // its first byte in the file
	First int64 // its first row
	Rows  int64
}

// RowGroups lists those of the file.
func (r *Reader) RowGroups() []RowGroup {
	var out []RowGroup
	row := int64(0)
	for _, g := range r.file.Metadata().RowGroups {
		start := int64(math.MaxInt64)
		for _, c := range g.Columns {
			start = min(start, c.MetaData.DataPageOffset)
			if at := c.MetaData.DictionaryPageOffset; at > 0 {
				start = min(start, at)
			}
		}
		out = append(out, RowGroup{Start: start, First: row, Rows: g.NumRows})
		row += g.NumRows
	}
	return out
}

// Unpacked is how many bytes the pages of the columns that are read have without compression, of all row groups.
func (r *Reader) Unpacked() (bytes int64) {
	for _, g := range r.file.Metadata().RowGroups {
		for _, c := range g.Columns {
			if path := c.MetaData.PathInSchema; len(path) > 0 && r.schema.Index(path[0]) >= 0 {
				bytes += c.MetaData.TotalUncompressedSize
			}
		}
	}
	return bytes
}

// Select makes the Reader read some row groups alone, by their positions, ascending. It is called before Next.
func (r *Reader) Select(groups []int) { r.chosen = append([]int{}, groups...) }

// Row is the number, in the file, of the first row of the batch that Next returned last.
func (r *Reader) Row() int64 { return r.row }

// Holds reports whether the file has a column.
func (r *Reader) Holds(name string) bool {
	_, ok := spot{node: r.file.Schema()}.named(name, r.names.part(name))
	return ok
}

// Bound is a bound of the values of a plain column in a row group, not necessarily a value, as a column of one row. False if the file does not
// tell it. That of FLOAT and DOUBLE is never known from above: NaN, which is the largest number, is left out of the statistics.
func (r *Reader) Bound(group int, f columnar.Field, upper bool) (c columnar.Column, ok bool) {
	defer func() {
		if recover() != nil { // parquet-go's answer to some kinds of damage
			c, ok = nil, false
		}
	}()
	p := r.Probe()
	leaf, ok := p.leaf(f.Name)
	if !ok || f.Type.Nested() || upper && (f.Type.Kind == columnar.FloatKind || f.Type.Kind == columnar.DoubleKind) {
		return nil, false
	}
	stats := r.file.Metadata().RowGroups[group].Columns[leaf].MetaData.Statistics
	text := stats.MinValue
	if upper {
		text = stats.MaxValue
	}
	from, _ := r.file.Schema().Lookup(r.file.Schema().Columns()[leaf]...)
	values, ok := plainValue(from.Node.Type(), text)
	if !ok {
		return nil, false
	}
	into, err := newSink(f.Type, from.Node.Type())
	if err != nil {
		return nil, false
	}
	into.begin(1)
	if into.page(values, 1) != nil || into.take(0, 1) != nil {
		return nil, false
	}
	c, err = into.finish()
	return c, err == nil
}

// plainValue is one value as the statistics of a file have it.
func plainValue(t parquet.Type, text []byte) (encoding.Values, bool) {
	switch kind := t.Kind(); {
	case kind == parquet.ByteArray && len(text) > 0:
		return encoding.ByteArrayValues(text, []uint32{0, uint32(len(text))}), true
	case kind == parquet.FixedLenByteArray && len(text) > 0 && len(text) == t.Length():
		return encoding.FixedLenByteArrayValues(text, len(text)), true
	case kind == parquet.Int32 && len(text) == 4:
		return encoding.Int32Values([]int32{int32(binary.LittleEndian.Uint32(text))}), true
	case kind == parquet.Int64 && len(text) == 8:
		return encoding.Int64Values([]int64{int64(binary.LittleEndian.Uint64(text))}), true
	case kind == parquet.Float && len(text) == 4:
		v := math.Float32frombits(binary.LittleEndian.Uint32(text))
		return encoding.FloatValues([]float32{v}), v == v
	case kind == parquet.Double && len(text) == 8:
		v := math.Float64frombits(binary.LittleEndian.Uint64(text))
		return encoding.DoubleValues([]float64{v}), v == v
	}
	return encoding.Values{}, false
}
