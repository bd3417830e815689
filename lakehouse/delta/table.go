package delta

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Table is a Delta table in a store.
type Table struct {
	objects store.Store
	newID   func() string

	mu           sync.Mutex       // guards what follows
	known        *head            // the newest version that this process has read or written
	newest       *lakehouse.Entry // of known, nil if it was not read
	checkpointed int64            // version of the newest checkpoint that is known, -1 if none
	cleaned      int64            // when the log was cleaned, milliseconds since 1970
	bounds       *knownBounds
}

var (
	_ lakehouse.Table     = (*Table)(nil)
	_ lakehouse.Compactor = (*Table)(nil)

	_ lakehouse.TimeTraveller = (*Table)(nil)
)

// Open returns the table at the root of a store; it need not exist. newID makes the unique part of file names.
func Open(objects store.Store, newID func() string) *Table {
	return &Table{objects: objects, newID: newID, known: newHead(), checkpointed: -1}
}

// String returns where the table is.
func (t *Table) String() string { return t.objects.String() }

// Snapshot finds the newest version by the notes of our entries, or by a replay.
func (t *Table) Snapshot(ctx context.Context) (lakehouse.Snapshot, error) {
	h, newest, checkpoint, err := t.noted(ctx)
	switch {
	case err != nil:
		return lakehouse.Snapshot{}, fmt.Errorf("table %s: %w", t, err)
	case h == nil:
		return t.replaySnapshot(ctx)
	}
	return t.know(h, newest, checkpoint)
}

// replaySnapshot replays the log to its newest version: the checkpoint without its files, and the entries after it.
func (t *Table) replaySnapshot(ctx context.Context) (lakehouse.Snapshot, error) {
	h, checkpoint, err := replay(ctx, t, -1, newHead, forHead)
	if err != nil {
		return lakehouse.Snapshot{}, fmt.Errorf("table %s: %w", t, err)
	}
	s, err := t.know(h, nil, checkpoint)
	if err != nil || s.Version >= 0 {
		return s, err
	}
	plain, err := lakehouse.PlainLogs(ctx, t.objects)
	if len(plain) > 0 {
		s.Occupied = "plain Parquet files of " + strings.Join(plain, ", ") + ", whose readers would take every file of a Delta table for rows"
	}
	return s, err
}

func (t *Table) know(h *head, newest *lakehouse.Entry, checkpoint int64) (lakehouse.Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.newest, t.checkpointed = h, newest, checkpoint
	return t.snapshotLocked()
}

func (t *Table) snapshotLocked() (lakehouse.Snapshot, error) {
	s, err := t.known.snapshot()
	if err != nil {
		return s, fmt.Errorf("table %s: %w", t, err)
	}
	return s, nil
}

// Next reads the entry after base.
func (t *Table) Next(ctx context.Context, base lakehouse.Snapshot) (lakehouse.Snapshot, lakehouse.Entry, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, base.Version); err != nil {
		return base, lakehouse.Entry{}, false, err
	}
	e, err := t.readInto(ctx, t.known, base.Version+1)
	if errors.Is(err, store.ErrNotExist) {
		return base, lakehouse.Entry{}, false, nil
	}
	if err != nil {
		return base, lakehouse.Entry{}, false, fmt.Errorf("table %s: %w", t, err)
	}
	next, err := t.snapshotLocked()
	return next, e, err == nil, err
}

// knowLocked makes the known version that of a base.
func (t *Table) knowLocked(ctx context.Context, version int64) error {
	if t.known.version == version {
		return nil
	}
	if version < 0 {
		t.known = newHead()
		return nil
	}
	h, _, err := replay(ctx, t, version, newHead, forHead)
	if err != nil {
		return fmt.Errorf("table %s: %w", t, err)
	}
	t.known = h
	return nil
}

// Verify checks that the base entry is the one that was read. Where there was no table, put-if-absent is the check.
func (t *Table) Verify(ctx context.Context, base lakehouse.Snapshot) error {
	if base.Version < 0 {
		return nil
	}
	return lakehouse.VerifyEntry(ctx, t.objects, entryName(base.Version), base)
}

// History reads entries backwards.
func (t *Table) History(ctx context.Context, s lakehouse.Snapshot, limit int) ([]lakehouse.Entry, error) {
	var out []lakehouse.Entry
	if e := t.newestEntry(s.Version); e != nil && limit > 0 {
		out = append(out, *e)
	}
	for v := s.Version - int64(len(out)); v >= 0 && len(out) < limit; v-- {
		e, err := t.readEntry(ctx, v)
		if errors.Is(err, store.ErrNotExist) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, entry(v, e.actions))
	}
	return out, nil
}

// newestEntry is the entry of a version if Snapshot has read it, nil otherwise.
func (t *Table) newestEntry(version int64) *lakehouse.Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.newest == nil || t.newest.Version != version {
		return nil
	}
	return t.newest
}
