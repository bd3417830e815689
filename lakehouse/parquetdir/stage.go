package parquetdir

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

// stager stages the files of a table without partitions.
type stager struct{ *parquetfile.Writer }

// Stage returns a writer of data files that no reader takes for such: they lie below _lakewheel, without a suffix.
func (t *Table) Stage(_ context.Context, schema *columnar.Schema, opts lakehouse.WriteOptions) (lakehouse.Writer, error) {
	if err := t.writable(opts.PartitionBy); err != nil {
		return nil, err
	}
	if len(opts.PartitionBy) > 0 {
		return t.stagePartitions(schema, opts)
	}
	w, err := parquetfile.NewWriter(t.objects, schema, parquetfile.Options{TargetBytes: opts.TargetFileSize, Layout: opts.Layout, Name: func() string { return t.stagedName(opts) }})
	if err != nil {
		return nil, err
	}
	return &stager{w}, nil
}

// stagedName is the name of a new file until it is published: the base name of its path, without the suffix.
func (t *Table) stagedName(opts lakehouse.WriteOptions) string {
	return path.Join(stagedFolder(t.name), opts.Prefix+"-"+t.newID())
}

// writable refuses other partitions than those of a table with files, before any work is done.
func (t *Table) writable(by []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.place.entry; e != nil && e.Files > 0 && !slices.Equal(e.Table.PartitionBy, by) {
		return fmt.Errorf("folder %s is partitioned by [%s], not by [%s]", t, strings.Join(e.Table.PartitionBy, ", "), strings.Join(by, ", "))
	}
	return nil
}

// Finish makes the files durable.
func (s *stager) Finish(ctx context.Context) ([]lakehouse.DataFile, error) {
	return finish(ctx, s.Writer, "", nil)
}

// stagePartitions stages rows of partitions. Readers take the values from the names of the folders.
func (t *Table) stagePartitions(schema *columnar.Schema, opts lakehouse.WriteOptions) (lakehouse.Writer, error) {
	w, err := partition.NewWriter(schema, partition.Options{
		Objects: t.objects, By: opts.PartitionBy, TargetFileSize: opts.TargetFileSize, Layout: opts.Layout,
		Names: func(values map[string]*string) (func() string, error) {
			_, err := partition.ExactFolder(opts.PartitionBy, values)
			return partition.Numbered(t.stagedName(opts), ""), err
		},
		Finish: func(ctx context.Context, w *parquetfile.Writer, _ *columnar.Schema, values map[string]*string) ([]lakehouse.DataFile, error) {
			folder, err := partition.ExactFolder(opts.PartitionBy, values)
			if err != nil {
				return nil, err
			}
			return finish(ctx, w, folder, values)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", t, err)
	}
	return w, nil
}

// finish makes the files of a writer durable, for a folder.
func finish(ctx context.Context, w *parquetfile.Writer, folder string, values map[string]*string) ([]lakehouse.DataFile, error) {
	files, err := w.Finish(ctx)
	if err != nil {
		return nil, err
	}
	var out []lakehouse.DataFile
	for _, f := range files {
		out = append(out, lakehouse.DataFile{Path: path.Join(folder, path.Base(f.Name)+suffix), Staged: f.Name, Rows: f.Rows, Bytes: f.Bytes, Partition: values})
	}
	return out, nil
}
