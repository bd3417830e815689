package parquetfile

import (
	"bytes"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// wideDecimal is a DECIMAL of more than 18 digits in a fixed byte array, big-endian two's complement. parquet-go
// orders such arrays as unsigned bytes, which puts -1 above 1; bounds in that order would hide rows from readers.
type wideDecimal struct{ parquet.Type }

func (t wideDecimal) Compare(a, b parquet.Value) int {
	return compareSigned(a.ByteArray(), b.ByteArray())
}

func (t wideDecimal) NewColumnIndexer(int) parquet.ColumnIndexer { return &signedIndexer{} }

// compareSigned orders big-endian two's complement numbers of the same length.
func compareSigned(a, b []byte) int {
	negative, other := len(a) > 0 && a[0] >= 0x80, len(b) > 0 && b[0] >= 0x80
	switch {
	case negative && !other:
		return -1
	case other && !negative:
		return 1
	}
	return bytes.Compare(a, b)
}

// signedBounds returns the smallest and the largest number of n > 0 fixed-size ones.
func signedBounds(data []byte, size int) (low, high []byte) {
	low, high = data[:size], data[:size]
	for at := size; at < len(data); at += size {
		v := data[at : at+size]
		if compareSigned(v, low) < 0 {
			low = v
		}
		if compareSigned(v, high) > 0 {
			high = v
		}
	}
	return low, high
}

// signedIndexer makes the column index of a wide decimal. It claims no order of the pages. (parquet-go's own one for
// fixed byte arrays also loses the place of pages without values.)
type signedIndexer struct{ index format.ColumnIndex }

// Reset empties the index. The slices that were handed out stay as they are.
func (i *signedIndexer) Reset() { i.index = format.ColumnIndex{} }

// IndexPage adds a page; one without values has empty bounds.
func (i *signedIndexer) IndexPage(values, nulls int64, low, high parquet.Value) {
	i.index.NullPages = append(i.index.NullPages, values == nulls)
	i.index.NullCounts = append(i.index.NullCounts, nulls)
	i.index.MinValues = append(i.index.MinValues, boundBytes(low))
	i.index.MaxValues = append(i.index.MaxValues, boundBytes(high))
}

func boundBytes(v parquet.Value) []byte {
	if v.IsNull() {
		return []byte{}
	}
	return bytes.Clone(v.ByteArray())
}

// ColumnIndex returns the index of the pages so far.
func (i *signedIndexer) ColumnIndex() format.ColumnIndex { return i.index }
