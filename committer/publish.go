package committer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// sideOf is the property that ties a side table to the one sink that may write it.
const sideOf = "lakewheel.sideOf"

// owner is the value of sideOf. It names the table by id: batch numbers begin again in a rebuilt
// table, and its dead letters must not be taken for those that an earlier one published.
func (c *Committer) owner(name, kind string) string { return c.tableID + "/" + name + "/" + kind }

// checkSides refuses side tables that belong to someone else, before anything is written.
func (c *Committer) checkSides(ctx context.Context) error {
	for kind, s := range c.opts.Side {
		snap, err := s.Table.Snapshot(ctx)
		if err != nil {
			return fmt.Errorf("side table %s: %w", s.Table, err)
		}
		if err := c.checkSide(kind, s, snap); err != nil {
			return err
		}
		c.sides[s.Table.String()] = snap
	}
	return nil
}

func (c *Committer) checkSide(kind string, s SideTable, snap lakehouse.Snapshot) error {
	if snap.Version < 0 {
		if snap.Occupied == "" {
			return nil
		}
		return fmt.Errorf("%w: %s is to be a side table and holds %s: move it away, or give this pipeline a side table of its own (side_tables)", ErrRefused, s.Table, snap.Occupied)
	}
	if owner := snap.Properties[sideOf]; !c.owns(kind, owner, snap) {
		return fmt.Errorf("%w: %s belongs to another table or pipeline (%s is %q), perhaps to one that was here before: move it away, or give this pipeline a side table of its own (side_tables)", ErrRefused, s.Table, sideOf, owner)
	}
	if snap.Unusable != nil {
		return fmt.Errorf("%w: side table: %w", ErrRefused, snap.Unusable)
	}
	if diff := schemaDiff(snap.Schema, nullable(s.Schema)); diff != "" {
		return fmt.Errorf("%w: side table %s has another schema: %s", ErrRefused, s.Table, diff)
	}
	return nil
}

// owns reports whether a side table with that owner is ours: under this name, or the name before, or once it was written to under
// this name after a change of name.
func (c *Committer) owns(kind, owner string, snap lakehouse.Snapshot) bool {
	_, written := snap.Txns[c.app]
	renamed := strings.HasPrefix(owner, c.tableID+"/") && strings.HasSuffix(owner, "/"+kind)
	return owner == c.owner(c.opts.Name, kind) || owner == c.owner(c.opts.Previous, kind) || renamed && written
}

// maintainSides does for the side tables what the main one gets after commits.
func (c *Committer) maintainSides(ctx context.Context) error {
	var errs error
	for _, s := range c.opts.Side {
		if snap, ok := c.sides[s.Table.String()]; ok {
			errs = errors.Join(errs, s.Table.Maintain(ctx, snap, c.opts.Now().UnixMilli()))
		}
	}
	return errs
}

// stillDue is the record of a start, whose side files are published now if they are not yet. Where the side table does not have them, and they are gone, it was
// removed or replaced by an older one: that is refused, or accepted as a loss.
func (c *Committer) stillDue(ctx context.Context, r *Record) (*Record, error) {
	if r == nil {
		return nil, nil
	}
	due := *r
	due.Side = nil
	for _, files := range r.Side {
		s, ok := c.opts.Side[files.Kind]
		able, _ := s.Table.(lakehouse.TimeTraveller)
		if !ok || able == nil || s.Table.String() != files.Table || c.sides[s.Table.String()].Txns[appID(r.Pipeline)].Batch >= r.LastBatch {
			due.Side = append(due.Side, files)
			continue
		}
		missing, err := able.Missing(ctx, files.Files)
		if err != nil {
			return nil, fmt.Errorf("side table %s: %w", s.Table, err)
		}
		if len(missing) > 0 && !c.opts.AcceptLoss {
			return nil, fmt.Errorf("%w: %s does not have the rows of batch %d, and the files that hold them are gone (%s): it was removed, or is an older copy; restore it, or go on without them with --accept-loss", ErrPositionLost, s.Table, r.LastBatch, missing[0])
		}
		files.Files = slices.DeleteFunc(slices.Clone(files.Files), func(f lakehouse.DataFile) bool { return slices.Contains(missing, f.Path) })
		due.Side = append(due.Side, files)
	}
	return &due, nil
}

