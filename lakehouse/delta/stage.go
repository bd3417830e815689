package delta

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

// stager stages data files under their final names; no log entry names them yet, so no reader sees them.
type stager struct {
	*parquetfile.Writer
	schema *columnar.Schema
	stats  statsRule
}

// Stage returns a writer of new data files in the root of the table, or in the folders of its partitions.
func (t *Table) Stage(_ context.Context, schema *columnar.Schema, opts lakehouse.WriteOptions) (lakehouse.Writer, error) {
	properties, err := t.writable(opts.PartitionBy)
	if err != nil {
		return nil, err
	}
	stats := statsRuleOf(properties)
	opts.Layout = opts.Layout.Over(fittingLayout(layoutOf(properties), columnsInFiles(schema, opts.PartitionBy)))
	if size := targetFileSize(properties); size > 0 {
		opts.TargetFileSize = size
	}
	if len(opts.PartitionBy) > 0 {
		return t.stagePartitions(schema, opts, stats)
	}
	w, err := parquetfile.NewWriter(t.objects, schema, parquetfile.Options{
		TargetBytes: opts.TargetFileSize, Layout: opts.Layout,
		Name: func() string { return opts.Prefix + "-" + t.newID() + ".parquet" },
	})
	if err != nil {
		return nil, err
	}
	return &stager{Writer: w, schema: schema, stats: stats}, nil
}

// stagePartitions stages into the folders of partitions. The log has their values.
func (t *Table) stagePartitions(schema *columnar.Schema, opts lakehouse.WriteOptions, stats statsRule) (lakehouse.Writer, error) {
	w, err := partition.NewWriter(schema, partition.Options{
		Objects: t.objects, By: opts.PartitionBy, TargetFileSize: opts.TargetFileSize, Layout: opts.Layout,
		Names: func(values map[string]*string) (func() string, error) {
			return partition.Numbered(partition.Folder(opts.PartitionBy, values)+"/"+opts.Prefix+"-"+t.newID(), ".parquet"), nil
		},
		Finish: func(ctx context.Context, w *parquetfile.Writer, inFile *columnar.Schema, values map[string]*string) ([]lakehouse.DataFile, error) {
			return finishFiles(ctx, w, inFile, stats, values)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t, err)
	}
	return w, nil
}

// writable refuses, before any work is done, a table that is known not to take rows, or not in such partitions. Those of an
// empty table may be changed. It returns the properties of the table.
func (t *Table) writable(by []string) (map[string]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known.meta == nil {
		return nil, nil
	}
	if err := unusable(t.known.protocol, t.known.meta); err != nil {
		return nil, fmt.Errorf("table %s: %w", t, err)
	}
	if has := t.known.meta.PartitionColumns; t.known.holdsFiles() && !slices.Equal(has, by) {
		return nil, fmt.Errorf("table %s is partitioned by %s, not by %s", t, listed(has), listed(by))
	}
	return t.known.meta.Configuration, nil
}

func listed(columns []string) string {
	if len(columns) == 0 {
		return "no column"
	}
	return strings.Join(columns, ", ")
}

// Finish makes the files durable.
func (s *stager) Finish(ctx context.Context) ([]lakehouse.DataFile, error) {
	return finishFiles(ctx, s.Writer, s.schema, s.stats, nil)
}

// finishFiles makes the files of a writer durable, and describes them.
func finishFiles(ctx context.Context, w *parquetfile.Writer, schema *columnar.Schema, rule statsRule, values map[string]*string) ([]lakehouse.DataFile, error) {
	files, err := w.Finish(ctx)
	if err != nil {
		return nil, err
	}
	var out []lakehouse.DataFile
	for _, f := range files {
		stats, err := encodeStats(schema, f, rule)
		if err != nil {
			return nil, err
		}
		out = append(out, lakehouse.DataFile{Path: f.Name, Rows: f.Rows, Bytes: f.Bytes, Stats: stats, Partition: values})
	}
	return out, nil
}
