package delta

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Defaults of the table properties that steer maintenance.
const (
	checkpointEvery = 100                 // delta.checkpointInterval
	keepLogFor      = 30 * 24 * time.Hour // delta.logRetentionDuration
	keepRemovedFor  = 7 * 24 * time.Hour  // delta.deletedFileRetentionDuration
)

// cleanEvery is how long the log is left alone after it was cleaned: it must be listed for that.
const cleanEvery = time.Hour

// Maintain writes a checkpoint when a multiple of the interval has been reached or passed since the newest one, and then removes
// log entries that are older than the retention and that a checkpoint covers. now is in milliseconds since 1970.
func (t *Table) Maintain(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	if s.Version < 0 || s.Unusable != nil || !t.due(s) {
		return nil
	}
	if err := t.checkpoint(ctx, s, now); err != nil {
		return fmt.Errorf("checkpoint version %d of %s: %w", s.Version, t, err)
	}
	return t.cleanLog(ctx, s, now)
}

func (t *Table) due(s lakehouse.Snapshot) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	every := int64(interval(s.Properties))
	return s.Version/every > max(0, t.checkpointed)/every
}

func interval(properties map[string]string) int {
	if n, err := strconv.Atoi(properties["delta.checkpointInterval"]); err == nil && n > 0 {
		return n
	}
	return checkpointEvery
}

// checkpoint writes the state as it is replayed from the log, never what was meant to be written: a checkpoint of a wrong state would damage
// the table.
func (t *Table) checkpoint(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	st, _, err := replay(ctx, t, s.Version, newState, everything)
	if err != nil {
		return err
	}
	since := now - duration(s.Properties["delta.deletedFileRetentionDuration"], keepRemovedFor).Milliseconds()
	rows := st.checkpointRows(since)
	body, err := encodeCheckpoint(rows)
	if err != nil {
		return err
	}
	if err := t.objects.Put(ctx, checkpointName(s.Version), body); err != nil {
		return err
	}
	hint, err := json.Marshal(lastCheckpoint{Version: s.Version, Size: int64(len(rows))})
	if err != nil {
		return err
	}
	if err := t.objects.Put(ctx, lastCheckpointName, hint); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checkpointed = s.Version
	return nil
}

// cleanLog removes entries and checkpoints below the newest checkpoint that lies before the cut-off, the oldest first: what remains is whole wherever it
// stops.
func (t *Table) cleanLog(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	t.mu.Lock()
	waits := t.cleaned > 0 && now-t.cleaned < cleanEvery.Milliseconds()
	t.mu.Unlock()
	if waits || strings.EqualFold(s.Properties["delta.enableExpiredLogCleanup"], "false") {
		return nil
	}
	list, err := t.objects.List(ctx, logFolder, "")
	if err != nil {
		return err
	}
	keepFrom := oldestKept(list, now-duration(s.Properties["delta.logRetentionDuration"], keepLogFor).Milliseconds())
	for _, in := range list {
		if v, ok := logVersion(in.Name); ok && v < keepFrom {
			if err := t.objects.Delete(ctx, in.Name); err != nil {
				return err
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleaned = now
	return nil
}

// oldestKept is the newest version with a checkpoint whose entry was written before a time, -1 if none.
func oldestKept(list []store.Info, before int64) int64 {
	old, keep := map[int64]bool{}, int64(-1)
	for _, in := range list {
		if f, ok := parseLogName(in.Name); ok && f.entry && in.Modified < before {
			old[f.version] = true
		}
	}
	for _, in := range list {
		if f, ok := parseLogName(in.Name); ok && f.checkpoint && f.parts == 0 && old[f.version] {
			keep = max(keep, f.version)
		}
	}
	return keep
}

// logVersion is the version that a log entry, its checksum file or a checkpoint belongs to.
func logVersion(name string) (int64, bool) {
	if f, ok := parseLogName(name); ok {
		return f.version, true
	}
	digits, rest, _ := strings.Cut(path.Base(name), ".")
	v, err := strconv.ParseInt(digits, 10, 64)
	return v, err == nil && len(digits) == 20 && rest == "crc"
}

// duration reads a Delta interval ("interval 30 days"); what it does not understand is the default, which only keeps more.
func duration(text string, otherwise time.Duration) time.Duration {
	fields := strings.Fields(strings.TrimPrefix(strings.ToLower(text), "interval"))
	if len(fields) != 2 {
		return otherwise
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	units := map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}
	unit, ok := units[strings.TrimSuffix(fields[1], "s")]
	if err != nil || !ok || n < 0 || n > 36500 {
		return otherwise
	}
	return time.Duration(n) * unit
}
