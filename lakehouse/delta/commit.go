package delta

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Commit puts the change as the version after base.
//
//  1. What the table's rules forbid is refused; nothing was written.
//  2. The entry is made of base and change alone, and put if its version is free.
//  3. If the name is taken, the body that is there tells: ours, from an earlier try, or another's.
//  4. What was put is applied to what is known of the base.
func (t *Table) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	if err := t.allowed(base, c); err != nil {
		return base, err
	}
	there, err := t.groundAt(ctx, base.Version)
	if err != nil {
		return base, fmt.Errorf("table %s: %w", t, err)
	}
	actions, err := changeActions(there, c)
	if err != nil {
		return base, err
	}
	n, err := t.noteAfter(ctx, base.Version, actions)
	if err != nil {
		return base, fmt.Errorf("table %s: %w", t, err)
	}
	if n != nil {
		actions[0].CommitInfo[noteKey] = n
	}
	body, err := encodeEntry(actions)
	if err != nil {
		return base, err
	}
	name := entryName(base.Version + 1)
	in, err := lakehouse.PutEntry(ctx, t.objects, name, body)
	if err != nil {
		return base, err
	}
	return t.committed(ctx, base, in, body)
}

// allowed refuses changes that the table, or this package, does not permit.
func (t *Table) allowed(base lakehouse.Snapshot, c lakehouse.Change) error {
	switch {
	case base.Unusable != nil:
		return fmt.Errorf("table %s: %w", t, base.Unusable)
	case c.Create == nil && base.Version < 0:
		return fmt.Errorf("table %s does not exist: its first commit must create it", t)
	case c.Create != nil && base.Version >= 0 && base.Files != 0:
		return fmt.Errorf("table %s exists already, at version %d, and holds files: it is not made again", t, base.Version)
	case c.DataChange && len(c.Remove) > 0 && strings.EqualFold(base.Properties["delta.appendOnly"], "true"):
		return fmt.Errorf("table %s has delta.appendOnly=true: rows can be added, not removed", t)
	}
	by := base.PartitionBy
	if c.Create != nil {
		by = c.Create.PartitionBy
		if err := partition.Check(c.Create.Schema, by); err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
	}
	if c.Schema != nil {
		if got, err := lakehouse.Evolve(base.Schema, c.Schema); err != nil || !got.Equal(c.Schema) {
			return fmt.Errorf("table %s: its schema %s can have columns added, and cannot become %s", t, base.Schema, c.Schema)
		}
	}
	for _, f := range slices.Concat(c.Add, c.Rearranged.Add) {
		if have := slices.Sorted(maps.Keys(f.Partition)); !slices.Equal(have, slices.Sorted(slices.Values(by))) {
			return fmt.Errorf("table %s is partitioned by %s, and file %s by %s", t, listed(by), f.Path, listed(have))
		}
	}
	return nil
}

// committed applies our own entry, as it was put, to the known state.
func (t *Table) committed(ctx context.Context, base lakehouse.Snapshot, in store.Info, body []byte) (lakehouse.Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, base.Version); err != nil {
		return base, fmt.Errorf("%w: version %d was put, but its base cannot be read: %w", lakehouse.ErrUnknown, base.Version+1, err)
	}
	actions, err := parseEntry(in.Name, body)
	if err != nil {
		return base, fmt.Errorf("%w: version %d was put, but cannot be read: %w", lakehouse.ErrUnknown, base.Version+1, err)
	}
	t.known.apply(base.Version+1, actions)
	t.known.read(in)
	return t.snapshotLocked()
}

// changeActions is the log entry of a change: commitInfo, protocol and metaData where they change, txn, removes, adds.
func changeActions(there ground, c lakehouse.Change) ([]action, error) {
	info := commitInfo(c)
	if there.stamped() || c.Create != nil && asksStamps(c.Create.Properties) {
		info[stampKey] = there.next(c.Time)
	}
	out := []action{{CommitInfo: info}}
	meta, err := there.metaActions(c)
	if err != nil {
		return nil, err
	}
	out = append(out, meta...)
	if c.App != "" {
		out = append(out,
			action{Txn: &txn{AppID: c.App, Version: c.Txn.Batch, LastUpdated: &c.Time}},
			action{Txn: &txn{AppID: c.App + recordSuffix, Version: c.Txn.Token, LastUpdated: &c.Time}})
	}
	out = fileActions(out, c.Time, c.DataChange, c.Remove, c.Add)
	return fileActions(out, c.Time, false, c.Rearranged.Remove, c.Rearranged.Add), nil
}

// fileActions are removes, then adds.
func fileActions(out []action, time int64, dataChange bool, removes, adds []lakehouse.DataFile) []action {
	for _, f := range removes {
		out = append(out, action{Remove: &remove{Path: encodePath(f.Path), DeletionTimestamp: &time, DataChange: dataChange}})
	}
	for _, f := range adds {
		out = append(out, action{Add: addOf(f, time, dataChange)})
	}
	return out
}

func addOf(f lakehouse.DataFile, time int64, dataChange bool) *add {
	a := &add{Path: encodePath(f.Path), PartitionValues: nonNil(f.Partition), Size: f.Bytes, ModificationTime: time, DataChange: dataChange}
	if f.Stats != "" {
		a.Stats = &f.Stats
	}
	return a
}

func commitInfo(c lakehouse.Change) map[string]any {
	info := map[string]any{"timestamp": c.Time, "operation": c.Operation, "operationParameters": nonNil(c.Parameters),
		"isBlindAppend": len(c.Remove)+len(c.Rearranged.Remove) == 0, "engineInfo": "Lakewheel"}
	maps.Copy(info, c.Info)
	return info
}

func nonNil[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
