package delta

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// fixture copies a table in testdata into a store of its own.
func fixture(t testing.TB, name string) *store.Mem {
	m := store.NewMem()
	root := filepath.Join("testdata", name)
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return m.Put(context.Background(), filepath.ToSlash(rel), body)
	}))
	return m
}

func scan(t testing.TB, tab *Table, snap lakehouse.Snapshot) (out []string) {
	require.NoError(t, tab.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	return out
}

// Tables that were written once and must stay readable: ours, as the first version wrote it (entries, a removed file, a checkpoint); those of delta-rs 1.6.6; and
// one whose checkpoint has two parts, a column order and list levels of its own, parsed statistics, and no entries before it.
func TestFixtures(t *testing.T) {
	ctx := context.Background()
	deltaRS := []string{
		`{"n":1,"s":"a b","ts":"2024-01-02T03:04:05.678901Z","d":"1.25"}`,
		`{"n":2,"s":null,"ts":"2024-01-02T03:04:05.678901Z","d":"1.25"}`,
		`{"n":4,"s":"é","ts":"2024-01-02T03:04:05.678901Z","d":"1.25"}`,
	}
	for name, c := range map[string]struct {
		version int64
		files   int
		txns    map[string]lakehouse.Txn
		props   map[string]string
		by      []string
		rows    []string
	}{
		"ours": {3, 3, map[string]lakehouse.Txn{"lakewheel/p": {Batch: 3, Token: 1003}}, map[string]string{"delta.checkpointInterval": "2"}, []string{},
			[]string{`{"n":1,"s":"v1"}`, `{"n":10,"s":"v10"}`, `{"n":2,"s":"v2"}`, `{"n":20,"s":"v20"}`, `{"n":3,"s":"v3"}`, `{"n":30,"s":"v30"}`}},
		"delta-rs":  {3, 2, map[string]lakehouse.Txn{"app/1": {Batch: 2}}, map[string]string{"delta.logRetentionDuration": "interval 40 days"}, []string{}, deltaRS},
		"two-parts": {3, 2, map[string]lakehouse.Txn{"app/1": {Batch: 2}}, map[string]string{"delta.appendOnly": "true", "empty": "", "k": "v"}, []string{}, deltaRS},
		"delta-rs-partitioned": {0, 3, map[string]lakehouse.Txn{}, map[string]string{}, []string{"day", "k", "at", "p", "b"}, []string{
			`{"day":"2024-01-02","k":"a/b é=%","n":1,"at":"2024-01-02T03:04:05.678901Z","p":"1.50","b":true}`,
			`{"day":"2024-01-02","k":"x","n":3,"at":"2024-01-02T00:00:00.000Z","p":"-2.00","b":false}`,
			`{"day":null,"k":null,"n":2,"at":null,"p":null,"b":null}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tab := open(fixture(t, name))
			snap, err := tab.Snapshot(ctx)
			require.NoError(t, err)
			require.Equal(t, c.version, snap.Version)
			require.Equal(t, c.files, snap.Files)
			require.Equal(t, c.txns, snap.Txns)
			require.Equal(t, c.props, snap.Properties)
			require.Equal(t, c.by, snap.PartitionBy)
			require.Equal(t, c.rows, scan(t, tab, snap))
			files, err := tab.Files(ctx, snap)
			require.NoError(t, err)
			require.Len(t, files, snap.Files)
		})
	}
}

// A table of another writer goes on under us: what its checkpoint held, ours holds too.
func TestGoOnWithForeignTable(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"delta-rs", "two-parts"} {
		objects := fixture(t, name)
		tab := open(objects)
		snap, err := tab.Snapshot(ctx)
		require.NoError(t, err)
		require.NoError(t, snap.Unusable)
		before, _, err := replay(ctx, tab, snap.Version, newState, everything)
		require.NoError(t, err)
		snap, err = tab.Commit(ctx, snap, change(1, nil))
		require.NoError(t, err)
		require.NoError(t, tab.checkpoint(ctx, snap, 0))
		for v := range snap.Version { // only the checkpoint is left
			require.NoError(t, objects.Delete(ctx, entryName(v)))
		}
		again := open(objects)
		got, err := again.replaySnapshot(ctx)
		require.NoError(t, err)
		require.Equal(t, snap, got)
		after, _, err := replay(ctx, again, snap.Version, newState, everything)
		require.NoError(t, err)
		require.Equal(t, before.protocol, after.protocol)
		require.Equal(t, before.meta, after.meta)
		require.Equal(t, normal(before), normal(after))
		require.Equal(t, len(before.removed), len(after.removed))
	}
}

// normal are live files without what a checkpoint does not keep.
func normal(s *state) map[fileKey]add {
	out := map[fileKey]add{}
	for k, a := range s.live {
		a.DataChange = false
		if len(a.PartitionValues) == 0 {
			a.PartitionValues = nil
		}
		if len(a.Tags) == 0 {
			a.Tags = nil
		}
		out[k] = a
	}
	return out
}

// The file that a removal with another deletion vector leaves alive is the added one, whatever the order of the two.
func TestDeletionVectors(t *testing.T) {
	ctx := context.Background()
	first := `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}
{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}}
{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}`
	marked := `{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"ab","offset":4,"sizeInBytes":40,"cardinality":6}}}`
	gone := `{"remove":{"path":"a","dataChange":true,"deletionTimestamp":5}}`
	for _, second := range []string{marked + "\n" + gone, gone + "\n" + marked} {
		objects := store.NewMem()
		require.NoError(t, objects.Put(ctx, entryName(0), []byte(first)))
		require.NoError(t, objects.Put(ctx, entryName(1), []byte(second)))
		tab := open(objects)
		snap, err := tab.Snapshot(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, snap.Files)
		require.ErrorContains(t, snap.Unusable, "writer feature deletionVectors, reader feature deletionVectors")
	}
}
