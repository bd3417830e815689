package state

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/lakewheel/lakewheel/columnar"
)

// ErrDamaged: a state file does not hold what its record promises.
var ErrDamaged = errors.New("damaged state file")

// Encode makes a state file: an Arrow IPC stream, compressed with zstd, whose schema says which operator the rows are of.
func Encode(operator string, rows *columnar.Batch) ([]byte, error) {
	schema := arrowSchema(operator, rows.Schema())
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithZstd())
	whole := array.NewRecord(schema, rows.Columns(), int64(rows.Rows()))
	defer whole.Release()
	for from := int64(0); from < whole.NumRows(); from += recordRows {
		part := whole.NewSlice(from, min(from+recordRows, whole.NumRows()))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return nil, fmt.Errorf("encode state of %s: %w", operator, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode state of %s: %w", operator, err)
	}
	return out.Bytes(), nil
}

const (
	operatorKey = "lakewheel.operator"
	// recordRows bounds what a restore has in memory beside the state itself.
	recordRows = 256 << 10
)

func arrowSchema(operator string, s *columnar.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.Len())
	for i, f := range s.Fields {
		fields[i] = arrow.Field{Name: f.Name, Type: f.Type.Arrow(), Nullable: f.Nullable}
	}
	meta := arrow.NewMetadata([]string{operatorKey}, []string{operator})
	return arrow.NewSchema(fields, &meta)
}

// Decode reads a state file, part by part; each borrows its rows, which have the schema.
func Decode(body []byte, operator string, schema *columnar.Schema, each func(rows *columnar.Batch) error) error {
	r, err := ipc.NewReader(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer r.Release()
	meta := r.Schema().Metadata()
	if at := meta.FindKey(operatorKey); at < 0 || meta.Values()[at] != operator {
		return fmt.Errorf("%w: it is not of operator %s", ErrDamaged, operator)
	}
	if want := arrowSchema(operator, schema); !sameTypes(r.Schema(), want) {
		return fmt.Errorf("%w: its columns are %v, those of operator %s are %v", ErrDamaged, r.Schema().Fields(), operator, want.Fields())
	}
	for r.Next() {
		rows := batchOf(r.Record(), schema)
		err := each(rows)
		rows.Release()
		if err != nil {
			return err
		}
	}
	if r.Err() != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, r.Err())
	}
	return nil
}

func batchOf(r arrow.Record, schema *columnar.Schema) *columnar.Batch {
	cols := make([]columnar.Column, r.NumCols())
	for i := range cols {
		cols[i] = r.Column(i)
		cols[i].Retain()
	}
	return columnar.NewBatch(schema, cols, int(r.NumRows()))
}

func sameTypes(a, b *arrow.Schema) bool {
	if a.NumFields() != b.NumFields() {
		return false
	}
	for i, f := range a.Fields() {
		if f.Name != b.Field(i).Name || !arrow.TypeEqual(f.Type, b.Field(i).Type) {
			return false
		}
	}
	return true
}

// OperatorOf reads which operator a state file is of.
func OperatorOf(body []byte) (string, error) {
	r, err := ipc.NewReader(bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer r.Release()
	meta := r.Schema().Metadata()
	at := meta.FindKey(operatorKey)
	if at < 0 {
		return "", fmt.Errorf("%w: it does not say which operator it is of", ErrDamaged)
	}
	return meta.Values()[at], nil
}
