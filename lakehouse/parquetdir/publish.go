package parquetdir

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// publishers is how many files get their names at a time.
const publishers = 8

// Publish gives the staged files of the newest entry of s their final names.
func (t *Table) Publish(ctx context.Context, s lakehouse.Snapshot) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, err := t.entryLocked(ctx, s.Version)
	if err != nil {
		return err
	}
	return t.publishLocked(ctx, k)
}

// publishLocked publishes an entry, of those that are not known to be. Files that are neither staged nor there are told once: what to do about them is not decided here.
func (t *Table) publishLocked(ctx context.Context, k known) error {
	if k.entry == nil || k.Number <= t.published {
		return nil
	}
	missing := make([]bool, len(k.Add))
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(publishers)
	for i, a := range k.Add {
		tasks.Go(func() error {
			err := t.objects.Rename(ctx, a.Staged, a.Path)
			if missing[i] = errors.Is(err, store.ErrNotExist); missing[i] {
				return nil
			}
			return publishError(t, a, err)
		})
	}
	if err := tasks.Wait(); err != nil {
		return err
	}
	t.published = k.Number
	return t.missingError(k, missing)
}

func publishError(t *Table, a added, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrUnknown):
		return fmt.Errorf("%w: publish %s of %s: %w", lakehouse.ErrUnknown, a.Path, t, err)
	}
	return fmt.Errorf("publish %s of %s: %w", a.Path, t, err)
}

func (t *Table) missingError(k known, missing []bool) error {
	first, n := "", 0
	for i, a := range k.Add {
		if !missing[i] {
			continue
		}
		if n++; n == 1 {
			first = a.Path
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of the %d files of entry %d of %s, %s first, are neither staged nor in the folder", lakehouse.ErrMissing, n, len(k.Add), k.Number, t, first)
}
