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
	for limit := 128; ; limit *= 8 {
		entries, err := table.History(ctx, now, limit)
		if err != nil {
			return then, nil, err
		}
		version, whole := c.sideBorder(entries, now.Version, batch)
		whole = whole || len(entries) > 0 && entries[len(entries)-1].Version == 0
		if !whole && len(entries) == limit {
			continue
		}
		if !whole {
			return then, nil, fmt.Errorf("%w: the log of side table %s does not reach back to batch %d any more", ErrRefused, table, batch)
		}
		for _, e := range slices.Backward(entries) {
			if e.Version > version && !c.ours(e) && e.DataChange {
				others = append(others, e)
			}
		}
		if version < 0 || version == now.Version {
			now.Version = version
			return now, others, nil
		}
		then, err = table.(lakehouse.TimeTraveller).At(ctx, version)
		return then, others, err
	}
}

// sideBorder is the newest version with nothing of later batches; whole says whether the entries, newest first, tell for certain.
func (c *Committer) sideBorder(entries []lakehouse.Entry, newest, batch int64) (version int64, whole bool) {
	version = newest
	for _, e := range entries {
		if !c.ours(e) {
			continue
		}
		if sideBatch(e) <= batch {
			return version, true
		}
		version = e.Version - 1
	}
	return version, false
}

func sideBatch(e lakehouse.Entry) (batch int64) {
	for _, name := range pipelines(e.Txns) {
		batch = max(batch, e.Txns[appID(name)].Batch)
	}
	return batch
}
