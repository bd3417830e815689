package delta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// At returns the snapshot of a version, -1 for the newest.
func (t *Table) At(ctx context.Context, version int64) (lakehouse.Snapshot, error) {
	if version < 0 {
		return t.Snapshot(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, version); err != nil {
		return lakehouse.Snapshot{}, err
	}
	return t.known.snapshot()
}

// Scan calls fn with the rows of a snapshot, file by file in path order. The batch is borrowed. An error of fn ends the scan and is returned.
func (t *Table) Scan(ctx context.Context, s lakehouse.Snapshot, fn func(*columnar.Batch) error) error {
	files, err := t.live(ctx, s)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.DeletionVector != nil {
			return fmt.Errorf("%w: %s has deletion vectors, which cannot be read", lakehouse.ErrUnsupported, t)
		}
		if err := t.scanFile(ctx, s.Schema, decodePath(f.Path), fn); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) live(ctx context.Context, s lakehouse.Snapshot) ([]add, error) {
	if s.Version < 0 {
		return nil, nil
	}
	if s.Schema == nil {
		return nil, s.Unusable
	}
	if len(s.PartitionBy) > 0 {
		return nil, fmt.Errorf("%w: %s is partitioned by %v, which cannot be read yet", lakehouse.ErrUnsupported, t, s.PartitionBy)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, s.Version); err != nil {
		return nil, err
	}
	var out []add
	for _, path := range slices.Sorted(maps.Keys(t.known.files)) {
		out = append(out, t.known.files[path])
	}
	return out, nil
}

func (t *Table) scanFile(ctx context.Context, schema *columnar.Schema, name string, fn func(*columnar.Batch) error) error {
	f, err := t.objects.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("data file of %s: %w", t, err)
	}
	defer f.Close()
	r, err := parquetfile.OpenReader(f, schema)
	if err != nil {
		return fmt.Errorf("data file %s of %s: %w", name, t, err)
	}
	for {
		b, err := r.Next(ctx)
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
