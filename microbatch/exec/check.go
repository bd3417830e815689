package exec

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// refusedColumns are the rows that came as columns and break what a decoder of documents holds: NOT NULL, and that text is UTF-8.
func refusedColumns(b *columnar.Batch) []columnar.RowError {
	var out []columnar.RowError
	for i, f := range b.Schema().Fields {
		c := b.Column(i)
		if f.Nullable || c.NullN() == 0 {
			continue
		}
		err := fmt.Errorf("%s: a value is needed (NOT NULL), got null", f.Name)
		for row := range c.Len() {
			if c.IsNull(row) {
				out = append(out, columnar.RowError{Row: int32(row), Err: err})
			}
		}
	}
	return firstErrors(append(out, invalidText(b)...))
}

// invalidText are the rows with text that is no UTF-8.
func invalidText(b *columnar.Batch) []columnar.RowError {
	var out []columnar.RowError
	for i, f := range b.Schema().Fields {
		rows := columnar.InvalidText(b.Column(i))
		if len(rows) == 0 {
			continue
		}
		err := fmt.Errorf("%s: %w", f.Name, compute.ErrInvalidText)
		for _, row := range rows {
			out = append(out, columnar.RowError{Row: row, Err: err})
		}
	}
	return firstErrors(out)
}
