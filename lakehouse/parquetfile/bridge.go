package parquetfile

import (
	"reflect"
	"unsafe" // also for go:linkname

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// Everything that reaches behind parquet-go's public interface is in this file. TestBridge fails when the
// library's version, and with it perhaps one of these, changes.

// writeDataPage hands a page to the encoder of a column. parquet-go's public ways in all go through one
// parquet.Value per value, which costs four times the encoding itself; this is the method they end in.
//
//go:linkname writeDataPage github.com/parquet-go/parquet-go.(*ColumnWriter).writeDataPage
func writeDataPage(c *parquet.ColumnWriter, page parquet.Page) (int64, error)

// loadCopiedChunk makes a column writer take a column of a file as it is, without decoding it; the bytes are read when the row group is
// written. parquet-go has this behind Writer.WriteRowGroup, for whole files that were configured alike.
//
//go:linkname loadCopiedChunk github.com/parquet-go/parquet-go.(*ColumnWriter).loadCopiedChunk
func loadCopiedChunk(c *parquet.ColumnWriter, from *parquet.FileColumnChunk) error

// copyChunk copies a column with what its file says of its encodings.
func copyChunk(c *parquet.ColumnWriter, from *parquet.FileColumnChunk, encodings []format.Encoding) error {
	(*field[*format.ColumnChunk](c, fields.chunk)).MetaData.Encoding = encodings
	return loadCopiedChunk(c, from)
}

// columnWriterFields are the offsets of the fields that choose between a dictionary and plain values, and hold the Bloom filter.
type columnWriterFields struct {
	dictionary, columnType, encoding, chunk, filter uintptr
	found                                           bool
}

// fields is not found when a field is gone or has another type: then no column gets a dictionary or a filter.
var fields = findFields(reflect.TypeFor[parquet.ColumnWriter]())

func findFields(t reflect.Type) (f columnWriterFields) {
	f.found = true
	at := func(name string, want reflect.Type) uintptr {
		field, ok := t.FieldByName(name)
		f.found = f.found && ok && field.Type == want
		return field.Offset
	}
	f.dictionary = at("dictionary", reflect.TypeFor[parquet.Dictionary]())
	f.columnType = at("columnType", reflect.TypeFor[parquet.Type]())
	f.encoding = at("encoding", reflect.TypeFor[encoding.Encoding]())
	f.chunk = at("columnChunk", reflect.TypeFor[*format.ColumnChunk]())
	f.filter = at("filter", reflect.TypeFor[[]byte]())
	return f
}

func field[T any](c *parquet.ColumnWriter, offset uintptr) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(c), offset))
}

// setDictionary puts a filled dictionary in the place of the empty one of a column that was declared with one.
func setDictionary(c *parquet.ColumnWriter, d parquet.Dictionary) {
	*field[parquet.Dictionary](c, fields.dictionary) = d
}

// dropDictionary makes a column that was declared with a dictionary a plain one. Nothing may have been written to it.
func dropDictionary(c *parquet.ColumnWriter, plain parquet.Type) {
	*field[parquet.Dictionary](c, fields.dictionary) = nil
	*field[parquet.Type](c, fields.columnType) = plain
	*field[encoding.Encoding](c, fields.encoding) = &parquet.Plain
	(*field[*format.ColumnChunk](c, fields.chunk)).MetaData.Encoding = []format.Encoding{format.Plain, format.RLE}
}

// announceFilter tells a column writer that its filter is there, so that it does not decode its pages to make one.
func announceFilter(c *parquet.ColumnWriter) {
	*field[[]byte](c, fields.filter) = make([]byte, bloom.BlockSize)
}
