package committer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// sidesAt says for each side table what has to change so that it has the rows of the batches up to a record's.
func (c *Committer) sidesAt(ctx context.Context, r *Record, o RewindOptions, did *Rewound) (sides []SideFiles, err error) {
	for _, kind := range slices.Sorted(maps.Keys(c.opts.Side)) {
		s := c.opts.Side[kind]
		now, err := s.Table.Snapshot(ctx) // with the commits that this run has not put itself
		if err != nil {
			return nil, fmt.Errorf("side table %s: %w", s.Table, err)
		}
		if now.Version < 0 {
			continue
		}
		then, others, err := c.sideThen(ctx, s.Table, now, r.LastBatch)
		if err != nil {
			return nil, err
		}
		if len(others) > 0 && !o.DiscardForeign {
			return nil, fmt.Errorf("%w: other writers changed rows of side table %s since batch %d: %s; they would be lost: --discard-foreign takes them back, too", ErrRefused, s.Table, r.LastBatch, entryList(others))
		}
		files := SideFiles{Kind: kind, Table: s.Table.String()}
		if files.Remove, files.Files, err = c.difference(ctx, s.Table, then, now); err != nil {
			return nil, err
		}
		if len(files.Remove)+len(files.Files) > 0 {
			sides = append(sides, files)
			did.SideRows[kind] = SideRows{Out: rowsOf(files.Remove), Back: rowsOf(files.Files)}
		}
	}
	return sides, nil
}

// sideThen finds the newest version of a side table that has nothing of later batches, version -1 if there is none, and what other writers changed since.
func (c *Committer) sideThen(ctx context.Context, table lakehouse.Table, now lakehouse.Snapshot, batch int64) (then lakehouse.Snapshot, others []lakehouse.Entry, err error) {
	version := now.Version
	whole, err := eachEntry(ctx, table, now, func(e lakehouse.Entry) bool {
		switch {
		case !c.ours(e):
			if e.DataChange {
				others = append(others, e)
			}
		case sideBatch(e) <= batch:
			return false
		default:
			version = e.Version - 1
		}
		return true
	})
	if err == nil && !whole {
		err = fmt.Errorf("%w: the log of side table %s does not reach back to batch %d any more", ErrRefused, table, batch)
	}
	if err != nil {
		return then, nil, err
	}
	others = slices.DeleteFunc(others, func(e lakehouse.Entry) bool { return e.Version <= version })
	slices.Reverse(others)
	if version < 0 || version == now.Version {
		now.Version = version
		return now, others, nil
	}
	then, err = table.(lakehouse.TimeTraveller).At(ctx, version)
	return then, others, err
}

func sideBatch(e lakehouse.Entry) (batch int64) {
	for _, name := range pipelines(e.Txns) {
		batch = max(batch, e.Txns[appID(name)].Batch)
	}
	return batch
}
