package lakehouse

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// VerifyEntry checks that the log entry of a base is the one that was read: ErrReplaced if not.
func VerifyEntry(ctx context.Context, objects store.Store, name string, base Snapshot) error {
	in, err := objects.Stat(ctx, name)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return fmt.Errorf("%w: log entry %d is gone", ErrReplaced, base.Version)
	case err != nil:
		return err
	case in.Size != base.EntrySize || in.ETag != base.EntryETag:
		return fmt.Errorf("%w: log entry %d is another one now", ErrReplaced, base.Version)
	}
	return nil
}

// discarders is how many files are removed at a time.
const discarders = 16

// Discard removes garbage. It may be repeated.
func Discard(ctx context.Context, objects store.Store, g Garbage) error {
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(discarders)
	for _, in := range g.Files {
		tasks.Go(func() error { return objects.Delete(ctx, in.Name) })
	}
	return tasks.Wait()
}
