package parquetfile

import (
	_ "unsafe" // for go:linkname

	"github.com/parquet-go/parquet-go"
)

// writeDataPage hands a page to the encoder of a column. parquet-go's public ways in all go through one
// parquet.Value per value, which costs four times the encoding itself; this is the method they end in. TestBridge fails
// when the library's version, and with it perhaps the method, changes.
//
//go:linkname writeDataPage github.com/parquet-go/parquet-go.(*ColumnWriter).writeDataPage
func writeDataPage(c *parquet.ColumnWriter, page parquet.Page) (int64, error)
