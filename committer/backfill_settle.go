package committer

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// settle puts a change on the base until it is certain whose the next version is: ours, then other is nil, or that of another entry. A change whose
// application id and txn are those of the entry is ours.
func (c *Committer) settle(ctx context.Context, change lakehouse.Change) (next lakehouse.Snapshot, other *lakehouse.Entry, err error) {
	if err := c.verify(ctx, c.base); err != nil {
		return c.base, nil, err
	}
	var sent error // the newest answer while an entry of ours may be under way
	for ask := 0; ask < maxAsks; {
		next, err := c.opts.Table.Commit(ctx, c.base, change)
		switch {
		case err == nil:
			return next, nil, nil
		case errors.Is(err, lakehouse.ErrConflict), errors.Is(err, lakehouse.ErrUnknown), sent != nil:
			sent = err
		default:
			return c.base, nil, c.certain(err)
		}
		next, e, ok, err := c.opts.Table.Next(ctx, c.base)
		switch {
		case err != nil || !ok:
			ask++
			sent = errors.Join(sent, err)
			if err := c.opts.Sleep(ctx, pause(ask)); err != nil {
				return c.base, nil, fmt.Errorf("%w: version %d of %s: %w", ErrOutcomeUnknown, c.base.Version+1, c.opts.Table, err)
			}
		case e.Txns[change.App] == change.Txn:
			return next, nil, nil
		default:
			return next, &e, nil
		}
	}
	return c.base, nil, fmt.Errorf("%w: version %d of %s could not be read back: %w; the same command again will tell", ErrOutcomeUnknown, c.base.Version+1, c.opts.Table, sent)
}
