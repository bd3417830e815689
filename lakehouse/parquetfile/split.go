package parquetfile

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
)

// Split groups the rows of a batch by the values of some of its columns: a selection for each combination, in the order of their
// first rows. NULL is a value; the columns are of plain types.
func Split(b *columnar.Batch, by []int) []columnar.Selection {
	keys := make([]keyer, len(by))
	for i, at := range by {
		keys[i] = keyerOf(b.Column(at))
	}
	var (
		out       []columnar.Selection
		groups    = map[string]int{}
		key, last []byte
		group     int
	)
	for row := range int32(b.Rows()) {
		key = key[:0]
		for _, k := range keys {
			key = k(key, int(row))
		}
		if row == 0 || string(key) != string(last) {
			var ok bool
			if group, ok = groups[string(key)]; !ok {
				group = len(out)
				groups[string(key)] = group
				out = append(out, nil)
			}
			key, last = last, key
		}
		out[group] = append(out[group], row)
	}
	return out
}

// keyer appends what tells the value of a row from others.
type keyer func(dst []byte, row int) []byte

func keyerOf(c columnar.Column) keyer {
	value := valueKeyer(c)
	return func(dst []byte, row int) []byte {
		if c.IsNull(row) {
			return append(dst, 0)
		}
		return value(append(dst, 1), row)
	}
}

func valueKeyer(c columnar.Column) keyer {
	word := binary.BigEndian.AppendUint64
	switch a := c.(type) {
	case *array.Boolean:
		return func(dst []byte, row int) []byte {
			if a.Value(row) {
				return append(dst, 1)
			}
			return append(dst, 0)
		}
	case *array.Int8:
		return func(dst []byte, row int) []byte { return append(dst, byte(a.Value(row))) }
	case *array.Int16:
		return func(dst []byte, row int) []byte { return binary.BigEndian.AppendUint16(dst, uint16(a.Value(row))) }
	case *array.Int32:
		return func(dst []byte, row int) []byte { return binary.BigEndian.AppendUint32(dst, uint32(a.Value(row))) }
	case *array.Date32:
		return func(dst []byte, row int) []byte { return binary.BigEndian.AppendUint32(dst, uint32(a.Value(row))) }
	case *array.Int64:
		return func(dst []byte, row int) []byte { return word(dst, uint64(a.Value(row))) }
	case *array.Timestamp:
		return func(dst []byte, row int) []byte { return word(dst, uint64(a.Value(row))) }
	case *array.Float32:
		return func(dst []byte, row int) []byte { return word(dst, floatKey(float64(a.Value(row)))) }
	case *array.Float64:
		return func(dst []byte, row int) []byte { return word(dst, floatKey(a.Value(row))) }
	case *array.Decimal128:
		return func(dst []byte, row int) []byte {
			v := a.Value(row)
			return word(word(dst, uint64(v.HighBits())), v.LowBits())
		}
	}
	return func(dst []byte, row int) []byte {
		v := columnar.BinaryAt(c, row)
		return append(binary.AppendUvarint(dst, uint64(len(v))), v...)
	}
}

// floatKey is the same for all NaN.
func floatKey(v float64) uint64 {
	if v != v {
		v = math.NaN()
	}
	return math.Float64bits(v)
}

// Bytes is the size of the values of a batch, in memory. Buffers that it shares with other batches do not count.
func Bytes(b *columnar.Batch) int64 { return sizeOf(b).bytes(0, b.Rows()) }
