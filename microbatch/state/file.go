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

// Encode makes a state file: an Arrow IPC stream, compressed, whose schema says which operator the rows are of.
func Encode(operator string, rows *columnar.Batch) ([]byte, error) {
	schema := arrowSchema(operator, rows.Schema())
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), compression(rows.Rows()))
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
	typeKey     = "lakewheel.type"
	// recordRows bounds what a restore has in memory beside the state itself.
	recordRows = 256 << 10
	// smallRows is the most rows of a file that LZ4 compresses.
	smallRows = 16 << 10
)

// compression is zstd, but for what a batch of a second changes: Arrow makes the encoder of zstd anew for each file, which takes 2 MiB and
// longer than the rows do.
func compression(rows int) ipc.Option {
	if rows <= smallRows {
		return ipc.WithLZ4()
	}
	return ipc.WithZstd()
}

func arrowSchema(operator string, s *columnar.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.Len())
	for i, f := range s.Fields {
		meta := arrow.NewMetadata([]string{typeKey}, []string{f.Type.String()})
		fields[i] = arrow.Field{Name: f.Name, Type: f.Type.Arrow(), Nullable: f.Nullable, Metadata: meta}
	}
	meta := arrow.NewMetadata([]string{operatorKey}, []string{operator})
	return arrow.NewSchema(fields, &meta)
}

// Decode reads a state file, part by part; each borrows its rows, which have the schema. The file may have further columns.
func Decode(body []byte, operator string, schema *columnar.Schema, each func(rows *columnar.Batch) error) error {
	r, err := ipc.NewReader(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer r.Release()
	meta := r.Schema().Metadata()
	if key := meta.FindKey(operatorKey); key < 0 || meta.Values()[key] != operator {
		return fmt.Errorf("%w: it is not of operator %s", ErrDamaged, operator)
	}
	at, err := places(r.Schema(), schema)
	if err != nil {
		return err
	}
	for r.Next() {
		rows := batchOf(r.Record(), schema, at)
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

func batchOf(r arrow.Record, schema *columnar.Schema, at []int) *columnar.Batch {
	cols := make([]columnar.Column, len(at))
	for i, place := range at {
		cols[i] = r.Column(place)
		cols[i].Retain()
	}
	return columnar.NewBatch(schema, cols, int(r.NumRows()))
}

// places finds the columns of a schema in those of a file, by name.
func places(file *arrow.Schema, schema *columnar.Schema) ([]int, error) {
	out := make([]int, schema.Len())
	for i, f := range schema.Fields {
		at := file.FieldIndices(f.Name)
		if len(at) != 1 || !arrow.TypeEqual(file.Field(at[0]).Type, f.Type.Arrow()) {
			return nil, fmt.Errorf("%w: it has no column %s %s, only %v", ErrDamaged, f.Name, f.Type, file.Fields())
		}
		out[i] = at[0]
	}
	return out, nil
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
