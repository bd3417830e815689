package delta

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// logFolder holds the log of a table.
const logFolder = "_delta_log"

func entryName(version int64) string { return fmt.Sprintf("%s/%020d.json", logFolder, version) }

// Table is a Delta table in a store.
type Table struct {
	objects store.Store
	newID   func() string

	mu           sync.Mutex // guards what follows
	known        *state     // the newest version that this process has read or written
	checkpointed int64      // version of the newest checkpoint that is known, -1 if none
}

var _ lakehouse.Table = (*Table)(nil)

// Open returns the table at the root of a store; it need not exist. newID makes the unique part of file names.
func Open(objects store.Store, newID func() string) *Table {
	return &Table{objects: objects, newID: newID, known: newState(), checkpointed: -1}
}

// String returns where the table is.
func (t *Table) String() string { return t.objects.String() }

// Snapshot replays the log to its newest version.
func (t *Table) Snapshot(ctx context.Context) (lakehouse.Snapshot, error) {
	s, checkpoint, err := t.replay(ctx, -1)
	if err != nil {
		return lakehouse.Snapshot{}, fmt.Errorf("table %s: %w", t, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.checkpointed = s, checkpoint
	return s.snapshot()
}

// replay reads the log up to a version, -1 for the newest. It also returns the version of the checkpoint it began with.
func (t *Table) replay(ctx context.Context, until int64) (*state, int64, error) {
	s, err := t.loadCheckpoint(ctx, until)
	if err != nil {
		return nil, -1, err
	}
	checkpoint := s.version
	versions, err := t.entriesAfter(ctx, s.version, until)
	if err != nil {
		return nil, -1, err
	}
	for _, v := range versions {
		if v != s.version+1 {
			return nil, -1, fmt.Errorf("%w: version %d is missing, %d is there", errDamaged, s.version+1, v)
		}
		if _, err := t.readInto(ctx, s, v); err != nil {
			return nil, -1, err
		}
	}
	if until >= 0 && s.version != until {
		return nil, -1, fmt.Errorf("version %d is not there; the newest is %d", until, s.version)
	}
	if len(versions) == 0 && s.version >= 0 { // the checkpoint is the newest version: its entry is still needed for the base check
		in, err := t.objects.Stat(ctx, entryName(s.version))
		if err != nil {
			return nil, -1, err
		}
		s.size, s.etag = in.Size, in.ETag
	}
	return s, checkpoint, nil
}

// entriesAfter lists the versions of the entries after one, in order.
func (t *Table) entriesAfter(ctx context.Context, after, until int64) ([]int64, error) {
	list, err := t.objects.List(ctx, logFolder, path.Base(entryName(max(0, after)))[:20])
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, in := range list {
		if v, ok := versionOf(in.Name); ok && v > after && (until < 0 || v <= until) {
			out = append(out, v)
		}
	}
	return out, nil
}

func versionOf(name string) (int64, bool) {
	text, ok := strings.CutSuffix(path.Base(name), ".json")
	if !ok || len(text) != 20 {
		return 0, false
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil && v >= 0
}

// readInto reads an entry and applies it to the state before it.
func (t *Table) readInto(ctx context.Context, s *state, version int64) (lakehouse.Entry, error) {
	body, in, err := t.objects.Get(ctx, entryName(version))
	if err != nil {
		return lakehouse.Entry{}, err
	}
	actions, err := parseEntry(in.Name, body)
	if err != nil {
		return lakehouse.Entry{}, err
	}
	s.apply(version, actions)
	s.size, s.etag = in.Size, in.ETag
	return entry(version, actions), nil
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
	next, err := t.known.snapshot()
	return next, e, err == nil, err
}

// knowLocked makes the known state that of a version.
func (t *Table) knowLocked(ctx context.Context, version int64) error {
	if t.known.version == version {
		return nil
	}
	if version < 0 {
		t.known = newState()
		return nil
	}
	s, _, err := t.replay(ctx, version)
	if err != nil {
		return fmt.Errorf("table %s: %w", t, err)
	}
	t.known = s
	return nil
}

// Verify checks that the base entry is the one that was read.
func (t *Table) Verify(ctx context.Context, base lakehouse.Snapshot) error {
	in, err := t.objects.Stat(ctx, entryName(base.Version))
	if errors.Is(err, store.ErrNotExist) {
		return fmt.Errorf("%w: log entry %d is gone", lakehouse.ErrReplaced, base.Version)
	}
	if err != nil {
		return err
	}
	if in.Size != base.EntrySize || in.ETag != base.EntryETag {
		return fmt.Errorf("%w: log entry %d is another one now", lakehouse.ErrReplaced, base.Version)
	}
	return nil
}

// History reads entries backwards.
func (t *Table) History(ctx context.Context, s lakehouse.Snapshot, limit int) ([]lakehouse.Entry, error) {
	var out []lakehouse.Entry
	for v := s.Version; v >= 0 && len(out) < limit; v-- {
		body, in, err := t.objects.Get(ctx, entryName(v))
		if errors.Is(err, store.ErrNotExist) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		actions, err := parseEntry(in.Name, body)
		if err != nil {
			return nil, err
		}
		out = append(out, entry(v, actions))
	}
	return out, nil
}