// publish rolls the side tables forward to a committed record: step 5. It can be repeated.
func (c *Committer) publish(ctx context.Context, r *Record) error {
	for _, files := range r.Side {
		s, ok := c.opts.Side[files.Kind]
		if ok && s.Table.String() != files.Table && c.sides[s.Table.String()].Txns[appID(r.Pipeline)].Batch >= r.LastBatch {
			continue // the tables were moved, and the files lie where the side table is now
		}
		if !ok || s.Table.String() != files.Table {
			return fmt.Errorf("%w: batch %d has %d staged files for %s, which is no longer the side table %s of this pipeline: move that table along, or set side_tables back until one run has published them", ErrRefused, r.LastBatch, len(files.Files), files.Table, files.Kind)
		}
		if err := c.publishSide(ctx, s, files, r); err != nil {
			return fmt.Errorf("publish batch %d to %s: %w", r.LastBatch, s.Table, err)
		}
	}
	return nil
}

// publishSide commits staged files to a side table unless its txn says that they are in. The same
// change is offered until it is certain that it, or a later batch, is there.
func (c *Committer) publishSide(ctx context.Context, s SideTable, files SideFiles, r *Record) error {
	app := appID(r.Pipeline)
	snap, err := c.sideSnapshot(ctx, s)
	if err != nil {
		return err
	}
	change, creation := c.sideChange(files, r), c.sideCreation(s, files.Kind)
	for {
		if txn, ok := snap.Txns[app]; ok && txn.Batch >= r.LastBatch {
			c.sides[s.Table.String()] = snap
			return c.reveal(ctx, s.Table, snap)
		}
		if err := c.checkSide(files.Kind, s, snap); err != nil {
			return err
		}
		if err := c.reveal(ctx, s.Table, snap); err != nil {
			return err
		}
		if change.Create = nil; snap.Version < 0 {
			change.Create = creation
		}
		if snap, _, err = c.settle(ctx, s.Table, snap, change); err != nil {
			return err
		}
	}
}

// sideSnapshot is the side table as this run knows it, if it still is there as it was; otherwise it is read anew.
func (c *Committer) sideSnapshot(ctx context.Context, s SideTable) (lakehouse.Snapshot, error) {
	if snap, ok := c.sides[s.Table.String()]; ok && s.Table.Verify(ctx, snap) == nil {
		return snap, nil
	}
	return s.Table.Snapshot(ctx)
}

func (c *Committer) sideChange(files SideFiles, r *Record) lakehouse.Change {
	return lakehouse.Change{App: appID(r.Pipeline), Txn: lakehouse.Txn{Batch: r.LastBatch, Token: r.Token}, Time: c.opts.Now().UnixMilli(),
		Add: files.Files, Remove: files.Remove, DataChange: true, Operation: "STREAMING UPDATE", Parameters: map[string]string{"outputMode": "Append", "queryId": r.QueryID}}
}

// sideCreation is made once for a publication: its id is part of the body, which must not change between tries. The side table is kept as long as
// the main one.
func (c *Committer) sideCreation(s SideTable, kind string) *lakehouse.Creation {
	properties := map[string]string{sideOf: c.owner(c.opts.Name, kind)}
	for _, key := range []string{"delta.logRetentionDuration", "delta.deletedFileRetentionDuration"} {
		if value, ok := c.opts.Properties[key]; ok {
			properties[key] = value
		}
	}
	return &lakehouse.Creation{ID: c.opts.NewID(), Schema: nullable(s.Schema), Properties: properties}
}
