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

// publishLocked publishes an entry, if it is not known to be.
//
// A file that is neither staged nor in the folder was published: a staged name goes only once the final one is durable, and vacuum leaves those of the newest entry alone.
// Then somebody has taken it away, as whoever reads a folder may.
func (t *Table) publishLocked(ctx context.Context, k known) error {
	if k.entry == nil || k.Number <= t.published {
		return nil
	}
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(publishers)
	for _, a := range k.Add {
		tasks.Go(func() error {
			err := t.objects.Rename(ctx, a.Staged, a.Path)
			switch {
			case err == nil, errors.Is(err, store.ErrNotExist):
				return nil
			case errors.Is(err, store.ErrUnknown):
				return fmt.Errorf("%w: publish %s of %s: %w", lakehouse.ErrUnknown, a.Path, t, err)
			}
			return fmt.Errorf("publish %s of %s: %w", a.Path, t, err)
		})
	}
	if err := tasks.Wait(); err != nil {
		return err
	}
	t.published = k.Number
	return nil
}
