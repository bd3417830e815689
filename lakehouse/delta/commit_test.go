package delta

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// The bytes of an entry are part of the protocol between tries: the same change on the same base must always give them.
func TestEntryBytes(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	tab := open(objects)
	value := "x y"
	c := lakehouse.Change{
		App: "lakewheel/p", Txn: lakehouse.Txn{Batch: 7, Token: 9_007_199_254_740_993}, Time: 1_700_000_000_123,
		Add:        []lakehouse.DataFile{{Path: "a b/ü%.parquet", Rows: 2, Bytes: 10, Stats: `{"numRecords":2}`, Partition: map[string]*string{"s": nil}}, {Path: "p.parquet", Partition: map[string]*string{"s": &value}}},
		Remove:     []lakehouse.DataFile{{Path: "old file.parquet", Bytes: 5}},
		DataChange: true, Operation: "STREAMING UPDATE", Parameters: map[string]string{"outputMode": "Append"}, Info: map[string]any{"lakewheel": map[string]any{"epoch": 2}},
		Create: &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Name: "n", Schema: schema, PartitionBy: []string{"s"}, Properties: map[string]string{"a": "<b>"}},
	}
	want := `{"commitInfo":{"engineInfo":"Lakewheel","isBlindAppend":false,"lakewheel":{"epoch":2},"operation":"STREAMING UPDATE","operationParameters":{"outputMode":"Append"},"timestamp":1700000000123}}
{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"n","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"n\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"s\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["s"],"createdTime":1700000000123,"configuration":{"a":"<b>"}}}
{"txn":{"appId":"lakewheel/p","version":7,"lastUpdated":1700000000123}}
{"txn":{"appId":"lakewheel/p/record","version":9007199254740993,"lastUpdated":1700000000123}}
{"remove":{"path":"old%20file.parquet","deletionTimestamp":1700000000123,"dataChange":true}}
{"add":{"path":"a%20b/%C3%BC%25.parquet","partitionValues":{"s":null},"size":10,"modificationTime":1700000000123,"dataChange":true,"stats":"{\"numRecords\":2}"}}
{"add":{"path":"p.parquet","partitionValues":{"s":"x y"},"size":0,"modificationTime":1700000000123,"dataChange":true}}
`
	base, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	snap, err := tab.Commit(ctx, base, c)
	require.NoError(t, err)
	body, in, err := objects.Get(ctx, entryName(0))
	require.NoError(t, err)
	require.Equal(t, want, string(body))
	require.Equal(t, []any{in.Size, in.ETag}, []any{snap.EntrySize, snap.EntryETag})

	_, e, ok, err := open(objects).Next(ctx, base)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{"old file.parquet"}, e.Removes, "as the change named it")
	require.Equal(t, map[string]lakehouse.Txn{"lakewheel/p": c.Txn}, e.Txns)
	require.EqualValues(t, c.Time, e.Time)
	require.True(t, e.MetadataChanged)
	require.Equal(t, 2, e.Adds)
}

// What a table's rules forbid is refused before anything is written.
func TestRefusedChanges(t *testing.T) {
	ctx := context.Background()
	file := []lakehouse.DataFile{{Path: "f.parquet"}}
	creation := &lakehouse.Creation{ID: "x", Schema: schema}
	appendOnly := map[string]string{"delta.appendOnly": "true"}
	for want, c := range map[string]struct {
		base   lakehouse.Snapshot
		change lakehouse.Change
	}{
		"does not exist: its first commit must create it":                {lakehouse.Snapshot{Version: -1}, lakehouse.Change{}},
		"exists already, at version 3, and holds files":                  {lakehouse.Snapshot{Version: 3, Files: 1}, lakehouse.Change{Create: creation}},
		"partition column x: the table has no such column: it has n, s":  {lakehouse.Snapshot{Version: -1}, lakehouse.Change{Create: &lakehouse.Creation{Schema: schema, PartitionBy: []string{"x"}}}},
		"partitioned by s, and file f.parquet by no column":              {lakehouse.Snapshot{Version: 3, PartitionBy: []string{"s"}}, lakehouse.Change{Add: file}},
		"has delta.appendOnly=true: rows can be added, not removed":      {lakehouse.Snapshot{Version: 3, Properties: appendOnly}, lakehouse.Change{Remove: file, DataChange: true}},
		"table feature not supported":                                    {lakehouse.Snapshot{Version: 3, Unusable: lakehouse.ErrUnsupported}, lakehouse.Change{}},
		"property delta.feature.deletionVectors belongs to the protocol": {lakehouse.Snapshot{Version: -1}, lakehouse.Change{Create: &lakehouse.Creation{Schema: schema, Properties: map[string]string{"delta.feature.deletionVectors": "supported"}}}},
		"property delta.enableChangeDataFeed=true":                       {lakehouse.Snapshot{Version: -1}, lakehouse.Change{Create: &lakehouse.Creation{Schema: schema, Properties: map[string]string{"delta.enableChangeDataFeed": "true"}}}},
		"column v: VOID cannot be stored":                                {lakehouse.Snapshot{Version: -1}, lakehouse.Change{Create: &lakehouse.Creation{Schema: columnar.NewSchema(columnar.Field{Name: "v", Type: columnar.Null})}}},
	} {
		objects := store.NewMem()
		_, err := open(objects).Commit(ctx, c.base, c.change)
		require.ErrorContains(t, err, want)
		require.NotErrorIs(t, err, lakehouse.ErrUnknown)
		require.NotErrorIs(t, err, lakehouse.ErrConflict)
		require.Zero(t, objects.Writes())
	}
	tab := open(store.NewMem())
	require.NoError(t, tab.allowed(lakehouse.Snapshot{Version: 3, Properties: appendOnly}, lakehouse.Change{Remove: file}), "a rearrangement keeps the rows")
}

// Rows for a table that does not take them are refused before they are encoded.
func TestStageRefusesEarly(t *testing.T) {
	ctx := context.Background()
	tab := open(fixture(t, "delta-rs-partitioned"))
	_, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	_, err = tab.Stage(ctx, schema, lakehouse.WriteOptions{})
	require.ErrorContains(t, err, "is partitioned by day, k, at, p, b, not by no column")
}

// A file that cannot be written leaves no entry, and the next try works: a disk that was full.
func TestFullDisk(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	tab := open(objects)
	base := create(t, tab, 1)
	files := stage(t, tab, "x", 1)
	full := syscall.ENOSPC
	objects.FailWrites(full)
	_, err := tab.Commit(ctx, base, change(1, files))
	require.ErrorIs(t, err, full)
	require.NotErrorIs(t, err, lakehouse.ErrUnknown)
	_, _, ok, err := tab.Next(ctx, base)
	require.NoError(t, err)
	require.False(t, ok)
	objects.Inject(nil)
	_, err = tab.Commit(ctx, base, change(1, files))
	require.NoError(t, err)
}
