// Package decode turns documents into columns.
//
// # Model
//
// The unit is a fetch: one BINARY column whose values, the documents of many
// records, lie in one buffer. A [Decoder] scans that buffer from front to back and
// writes values straight into the buffers of the output columns; a record costs no
// allocation, and only a bad one makes an error.
//
// A document that does not fit the schema never stops the batch: its row holds
// nulls and a [columnar.RowError] says what was expected, what was found and at
// which byte. Nothing is repaired or guessed: what JSON's grammar or the schema
// does not allow is an error of the row.
package decode

import "github.com/lakewheel/lakewheel/columnar"

// Decoder decodes the documents of a fetch. It belongs to one goroutine.
type Decoder interface {
	// Decode returns a batch of as many rows as values has; the caller releases it.
	// values is a BINARY column and is only borrowed. A null value makes a row of
	// nulls and no error. Errors of rows come in ascending order; the last result is
	// for failures of the whole batch.
	Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error)
}
