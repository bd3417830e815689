package delta

import (
	"context"

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
	w, err := parquetfile.NewWriter(t.objects, schema, parquetfile.Options{
		TargetBytes: opts.TargetFileSize,
		Name:        func() string { return opts.Prefix + "-" + t.newID() + ".parquet" },
	})
	if err != nil {
		return nil, err
	}
	return &stager{Writer: w, schema: schema}, nil
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
