package parquetfile

import "github.com/parquet-go/parquet-go"

// pageRows is the number of rows of a data page; of a nested column the number of slots, up to the end of the row.
const pageRows = 32 << 10

// page is a dense page of values with the nulls around them.
type page struct {
	parquet.Page // the values that are not null
	rows         int64
	slots, nulls int64  // slots are values and nulls: as many as rows, but in lists
	levels       []byte // a definition level per slot; nil for a required column
	repeats      []byte // a repetition level per slot; nil outside of lists
	bounds       bounds
}

func (p *page) NumRows() int64           { return p.rows }
func (p *page) NumValues() int64         { return p.slots }
func (p *page) NumNulls() int64          { return p.nulls }
func (p *page) DefinitionLevels() []byte { return p.levels }
func (p *page) RepetitionLevels() []byte { return p.repeats }
func (p *page) Bounds() (parquet.Value, parquet.Value, bool) {
	return p.bounds.low, p.bounds.high, p.bounds.ok
}
