package parquetdir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Table is the folder of plain Parquet files that one pipeline writes.
type Table struct {
	objects        store.Store
	name, previous string
	newID          func() string

	mu        sync.Mutex // guards what follows
	place     place      // the log, and the newest entry that this process has read or written
	found     bool       // the log was looked for
	published int64      // entries up to this one are known to be published
	pointed   bool       // the note that leads from the pipeline's name to the log is there
	cleaned   int64      // when the log was cleaned, milliseconds since 1970
}

// known is an entry and its object; the entry is nil where there is none.
type known struct {
	*entry
	size int64
	etag string
}

var (
	_ lakehouse.Table     = (*Table)(nil)
	_ lakehouse.Publisher = (*Table)(nil)
)

// Open returns the table of a pipeline at the root of a store; it need not exist. After a change of name the log goes on where it was: previous is the name
// before, or "". newID makes the unique part of file names.
func Open(objects store.Store, name, previous string, newID func() string) *Table {
	return &Table{objects: objects, name: name, previous: previous, newID: newID, published: -1}
}

// String returns where the table is.
func (t *Table) String() string { return t.objects.String() }

func (k known) version() int64 {
	if k.entry == nil {
		return -1
	}
	return k.Number
}

func (k known) snapshot() lakehouse.Snapshot {
	if k.entry == nil {
		return lakehouse.Snapshot{Version: -1, Txns: map[string]lakehouse.Txn{}}
	}
	return k.entry.snapshot(k.size, k.etag)
}

// Snapshot reads the newest entry. Where there is none it looks at what the folder holds.
func (t *Table) Snapshot(ctx context.Context) (lakehouse.Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.found = false
	if err := t.findLocked(ctx); err != nil {
		return lakehouse.Snapshot{}, err
	}
	s := t.place.snapshot()
	if s.Version >= 0 {
		return s, nil
	}
	var err error
	if s.Occupied, err = occupied(ctx, t.objects, t.name); err != nil {
		err = fmt.Errorf("folder %s: %w", t, err)
	}
	return s, err
}

// findLocked looks for the log once.
func (t *Table) findLocked(ctx context.Context) error {
	if t.found {
		return nil
	}
	p, err := t.find(ctx)
	if err != nil {
		return fmt.Errorf("folder %s: %w", t, err)
	}
	t.place, t.found = p, true
	return nil
}

// Next reads the entry after base.
func (t *Table) Next(ctx context.Context, base lakehouse.Snapshot) (lakehouse.Snapshot, lakehouse.Entry, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.findLocked(ctx); err != nil {
		return base, lakehouse.Entry{}, false, err
	}
	k, err := t.read(ctx, t.place.log, base.Version+1)
	if errors.Is(err, store.ErrNotExist) {
		return base, lakehouse.Entry{}, false, nil
	}
	if err != nil {
		return base, lakehouse.Entry{}, false, fmt.Errorf("folder %s: %w", t, err)
	}
	t.place.known = k
	return k.snapshot(), k.summary(), true, nil
}

// entryLocked is the entry of a version, none for -1.
func (t *Table) entryLocked(ctx context.Context, version int64) (known, error) {
	if err := t.findLocked(ctx); err != nil {
		return known{}, err
	}
	switch version {
	case -1:
		return known{}, nil
	case t.place.version():
		return t.place.known, nil
	}
	k, err := t.read(ctx, t.place.log, version)
	if err != nil {
		return known{}, fmt.Errorf("folder %s: %w", t, err)
	}
	return k, nil
}

// Verify checks that the base entry is the one that was read. Where there was no log, put-if-absent is the check.
func (t *Table) Verify(ctx context.Context, base lakehouse.Snapshot) error {
	if base.Version < 0 {
		return nil
	}
	return lakehouse.VerifyEntry(ctx, t.objects, entryName(t.log(), base.Version), base)
}

// log is the name that the log has.
func (t *Table) log() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.found {
		return t.name
	}
	return t.place.log
}

// History reads entries backwards.
func (t *Table) History(ctx context.Context, s lakehouse.Snapshot, limit int) (out []lakehouse.Entry, err error) {
	err = t.backwards(ctx, s.Version, func(e *entry) bool {
		if len(out) == limit {
			return false
		}
		out = append(out, e.summary())
		return true
	})
	return out, err
}

// backwards calls fn with the entries from a version down, as long as it says so and the log reaches.
func (t *Table) backwards(ctx context.Context, from int64, fn func(*entry) bool) error {
	log := t.log()
	for v := from; v >= 0; v-- {
		k, err := t.read(ctx, log, v)
		switch {
		case errors.Is(err, store.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("folder %s: %w", t, err)
		case !fn(k.entry):
			return nil
		}
	}
	return nil
}

// Files returns what the entries up to a snapshot have added, the oldest first. Beyond the log's retention only the folder itself knows.
func (t *Table) Files(ctx context.Context, s lakehouse.Snapshot) ([]lakehouse.DataFile, error) {
	var out []lakehouse.DataFile
	err := t.backwards(ctx, s.Version, func(e *entry) bool {
		for _, a := range slices.Backward(e.Add) {
			out = append(out, a.dataFile())
		}
		return true
	})
	if err == nil && s.Version >= 0 && len(out) != s.Files {
		err = fmt.Errorf("folder %s: its log names %d of %d files: the rest is older than the log's retention", t, len(out), s.Files)
	}
	slices.Reverse(out)
	return out, err
}
