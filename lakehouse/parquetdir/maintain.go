package parquetdir

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lakewheel/lakewheel/lakehouse"
)

const (
	hintEvery  = 100            // entries
	keepLogFor = 24 * time.Hour // and the newest hintEvery entries in any case
	cleanEvery = time.Hour      // the log must be listed for it
)

// Maintain writes the hint each time that a multiple of so many entries was reached or passed, and removes old entries. now is in milliseconds since 1970.
func (t *Table) Maintain(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.Version/hintEvery <= max(0, t.place.hinted)/hintEvery {
		return nil
	}
	body, err := json.Marshal(hint{format, s.Version})
	if err == nil {
		err = t.objects.Put(ctx, hintName(t.place.log), body)
	}
	if err != nil {
		return fmt.Errorf("hint in the log of %s: %w", t, err)
	}
	t.place.hinted = s.Version
	return t.cleanLocked(ctx, now)
}

// cleanLocked removes entries that are past the retention and well below the hint, the oldest first: what remains is whole wherever it stops.
func (t *Table) cleanLocked(ctx context.Context, now int64) error {
	if t.cleaned > 0 && now-t.cleaned < cleanEvery.Milliseconds() {
		return nil
	}
	list, err := t.objects.List(ctx, logFolder(t.place.log), "")
	if err != nil {
		return err
	}
	for _, in := range list {
		n, ok := lakehouse.EntryNumber(in.Name)
		switch {
		case !ok:
			continue
		case n >= t.place.hinted-hintEvery || in.Modified >= now-keepLogFor.Milliseconds():
			t.cleaned = now
			return nil
		}
		if err := t.objects.Delete(ctx, in.Name); err != nil {
			return fmt.Errorf("clean the log of %s: %w", t, err)
		}
	}
	t.cleaned = now
	return nil
}
