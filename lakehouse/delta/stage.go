package delta

import (
	"context"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// stager stages data files under their final names; no log entry names them yet, so no reader sees them.
type stager struct {
	*parquetfile.Writer
	schema *columnar.Schema
}

// Stage returns a writer of new data files in the root of the table.
func (t *Table) Stage(_ context.Context, schema *columnar.Schema, opts lakehouse.WriteOptions) (lakehouse.Writer, error) {
	if err := t.writable(); err != nil {
		return nil, err
	}
	w, err := parquetfile.NewWriter(t.objects, schema, parquetfile.Options{
		TargetBytes: opts.TargetFileSize,
		Name:        func() string { return opts.Prefix + "-" + t.newID() + ".parquet" },
	})
	if err != nil {
		return nil, err
	}
	return &stager{Writer: w, schema: schema}, nil
}

// writable refuses, before any work is done, a table that is known not to take rows.
func (t *Table) writable() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known.meta == nil {
		return nil
	}
	if err := unusable(t.known.protocol, t.known.meta); err != nil {
		return fmt.Errorf("table %s: %w", t, err)
	}
	return nil
}

// Finish makes the files durable.
func (s *stager) Finish(ctx context.Context) ([]lakehouse.DataFile, error) {
	files, err := s.Writer.Finish(ctx)
	if err != nil {
		return nil, err
	}
	var out []lakehouse.DataFile
	for _, f := range files {
		stats, err := encodeStats(s.schema, f)
		if err != nil {
			return nil, err
		}
		out = append(out, lakehouse.DataFile{Path: f.Name, Rows: f.Rows, Bytes: f.Bytes, Stats: stats})
	}
	return out, nil
}
