package exec

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// DeadLetterSchema is the schema of the dead-letter table: the raw bytes of a record that failed,
// where it came from, and why.
var DeadLetterSchema = columnar.NewSchema(
	columnar.Field{Name: "source", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "topic", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "partition", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "offset", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "timestamp", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "value", Type: columnar.Binary, Nullable: true},
	columnar.Field{Name: "error", Type: columnar.String, Nullable: true},
)

// deadLetters makes the dead letters of the failed rows.
func (t *Task) deadLetters(raw *columnar.Batch, failed []columnar.RowError) *columnar.Batch {
	rows := make(columnar.Selection, len(failed))
	messages := make([]string, len(failed))
	for i, f := range failed {
		rows[i], messages[i] = f.Row, strings.ToValidUTF8(f.Err.Error(), "\uFFFD")
	}
	n := len(failed)
	return columnar.NewBatch(DeadLetterSchema, []columnar.Column{
		columnar.NewStringConstant(t.p.input.Name, n),
		columnar.NewStringConstant(t.topic(), n),
		columnar.NewInt32Constant(t.rng.Partition.ID, n),
		columnar.Gather(raw.Column(source.OffsetAt), rows, nil),
		columnar.Gather(raw.Column(source.TimestampAt), rows, nil),
		t.values(raw, rows),
		columnar.NewStringColumn(messages),
	}, n)
}

// values are the documents of some rows; of rows that came as columns, those columns as JSON.
func (t *Task) values(raw *columnar.Batch, rows columnar.Selection) columnar.Column {
	if !t.file.Columns {
		return columnar.Gather(raw.Column(source.ValueAt), rows, nil)
	}
	decoded, err := t.columns(raw)
	if err != nil {
		return columnar.NewNullColumn(columnar.Binary, len(rows))
	}
	defer decoded.Release()
	var out columnar.BinaryBuffer
	for _, row := range rows {
		out.Append(columnar.AppendRowJSON(nil, decoded, int(row)))
	}
	return out.Finish()
}
