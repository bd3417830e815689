package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// call runs the command and returns what it printed and its exit code.
func call(t *testing.T, args ...string) (string, int) {
	var out bytes.Buffer
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		fmt.Fprintln(&out, err)
	}
	return out.String(), exitCode(err)
}

var numbers = columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true})

// numberTable is a table of so many commits, each with its own number, made long ago.
func numberTable(t *testing.T, commits int) string {
	dir := filepath.Join(t.TempDir(), "t")
	objects, err := store.NewLocal(dir)
	require.NoError(t, err)
	tab := delta.Open(objects, uuid.NewString)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	for i := range int64(commits) {
		w, err := tab.Stage(t.Context(), numbers, lakehouse.WriteOptions{Prefix: "part"})
		require.NoError(t, err)
		b := columnar.NewBatch(numbers, []columnar.Column{columnar.NewInt64Column([]int64{i}, nil)}, 1)
		require.NoError(t, w.Write(context.Background(), 0, b))
		b.Release()
		c := lakehouse.Change{Time: 1_700_000_000_000 + i, DataChange: true, Operation: "WRITE"}
		c.Add, err = w.Finish(t.Context())
		require.NoError(t, err)
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: uuid.NewString(), Schema: numbers}
		}
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
	}
	return dir
}

// What cat prints of a table, of one of its files, and of a folder of files.
func TestCat(t *testing.T) {
	dir := numberTable(t, 3)
	files, err := filepath.Glob(dir + "/*.parquet")
	require.NoError(t, err)
	plain := t.TempDir()
	for i, f := range files {
		body, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(fmt.Sprintf("%s/d%d", plain, i), 0o755))
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/d%d/f.parquet", plain, i), body, 0o644))
	}
	for _, c := range []struct {
		args string
		rows int
		code int
	}{
		{dir, 3, 0},
		{dir + " --where n>0", 2, 0},
		{dir + " --where n>0 --limit 1", 1, 0},
		{dir + " --version 0", 1, 0},
		{dir + " --where n=2 --format csv", 2, 0},
		{dir + " --where m=2", 1, 2},
		{dir + " --where n", 1, 2},
		{files[0], 1, 0},
		{plain, 3, 0},
		{plain + " --where n<2", 2, 0},
		{plain + "/d0/f.parquet --limit 1", 1, 0},
		{plain + "/none", 1, 1},
		{plain + "/none.parquet", 1, 1},
	} {
		out, code := call(t, append([]string{"cat"}, strings.Fields(c.args)...)...)
		require.Equal(t, []int{c.rows, c.code}, []int{strings.Count(out, "\n"), code}, "cat %s: %s", c.args, out)
	}
}

// A table is merged, and what that leaves behind goes when it may.
func TestCompactAndVacuum(t *testing.T) {
	dir := numberTable(t, 4)
	for _, c := range []struct{ args, want string }{
		{"compact --dry-run", "4 files ("},
		{"compact", "became 1 ("},
		{"compact", "nothing to merge"},
		{"vacuum", "would remove 0 files"},
		{"vacuum --retain 1ns", "is less than 168h0m0s"},
		{"vacuum --retain 1ns --unsafe", "would remove 4 files"},
		{"vacuum --retain 1ns --unsafe --yes", "removed 4 files"},
		{"vacuum --retain 1ns --unsafe --json", `"files":[],"bytes":0}`},
		{"cat --where n=3", `{"n":3}`},
		{"cat --version 3", "does not exist"},
	} {
		out, _ := call(t, append(strings.Fields(c.args), dir)...)
		require.Contains(t, out, c.want, c.args)
	}
}

// plainFolder is a pipeline file with plain Parquet files in partitions, of two commits, and a file that was staged for a third one long ago.
func plainFolder(t *testing.T) (file, dir string) {
	root := t.TempDir()
	file, dir = filepath.Join(root, "p.yaml"), filepath.Join(root, "t")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "name: p\nsources: {e: {memory: {}, schema: \"n BIGINT, k BIGINT\"}}\nquery: SELECT n, k FROM e\nsink: {parquet: {path: %q, partition_by: [k]}}\n", dir), 0o644))
	objects, err := store.NewLocal(dir)
	require.NoError(t, err)
	require.NoError(t, objects.Put(t.Context(), "_lakewheel/p/records/1.json", []byte(`{"format":1,"token":1,"pipeline":"p","epoch":1,"first_batch":0,"last_batch":1}`)))
	tab := parquetdir.Open(objects, "p", "", uuid.NewString)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	schema := columnar.NewSchema(numbers.Fields[0], columnar.Field{Name: "k", Type: columnar.BigInt, Nullable: true})
	for i := range int64(3) {
		w, err := tab.Stage(t.Context(), schema, lakehouse.WriteOptions{Prefix: "part-p-e1", PartitionBy: []string{"k"}})
		require.NoError(t, err)
		b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column([]int64{i, i + 10}, nil), columnar.NewInt64Column([]int64{i, 7}, nil)}, 2)
		require.NoError(t, w.Write(context.Background(), 0, b))
		b.Release()
		c := lakehouse.Change{App: "lakewheel/p", Txn: lakehouse.Txn{Batch: i, Token: 1}, Time: 1_700_000_000_000 + i, DataChange: true, Operation: "STREAMING UPDATE"}
		if c.Add, err = w.Finish(t.Context()); i == 2 {
			return file, dir
		}
		require.NoError(t, err)
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: uuid.NewString(), Schema: schema, PartitionBy: []string{"k"}}
		}
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
		require.NoError(t, tab.Publish(t.Context(), snap))
	}
	return file, dir
}

// The commands over plain Parquet files, by path and by pipeline file.
func TestPlainFiles(t *testing.T) {
	file, dir := plainFolder(t)
	for _, c := range []struct{ args, want string }{
		{"cat --where k<7 " + dir, "{\"n\":0,\"k\":0}\n{\"n\":1,\"k\":1}\n"},
		{"cat --where k=7ANDn>10 " + dir, `{"n":11,"k":7}`},
		{"cat --version 0 " + dir, "which has no versions"},
		{"history " + file, "version 1  2023-11-14T22:13:20Z  STREAMING UPDATE  lakewheel/p batch 1  +2 -0 files"},
		{"rewind --to-batch 0 " + file, "there is no way back"},
		{"compact " + dir, "readers cannot see files change places at once"},
		{"compact " + file, "or write to a Delta table"},
		{"vacuum " + file, "would remove 0 files"},
		{"vacuum --retain 1ns " + file, "a batch under way could lose its files"},
		{"vacuum --retain 1ns --unsafe " + dir, "would remove 2 files"},
		{"vacuum --retain 1ns --unsafe --yes " + file, "removed 2 files"},
		{"vacuum --retain 1ns --unsafe --json " + file, `"files":[],"bytes":0}`},
		{"cat " + dir, "{\"n\":0,\"k\":0}\n{\"n\":1,\"k\":1}\n"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.Replace(args[i], "AND", " AND ", 1)
		}
		out, _ := call(t, args...)
		require.Contains(t, out, c.want, c.args)
	}
	require.NoError(t, os.Rename(filepath.Join(dir, "_lakewheel", "p"), filepath.Join(dir, "_lakewheel", "q")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "_lakewheel", "r"), os.DirFS(filepath.Join(dir, "_lakewheel", "q"))))
	out, code := call(t, "vacuum", dir)
	require.Contains(t, out, "holds Parquet files of the pipelines q, r")
	require.Equal(t, 2, code)
}
