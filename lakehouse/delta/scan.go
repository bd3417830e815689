package delta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// At returns the snapshot of a version, -1 for the newest.
func (t *Table) At(ctx context.Context, version int64) (lakehouse.Snapshot, error) {
	if version < 0 {
		return t.Snapshot(ctx)
	}
	h, _, err := replay(ctx, t, version, newHead, forHead)
	if err != nil {
		return lakehouse.Snapshot{}, fmt.Errorf("table %s: %w", t, err)
	}
	return h.snapshot()
}

// Missing lists the files that are not there.
func (t *Table) Missing(ctx context.Context, files []lakehouse.DataFile) ([]string, error) {
	var mu sync.Mutex // guards missing
	var missing []string
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(requestsAtATime)
	for _, f := range files {
		tasks.Go(func() error {
			_, err := t.objects.Stat(ctx, f.Path)
			if errors.Is(err, store.ErrNotExist) {
				mu.Lock()
				missing = append(missing, f.Path)
				mu.Unlock()
				return nil
			}
			return err
		})
	}
	err := tasks.Wait()
	slices.Sort(missing)
	return missing, err
}

// Files returns the live data files of a snapshot in path order. Rows is -1 where the writer gave no statistics.
func (t *Table) Files(ctx context.Context, s lakehouse.Snapshot) ([]lakehouse.DataFile, error) {
	st, err := t.files(ctx, s)
	if err != nil {
		return nil, err
	}
	out := make([]lakehouse.DataFile, 0, len(st.live))
	for _, a := range st.sorted() {
		out = append(out, dataFile(a))
	}
	return out, nil
}

// files replays a snapshot with its files.
func (t *Table) files(ctx context.Context, s lakehouse.Snapshot) (*state, error) {
	if s.Version < 0 {
		return newState(), nil
	}
	st, _, err := replay(ctx, t, s.Version, newState, everything)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t, err)
	}
	return st, nil
}

func (s *state) sorted() []add {
	out := make([]add, 0, len(s.live))
	for _, a := range s.live {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b add) int { return a.key().compare(b.key()) })
	return out
}

// Scan calls fn with the rows of a snapshot, file by file in path order. The batch is borrowed. An error of fn ends the scan and is returned.
func (t *Table) Scan(ctx context.Context, s lakehouse.Snapshot, fn func(*columnar.Batch) error) error {
	return t.scan(ctx, s, nil, fn)
}

// scannedFile is a live file that is about to be read.
type scannedFile struct {
	add       add
	partition *partition.Columns
	names     *parquetfile.Names
	deny      func(*parquetfile.Reader) (bool, error) // says of the open file that no row is wanted; nil: all are
}

// scan reads the files that are not skipped; without a skipper, all of them.
func (t *Table) scan(ctx context.Context, s lakehouse.Snapshot, skip *skipper, fn func(*columnar.Batch) error) error {
	st, err := t.files(ctx, s)
	if err != nil || s.Version < 0 {
		return err
	}
	if err := unreadable(st.protocol, st.meta); err != nil {
		return fmt.Errorf("table %s: %w", t, err)
	}
	names, err := mappingOf(st.meta)
	if err != nil {
		return fmt.Errorf("table %s: %w", t, err)
	}
	for _, a := range st.sorted() {
		p, err := partition.NewColumns(s.Schema, s.PartitionBy, logicalValues(a.PartitionValues, names))
		if err != nil {
			return fmt.Errorf("data file %s of %s: %w", decodePath(a.Path), t, err)
		}
		f := &scannedFile{add: a, partition: p, names: names, deny: skip.filtered}
		if skip.logged(f) {
			continue
		}
		if err := t.scanFile(ctx, f, fn); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) scanFile(ctx context.Context, s *scannedFile, fn func(*columnar.Batch) error) error {
	name := decodePath(s.add.Path)
	f, err := t.objects.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("data file of %s: %w", t, err)
	}
	defer f.Close()
	rows, err := t.openRows(ctx, f, s)
	if err != nil {
		return fmt.Errorf("data file %s of %s: %w", name, t, err)
	}
	defer rows.file.Close()
	if s.deny != nil {
		no, err := s.deny(rows.file)
		if err != nil {
			return fmt.Errorf("data file %s of %s: %w", name, t, err)
		}
		if no {
			return nil
		}
	}
	for {
		b, err := rows.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("data file %s of %s: %w", name, t, err)
		}
		err = fn(b)
		b.Release()
		if err != nil {
			return err
		}
	}
}

// fileRows are the rows of a data file as rows of the table.
type fileRows struct {
	file      *parquetfile.Reader
	partition *partition.Columns
	deleted   rowSet // nil: none
	row       int64  // of the file, the next
}

func (t *Table) openRows(ctx context.Context, f store.Reader, s *scannedFile) (*fileRows, error) {
	r, err := parquetfile.OpenNamed(f, s.partition.InFile, s.names)
	if err != nil {
		return nil, err
	}
	out := &fileRows{file: r, partition: s.partition}
	if s.add.DeletionVector != nil {
		if out.deleted, err = t.deletedRows(ctx, s.add.DeletionVector, r.Rows()); err != nil {
			r.Close()
			return nil, err
		}
	}
	return out, nil
}

func (r *fileRows) next(ctx context.Context) (*columnar.Batch, error) {
	b, err := r.file.Next(ctx)
	if err != nil {
		return nil, err
	}
	if n := int64(b.Rows()); r.deleted != nil {
		b = r.deleted.without(b, r.row)
		r.row += n
	}
	defer b.Release()
	return r.partition.Fill(b), nil
}
