package parquetfile

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// Project returns columns of a batch, found by name, as a batch of the schema.
func Project(b *columnar.Batch, schema *columnar.Schema) (*columnar.Batch, error) {
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields {
		at := b.Schema().Index(f.Name)
		if at < 0 {
			return nil, fmt.Errorf("the rows have no column %s", f.Name)
		}
		if t := b.Schema().Fields[at].Type; t != f.Type {
			return nil, fmt.Errorf("column %s of the rows is %s, not %s", f.Name, t, f.Type)
		}
		cols[i] = b.Column(at)
	}
	out := columnar.NewBatch(schema, cols, b.Rows())
	out.Retain()
	return out, nil
}
