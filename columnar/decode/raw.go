package decode

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// Raw passes the documents through as the column _value BINARY.
type Raw struct{ schema *columnar.Schema }

var _ Decoder = (*Raw)(nil)

// NewRaw returns the decoder of format: raw.
func NewRaw() *Raw {
	return &Raw{columnar.NewSchema(columnar.Field{Name: "_value", Type: columnar.Binary, Nullable: true})}
}

// Decode implements Decoder without copying.
func (r *Raw) Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error) {
	if !isBinary(values) {
		return nil, nil, fmt.Errorf("decode: documents come as BINARY, not %s", values.DataType())
	}
	values.Retain()
	return columnar.NewBatch(r.schema, []columnar.Column{values}, values.Len()), nil, nil
}
