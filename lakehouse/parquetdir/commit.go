package parquetdir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

// Commit puts the change as the entry after base.
//
//  1. What a plain folder cannot hold is refused; nothing was written.
//  2. The base is published, if it is not known to be.
//  3. The entry is made of the base entry and the change alone, and put if its number is free.
//  4. If the name is taken, the body that is there tells: ours, from an earlier try, or another's.
//
// The files of the entry are not visible before Publish.
func (t *Table) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.allowed(base, c); err != nil {
		return base, err
	}
	on, err := t.entryLocked(ctx, base.Version)
	if err != nil {
		return base, err
	}
	if err := errors.Join(t.publishLocked(ctx, on), t.pointLocked(ctx)); err != nil {
		return base, err
	}
	e, err := next(on, c)
	if err != nil {
		return base, fmt.Errorf("folder %s: %w", t, err)
	}
	body, err := e.encode()
	if err != nil {
		return base, fmt.Errorf("folder %s: %w", t, err)
	}
	in, err := lakehouse.PutEntry(ctx, t.objects, entryName(t.place.log, e.Number), body)
	if err != nil {
		return base, err
	}
	t.place.known = known{e, in.Size, in.ETag}
	return t.place.snapshot(), nil
}

// allowed refuses what a plain folder cannot do, or this one does not permit.
func (t *Table) allowed(base lakehouse.Snapshot, c lakehouse.Change) error {
	switch {
	case len(c.Remove)+len(c.Rearranged.Remove)+len(c.Rearranged.Add) > 0:
		return fmt.Errorf("folder %s: readers of plain Parquet files cannot see files change places at once, so none is taken away: use a Delta table", t)
	case c.Create == nil && base.Version < 0:
		return fmt.Errorf("folder %s has no log: its first commit must begin one", t)
	case c.Create != nil && base.Files != 0:
		return fmt.Errorf("folder %s has a log already, at entry %d, and files: it is not begun again", t, base.Version)
	}
	by := base.PartitionBy
	if c.Create != nil {
		by = c.Create.PartitionBy
		if err := partition.Check(c.Create.Schema, by); err != nil {
			return fmt.Errorf("folder %s: %w", t, err)
		}
	}
	if c.Schema != nil {
		if got, err := lakehouse.Evolve(base.Schema, c.Schema); err != nil || !got.Equal(c.Schema) {
			return fmt.Errorf("folder %s: its schema %s can have columns added, and cannot become %s", t, base.Schema, c.Schema)
		}
	}
	return t.fits(c.Add, by)
}

// fits checks that files are staged, and for the partitions of the table.
func (t *Table) fits(files []lakehouse.DataFile, by []string) error {
	for _, f := range files {
		if a := newAdded(f); a.check() != nil {
			return fmt.Errorf("folder %s: %w", t, a.check())
		}
		if have := slices.Sorted(maps.Keys(f.Partition)); !slices.Equal(have, slices.Sorted(slices.Values(by))) {
			return fmt.Errorf("folder %s is partitioned by [%s], and file %s by [%s]", t, strings.Join(by, ", "), f.Path, strings.Join(have, ", "))
		}
	}
	return nil
}

func newAdded(f lakehouse.DataFile) added {
	return added{Path: f.Path, Staged: f.Staged, Rows: f.Rows, Bytes: f.Bytes, Partition: f.Partition}
}

// next is the entry that a change makes on a base.
func next(on known, c lakehouse.Change) (*entry, error) {
	e := &entry{Format: format, Number: on.version() + 1, Time: c.Time, Operation: c.Operation, Parameters: c.Parameters, App: c.App,
		DataChange: c.DataChange, NewMetadata: c.Create != nil || c.Schema != nil, Info: c.Info, Txns: map[string]txn{}}
	if on.entry != nil {
		e.Table, e.Files = on.Table, on.Files
		maps.Copy(e.Txns, on.Txns)
	}
	if c.App != "" {
		e.Txns[c.App] = txn(c.Txn)
	}
	for _, f := range c.Add {
		e.Add = append(e.Add, newAdded(f))
	}
	e.Files += len(c.Add)
	return e, e.Table.change(c)
}

// change makes the metadata that of a commit that begins a log or gives it another schema.
func (m *metadata) change(c lakehouse.Change) error {
	schema := c.Schema
	if c.Create != nil {
		*m = metadata{ID: c.Create.ID, Name: c.Create.Name, PartitionBy: c.Create.PartitionBy, Properties: c.Create.Properties}
		schema = c.Create.Schema
	}
	if schema == nil {
		return nil
	}
	text, err := delta.EncodeSchema(schema)
	m.Schema, m.columns = json.RawMessage(text), schema
	return err
}

// pointLocked leaves a note where the pipeline's name leads to, before it commits to a log that began under another one.
func (t *Table) pointLocked(ctx context.Context) error {
	if t.place.log == t.name || t.pointed {
		return nil
	}
	body, err := json.Marshal(note{format, t.place.log})
	if err == nil {
		err = t.objects.Put(ctx, noteName(t.name), body)
	}
	if err != nil {
		return fmt.Errorf("note the log of %s in %s: %w", t.name, t, err)
	}
	t.pointed = true
	return nil
}
