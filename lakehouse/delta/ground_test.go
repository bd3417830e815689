package delta

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Columns, and fields of a STRUCT in a MAP, are added by the commit of the first rows that have them. What the metadata says of the
// others stays; older rows have NULL; the protocol learns what it must.
func TestAddColumns(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	first := `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"x","name":"t","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"n\",\"type\":\"long\",\"nullable\":false,\"metadata\":{\"comment\":\"of <things>\",\"big\":9007199254740993}},{\"name\":\"m\",\"type\":{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"comment\":\"c\"}}]},\"valueContainsNull\":true},\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{"k":"v"}}}`
	require.NoError(t, objects.Put(ctx, entryName(0), []byte(first)))
	tab := open(objects)
	base, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	rows := columnar.NewSchema(field("s", columnar.String), columnar.Field{Name: "n", Type: columnar.BigInt},
		field("m", columnar.Map(columnar.String, columnar.Struct(field("at", columnar.TimestampNTZ), field("a", columnar.BigInt)))))
	evolved, err := lakehouse.Evolve(base.Schema, rows)
	require.NoError(t, err)
	c := change(1, nil)
	c.Schema = evolved
	next, err := tab.Commit(ctx, base, c)
	require.NoError(t, err)
	require.Equal(t, "n BIGINT NOT NULL, m MAP<STRING, STRUCT<a: BIGINT, at: TIMESTAMP_NTZ>>, s STRING", next.Schema.String())
	body, _, err := objects.Get(ctx, entryName(1))
	require.NoError(t, err)
	require.Contains(t, string(body), `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timestampNtz"],"writerFeatures":["appendOnly","invariants","timestampNtz"]}}
{"metaData":{"id":"x","name":"t","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"n\",\"type\":\"long\",\"nullable\":false,\"metadata\":{\"big\":9007199254740993,\"comment\":\"of \\u003cthings\\u003e\"}},{\"name\":\"m\",\"type\":{\"keyType\":\"string\",\"type\":\"map\",\"valueContainsNull\":true,\"valueType\":{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"comment\":\"c\"}},{\"name\":\"at\",\"type\":\"timestamp_ntz\",\"nullable\":true,\"metadata\":{}}]}},\"nullable\":true,\"metadata\":{}},{\"name\":\"s\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{"k":"v","lakewheel.addedColumns":"[\"s\"]"}}}`)

	c = change(2, nil) // nothing new: no metadata
	c.Schema = evolved
	_, err = tab.Commit(ctx, next, c)
	require.NoError(t, err)
	body, _, err = objects.Get(ctx, entryName(2))
	require.NoError(t, err)
	require.NotContains(t, string(body), "metaData")
}

// Old and new rows stand side by side: each has NULL in the columns that it lacks.
func TestRowsOfTwoSchemas(t *testing.T) {
	ctx := context.Background()
	tab := open(store.NewMem())
	base := create(t, tab, 1)
	rows := columnar.NewSchema(field("extra", columnar.BigInt), field("n", columnar.BigInt))
	w, err := tab.Stage(ctx, rows, lakehouse.WriteOptions{Prefix: "q"})
	require.NoError(t, err)
	b := columnar.NewBatch(rows, []columnar.Column{columnar.NewInt64Column([]int64{5}, nil), columnar.NewInt64Column([]int64{1}, nil)}, 1)
	defer b.Release()
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	c := change(1, files)
	c.Schema, err = lakehouse.Evolve(base.Schema, rows)
	require.NoError(t, err)
	next, err := tab.Commit(ctx, base, c)
	require.NoError(t, err)
	require.Equal(t, []string{`{"n":0,"s":"v0","extra":null}`, `{"n":1,"s":null,"extra":5}`}, scan(t, tab, next))
	c.Schema = columnar.NewSchema(field("n", columnar.BigInt))
	_, err = tab.Commit(ctx, next, c)
	require.ErrorContains(t, err, "its schema n BIGINT, s STRING, extra BIGINT can have columns added, and cannot become n BIGINT")
}
