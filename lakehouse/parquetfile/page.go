package parquetfile

import "github.com/parquet-go/parquet-go"

// pageRows is the number of rows of a data page.
const pageRows = 32 << 10

// page is a dense page of values with the nulls around them.
type page struct {
	parquet.Page // the values that are not null
	rows, nulls  int64
	levels       []byte // a definition level per row; nil for a required column
	bounds       bounds
}

func (p *page) NumRows() int64           { return p.rows }
func (p *page) NumValues() int64         { return p.rows }
func (p *page) NumNulls() int64          { return p.nulls }
func (p *page) DefinitionLevels() []byte { return p.levels }
func (p *page) Bounds() (parquet.Value, parquet.Value, bool) {
	return p.bounds.low, p.bounds.high, p.bounds.ok
}
