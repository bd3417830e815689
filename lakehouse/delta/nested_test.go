package delta

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func field(name string, t columnar.Type) columnar.Field {
	return columnar.Field{Name: name, Type: t, Nullable: true}
}

var nestedSchema = columnar.NewSchema(
	field("a", columnar.Array(columnar.Decimal(5, 2))),
	field("m", columnar.Map(columnar.String, columnar.Array(columnar.TimestampNTZ))),
	field("s", columnar.Struct(field("x", columnar.Int), field("y", columnar.Struct(field("z", columnar.String))))))

func nestedRows(t *testing.T) *columnar.Batch {
	cols := make([]columnar.Column, nestedSchema.Len())
	for i, text := range []string{
		`[["1.25",null],[],null]`,
		`[[{"key":"k","value":["2024-01-02 03:04:05.678901",null]},{"key":"n","value":null}],[],null]`,
		`[{"x":1,"y":{"z":"a"}},{"x":null,"y":null},null]`,
	} {
		c, _, err := array.FromJSON(memory.DefaultAllocator, nestedSchema.Fields[i].Type.Arrow(), strings.NewReader(text))
		require.NoError(t, err)
		cols[i] = c
	}
	return columnar.NewBatch(nestedSchema, cols, 3)
}

// Nested rows go into a table and come back from it; the feature of TIMESTAMP_NTZ is named, and no other.
func TestNestedTable(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	tab := open(objects)
	base, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	w, err := tab.Stage(ctx, nestedSchema, lakehouse.WriteOptions{Prefix: "p"})
	require.NoError(t, err)
	b := nestedRows(t)
	defer b.Release()
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	require.Equal(t, `{"numRecords":3,"minValues":{"s":{"x":1,"y":{"z":"a"}}},"maxValues":{"s":{"x":1,"y":{"z":"a"}}},"nullCount":{"s":{"x":2,"y":{"z":2}}}}`, files[0].Stats)
	c := change(0, files)
	c.Create = &lakehouse.Creation{ID: "x", Schema: nestedSchema}
	_, err = tab.Commit(ctx, base, c)
	require.NoError(t, err)
	body, _, err := objects.Get(ctx, entryName(0))
	require.NoError(t, err)
	require.Contains(t, string(body), `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timestampNtz"],"writerFeatures":["timestampNtz"]}}`)

	snap, err := open(objects).Snapshot(ctx)
	require.NoError(t, err)
	require.NoError(t, snap.Unusable)
	require.True(t, nestedSchema.Equal(snap.Schema))
	var got []string
	require.NoError(t, tab.Scan(ctx, snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			got = append(got, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	require.Equal(t, []string{
		`{"a":["1.25",null],"m":[["k",["2024-01-02T03:04:05.678901",null]],["n",null]],"s":{"x":1,"y":{"z":"a"}}}`,
		`{"a":[],"m":[],"s":{"x":null,"y":null}}`,
		`{"a":null,"m":null,"s":null}`,
	}, got)
}

// A protocol that learns of TIMESTAMP_NTZ keeps what it stood for.
func TestProtocolWithNTZ(t *testing.T) {
	for name, c := range map[string]struct {
		before protocol
		fresh  bool
		want   protocol
	}{
		"new":      {protocol{MinReaderVersion: 1, MinWriterVersion: 2}, true, protocol{3, 7, []string{"timestampNtz"}, []string{"timestampNtz"}}},
		"old":      {protocol{MinReaderVersion: 1, MinWriterVersion: 2}, false, protocol{3, 7, []string{"timestampNtz"}, []string{"appendOnly", "invariants", "timestampNtz"}}},
		"mapped":   {protocol{MinReaderVersion: 2, MinWriterVersion: 5}, false, protocol{3, 7, []string{"columnMapping", "timestampNtz"}, []string{"appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns", "columnMapping", "timestampNtz"}}},
		"features": {protocol{1, 7, nil, []string{"domainMetadata"}}, false, protocol{3, 7, []string{"timestampNtz"}, []string{"domainMetadata", "timestampNtz"}}},
		"has it":   {protocol{3, 7, []string{"timestampNtz"}, []string{"timestampNtz"}}, false, protocol{3, 7, []string{"timestampNtz"}, []string{"timestampNtz"}}},
	} {
		require.Equal(t, &c.want, c.before.withNTZ(c.fresh), name)
	}
}
