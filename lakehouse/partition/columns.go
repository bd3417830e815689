package partition

import (
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// Columns puts the partition columns to the columns of a file that lacks them.
type Columns struct {
	// InFile is the schema of the file.
	InFile *columnar.Schema
	schema *columnar.Schema
	from   []int // for each column the one of the file, -1 for a partition column
	values []any // of the partition columns, nil for NULL
}

// maxText bounds a partition value, in bytes: it is repeated in each row.
const maxText = 4 << 10

// NewColumns returns those of a file with rows of the schema that is partitioned by some of its columns, and has these values of them as texts. What is not there, or empty, is NULL.
func NewColumns(schema *columnar.Schema, by []string, values map[string]*string) (*Columns, error) {
	p := &Columns{schema: schema, InFile: &columnar.Schema{}, values: make([]any, schema.Len())}
	for i, f := range schema.Fields {
		if !slices.Contains(by, f.Name) {
			p.from = append(p.from, p.InFile.Len())
			p.InFile.Fields = append(p.InFile.Fields, f)
			continue
		}
		p.from = append(p.from, -1)
		text := values[f.Name]
		if text == nil || *text == "" {
			continue
		}
		if len(*text) > maxText {
			return nil, fmt.Errorf("a value of partition column %s has %d bytes, which is not supported", f.Name, len(*text))
		}
		v, err := Value(f.Type, *text)
		if err != nil {
			return nil, fmt.Errorf("partition %s=%s is not %s", f.Name, *text, f.Type)
		}
		p.values[i] = v
	}
	return p, nil
}

// Constant is the value that a column has in all rows, nil for NULL, if it is a partition column.
func (p *Columns) Constant(column int) (value any, ok bool) {
	return p.values[column], p.from[column] < 0
}

// Fill returns the rows with their partition columns.
func (p *Columns) Fill(b *columnar.Batch) *columnar.Batch {
	cols := make([]columnar.Column, p.schema.Len())
	for i, f := range p.schema.Fields {
		switch {
		case p.from[i] >= 0:
			cols[i] = b.Column(p.from[i])
			cols[i].Retain()
		case p.values[i] == nil:
			cols[i] = columnar.NewNullColumn(f.Type, b.Rows())
		default:
			cols[i] = parquetfile.Repeat(f.Type, p.values[i], b.Rows())
		}
	}
	return columnar.NewBatch(p.schema, cols, b.Rows())
}
