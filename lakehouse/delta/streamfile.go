package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// FileLayout is what the files of a table are read by. It is immutable.
type FileLayout struct {
	t *Table
	// ID of the table.
	ID    string
	by    []string
	names *parquetfile.Names
}

// Layout is that of the newest version that was read, or else of a version.
func (s *Stream) Layout(ctx context.Context, version int64) (*FileLayout, error) {
	if s.head == nil {
		if err := s.know(ctx, version); err != nil {
			return nil, err
		}
	}
	names, err := mappingOf(s.head.meta)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", s.t, err)
	}
	return &FileLayout{t: s.t, ID: s.head.meta.ID, by: s.head.meta.PartitionColumns, names: names}, nil
}

// StreamFile yields rows of one data file, without those that are deleted.
type StreamFile struct {
	// File is the Parquet file, for choosing row groups.
	File *parquetfile.Reader
	rows *fileRows
	from store.Reader
	at   []int64
}

// Open opens an added file for some columns, by the text of its Added.
func (l *FileLayout) Open(ctx context.Context, text string, columns *columnar.Schema) (*StreamFile, error) {
	var a add
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	p, err := partition.NewColumns(columns, l.by, logicalValues(a.PartitionValues, l.names))
	if err != nil {
		return nil, err
	}
	in, err := l.t.objects.Open(ctx, decodePath(a.Path))
	if err != nil {
		return nil, err
	}
	rows, err := l.t.openRows(ctx, in, &scannedFile{add: a, partition: p, names: l.names})
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &StreamFile{File: rows.file, rows: rows, from: in}, nil
}

// Next returns the next rows, io.EOF after the last.
func (f *StreamFile) Next(ctx context.Context) (*columnar.Batch, error) {
	b, err := f.rows.file.Next(ctx)
	if err != nil {
		return nil, err
	}
	first, n := f.rows.file.Row(), int64(b.Rows())
	f.at = f.at[:0]
	for row := first; row < first+n; row++ {
		if f.rows.deleted == nil || !f.rows.deleted.has(row) {
			f.at = append(f.at, row)
		}
	}
	if f.rows.deleted != nil {
		b = f.rows.deleted.without(b, first)
	}
	defer b.Release()
	return f.rows.partition.Fill(b), nil
}

// At appends the positions in the file of the rows that Next returned last.
func (f *StreamFile) At(dst []int64, _ int) []int64 { return append(dst, f.at...) }

// Close closes the file.
func (f *StreamFile) Close() error {
	f.rows.file.Close()
	return f.from.Close()
}
