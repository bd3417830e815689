package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// ErrOvertaken: another writer changed what a rearrangement builds on. The table is as that writer left it.
var ErrOvertaken = errors.New("overtaken by another writer")

// maxAsks bounds how often an unknown outcome is asked about, with doubling pauses from 50 ms to 5 s.
const maxAsks = 12

// rearrange commits a change that leaves the rows as they are, on top of what others commit meanwhile.
//
//  1. The base is still the table that was read.
//  2. The entry is put; while it is not known who took the version, the same body is put again under the same name.
//  3. Another's entry is read. It must leave the removed files and the schema alone; then the change goes on top of it.
//
// Files that were written for a change that is certainly not applied are removed.
func (t *Table) rearrange(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change, sleep func(context.Context, time.Duration) error) (lakehouse.Snapshot, error) {
	for {
		if err := t.Verify(ctx, base); err != nil {
			return base, fmt.Errorf("table %s: %w", t, err)
		}
		next, err := t.putRearranged(ctx, base, c, sleep)
		if !errors.Is(err, lakehouse.ErrConflict) {
			return next, err
		}
		next, entry, ok, err := t.Next(ctx, base)
		switch {
		case err != nil:
			return base, err
		case !ok:
			return base, fmt.Errorf("%w: version %d of %s is taken, and cannot be read", lakehouse.ErrReplaced, base.Version+1, t)
		}
		if why := disturbs(base, next, entry, c); why != "" {
			for _, f := range c.Add {
				_ = t.objects.Delete(ctx, f.Path) // what stays is for vacuum
			}
			return next, fmt.Errorf("%w: version %d of %s (%s) %s; nothing was changed: run it again", ErrOvertaken, entry.Version, t, entry.Operation, why)
		}
		base = next
	}
}

// putRearranged puts the entry after the base until the outcome is known.
func (t *Table) putRearranged(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change, sleep func(context.Context, time.Duration) error) (lakehouse.Snapshot, error) {
	for ask := 1; ; ask++ {
		next, err := t.Commit(ctx, base, c)
		if !errors.Is(err, lakehouse.ErrUnknown) || ask == maxAsks {
			return next, err
		}
		if stop := sleep(ctx, min(5*time.Second, 25*time.Millisecond<<ask)); stop != nil {
			return base, errors.Join(err, stop)
		}
	}
}

// disturbs says how an entry keeps a rearrangement from going on top of it, "" if it does not.
func disturbs(base, next lakehouse.Snapshot, e lakehouse.Entry, c lakehouse.Change) string {
	gone := map[string]bool{}
	for _, name := range e.Removes {
		gone[name] = true
	}
	for _, f := range c.Remove {
		if gone[f.Path] {
			return "removed " + f.Path
		}
	}
	switch {
	case !e.MetadataChanged || next.Unusable != nil: // Commit says why it is not usable
		return ""
	case !next.Schema.Equal(base.Schema), !slices.Equal(next.PartitionBy, base.PartitionBy):
		return "changed the schema"
	}
	return ""
}
