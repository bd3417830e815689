// Package decode turns documents into columns, a whole fetch at a time.
//
// # Model
//
// Documents come as one BINARY column: they lie one behind the other in one buffer. A [Decoder] writes
// the fields that its schema names straight into column buffers; a field that no one asked for is checked
// and skipped. Row i of the result is document i: a document that is bad leaves nulls and a
// [columnar.RowError], and never disturbs its neighbors.
package decode

import "github.com/lakewheel/lakewheel/columnar"

// Decoder decodes documents. It keeps scratch memory and is used by one goroutine.
type Decoder interface {
	// Decode returns a batch with a row for each value of the BINARY column, owned by the caller, and the errors
	// of the rows that are bad, in row order. A null document is a row of nulls, not an error.
	Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error)
}

// Raw passes documents through as the column _value.
type Raw struct{ schema *columnar.Schema }

var _ Decoder = Raw{}

// NewRaw returns the decoder of `format: raw`. The schema has one BINARY field, or none if the plan does not read it.
func NewRaw(schema *columnar.Schema) Raw { return Raw{schema} }

// Decode returns the column itself.
func (r Raw) Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error) {
	cols := make([]columnar.Column, 0, 1)
	if r.schema.Len() > 0 {
		values.Retain()
		cols = append(cols, values)
	}
	return columnar.NewBatch(r.schema, cols, values.Len()), nil, nil
}
