package committer

import (
	"context"
	"errors"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// reveal makes the files of a table's newest entry visible, where the format takes a step of its own for that: part of step 5. It can be repeated, and is, for every entry
// that this run has put or gone past.
func (c *Committer) reveal(ctx context.Context, table lakehouse.Table, s lakehouse.Snapshot) error {
	p, ok := table.(lakehouse.Publisher)
	if !ok || s.Version < 0 {
		return nil
	}
	for ask := 1; ; ask++ {
		err := p.Publish(ctx, s)
		if err == nil || !errors.Is(err, lakehouse.ErrUnknown) || ask == maxAsks {
			return err
		}
		if err := c.opts.Sleep(ctx, pause(ask)); err != nil {
			return err
		}
	}
}

// rollForward makes visible what an entry, s its snapshot and r its record, made due: step 5. r is nil for an entry that has none of ours.
func (c *Committer) rollForward(ctx context.Context, s lakehouse.Snapshot, r *Record) error {
	if err := c.reveal(ctx, c.opts.Table, s); err != nil || r == nil {
		return err
	}
	return c.publish(ctx, r)
}
