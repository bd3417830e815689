package delta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Commit puts the change as the version after base.
func (t *Table) Commit(ctx context.Context, base lakehouse.Snapshot, c lakehouse.Change) (lakehouse.Snapshot, error) {
	actions, err := changeActions(base, c)
	if err != nil {
		return base, err
	}
	body, err := encodeEntry(actions)
	if err != nil {
		return base, err
	}
	name := entryName(base.Version + 1)
	in, err := t.objects.PutIfAbsent(ctx, name, body)
	switch {
	case errors.Is(err, store.ErrExists):
		if in, err = t.sameBody(ctx, name, body); err != nil {
			return base, err
		}
	case errors.Is(err, store.ErrUnknown), ctx.Err() != nil && err != nil:
		return base, fmt.Errorf("%w: version %d of %s: %w", lakehouse.ErrUnknown, base.Version+1, t, err)
	case err != nil:
		return base, fmt.Errorf("commit version %d of %s: %w", base.Version+1, t, err)
	}
	return t.committed(ctx, base, in, body)
}

// sameBody settles a name that is taken: by an earlier try of the same put, or by another commit.
func (t *Table) sameBody(ctx context.Context, name string, body []byte) (store.Info, error) {
	there, in, err := t.objects.Get(ctx, name)
	switch {
	case err != nil:
		return in, fmt.Errorf("%w: %s of %s cannot be read back: %w", lakehouse.ErrUnknown, name, t, err)
	case bytes.Equal(there, body):
		return in, nil
	}
	return in, fmt.Errorf("%w: %s of %s", lakehouse.ErrConflict, name, t)
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
		return base, err
	}
	t.known.apply(base.Version+1, actions)
	t.known.size, t.known.etag = in.Size, in.ETag
	return t.known.snapshot()
}

// changeActions is the log entry of a change: commitInfo, protocol and metaData of a new table, txn, removes, adds.
func changeActions(base lakehouse.Snapshot, c lakehouse.Change) ([]action, error) {
	out := []action{{CommitInfo: commitInfo(c)}}
	if c.Create != nil {
		creation, err := createActions(base, c)
		if err != nil {
			return nil, err
		}
		out = append(out, creation...)
	}
	if c.App != "" {
		out = append(out,
			action{Txn: &txn{AppID: c.App, Version: c.Txn.Batch, LastUpdated: &c.Time}},
			action{Txn: &txn{AppID: c.App + recordSuffix, Version: c.Txn.Token, LastUpdated: &c.Time}})
	}
	for _, f := range c.Remove {
		out = append(out, action{Remove: &remove{Path: encodePath(f.Path), DeletionTimestamp: &c.Time, DataChange: c.DataChange}})
	}
	for _, f := range c.Add {
		a := &add{Path: encodePath(f.Path), PartitionValues: f.Partition, Size: f.Bytes, ModificationTime: c.Time, DataChange: c.DataChange}
		if a.PartitionValues == nil {
			a.PartitionValues = map[string]*string{}
		}
		if f.Stats != "" {
			a.Stats = &f.Stats
		}
		out = append(out, action{Add: a})
	}
	return out, nil
}

func commitInfo(c lakehouse.Change) map[string]any {
	info := map[string]any{"timestamp": c.Time, "operation": c.Operation, "operationParameters": nonNil(c.Parameters),
		"isBlindAppend": len(c.Remove) == 0, "engineInfo": "Lakewheel"}
	maps.Copy(info, c.Info)
	return info
}

func nonNil(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func createActions(base lakehouse.Snapshot, c lakehouse.Change) ([]action, error) {
	schema, err := encodeSchema(c.Create.Schema)
	if err != nil {
		return nil, err
	}
	m := &metaData{ID: c.Create.ID, Format: format{Provider: "parquet", Options: map[string]string{}}, SchemaString: schema,
		PartitionColumns: append([]string{}, c.Create.PartitionBy...), CreatedTime: &c.Time, Configuration: nonNil(c.Create.Properties)}
	if c.Create.Name != "" {
		m.Name = &c.Create.Name
	}
	if base.Version >= 0 { // a protocol never goes down again
		return []action{{MetaData: m}}, nil
	}
	return []action{{Protocol: &protocol{MinReaderVersion: 1, MinWriterVersion: 2}}, {MetaData: m}}, nil
}
