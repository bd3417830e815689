package committer

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// settle puts a change on a base until it is certain whose the next version is: ours, then other is nil, or that of another entry. An entry with the
// application id and the token of the change is ours. ErrOutcomeUnknown: it was sent, and could not be asked about; after any other error it was certainly not applied.
func (c *Committer) settle(ctx context.Context, table lakehouse.Table, base lakehouse.Snapshot, change lakehouse.Change) (next lakehouse.Snapshot, other *lakehouse.Entry, err error) {
	var sent error // the newest answer while an entry of ours may be under way to base.Version+1
	for ask := 0; ask < maxAsks; {
		next, err := table.Commit(ctx, base, change)
		switch {
		case err == nil:
			return next, nil, nil
		case errors.Is(err, lakehouse.ErrConflict), errors.Is(err, lakehouse.ErrUnknown), sent != nil:
			sent = err
		default:
			return base, nil, err
		}
		next, e, ok, err := table.Next(ctx, base)
		switch {
		case err != nil || !ok:
			// Not known, or not there yet: the same body under the same key may be sent again.
			ask++
			sent = errors.Join(sent, err)
			if err := c.opts.Sleep(ctx, pause(ask)); err != nil {
				return base, nil, fmt.Errorf("%w: version %d of %s could not be read back: %w", ErrOutcomeUnknown, base.Version+1, table, err)
			}
		case judge(e, change.App, change.Txn.Token) == own:
			return next, nil, nil
		default:
			return next, &e, nil // the version is another's for good: nothing of ours can land there any more
		}
	}
	return base, nil, fmt.Errorf("%w: version %d of %s could not be read back: %w", ErrOutcomeUnknown, base.Version+1, table, sent)
}

// settleBase is settle for the table of the pipeline, of which the base is looked at again first.
func (c *Committer) settleBase(ctx context.Context, change lakehouse.Change) (next lakehouse.Snapshot, other *lakehouse.Entry, err error) {
	if err := c.verify(ctx, c.base); err != nil {
		return c.base, nil, err
	}
	next, other, err = c.settle(ctx, c.opts.Table, c.base, change)
	if errors.Is(err, ErrOutcomeUnknown) {
		err = fmt.Errorf("%w; the same command again will tell", err)
	}
	return next, other, c.certain(err)
}
