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
)

// Defaults of the table properties that steer maintenance.
const (
	checkpointEvery = 100                 // delta.checkpointInterval
	keepLogFor      = 30 * 24 * time.Hour // delta.logRetentionDuration
	keepRemovedFor  = 7 * 24 * time.Hour  // delta.deletedFileRetentionDuration
)

// Maintain writes a checkpoint when a multiple of the interval has been reached or passed since the newest one, and then removes log entries that are older than the retention and
// that a checkpoint covers. now is in milliseconds since 1970.
func (t *Table) Maintain(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	t.mu.Lock()
	every := int64(interval(s.Properties))
	due := s.Version/every > max(0, t.checkpointed)/every
	t.mu.Unlock()
	if !due || s.Unusable != nil {
		return nil
	}
	if err := t.checkpoint(ctx, s, now); err != nil {
		return fmt.Errorf("checkpoint version %d of %s: %w", s.Version, t, err)
	}
	return t.cleanLog(ctx, s, now)
}

func interval(properties map[string]string) int {
	if n, err := strconv.Atoi(properties["delta.checkpointInterval"]); err == nil && n > 0 {
		return n
	}
	return checkpointEvery
}

// checkpoint writes the state as it was replayed, never what was meant to be written: a checkpoint of a wrong state would damage the table.
func (t *Table) checkpoint(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, s.Version); err != nil {
		return err
	}
	since := now - duration(s.Properties["delta.deletedFileRetentionDuration"], keepRemovedFor).Milliseconds()
	rows := t.known.checkpointRows(since)
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
	t.checkpointed = s.Version
	return nil
}

// cleanLog removes entries and checkpoints below the newest checkpoint that lies before the cut-off.
func (t *Table) cleanLog(ctx context.Context, s lakehouse.Snapshot, now int64) error {
	if strings.EqualFold(s.Properties["delta.enableExpiredLogCleanup"], "false") {
		return nil
	}
	before := now - duration(s.Properties["delta.logRetentionDuration"], keepLogFor).Milliseconds()
	list, err := t.objects.List(ctx, logFolder, "")
	if err != nil {
		return err
	}
	keepFrom := int64(-1) // the newest checkpoint whose entry is older than the retention
	old := map[int64]bool{}
	for _, in := range list {
		if v, ok := versionOf(in.Name); ok && in.Modified < before {
			old[v] = true
		}
	}
	versions, err := t.checkpoints(ctx)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if old[v] {
			keepFrom = v
		}
	}
	for _, in := range list {
		if v, ok := logVersion(in.Name); ok && v < keepFrom {
			if err := t.objects.Delete(ctx, in.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// logVersion is the version that a log entry, its checksum file or a checkpoint belongs to.
func logVersion(name string) (int64, bool) {
	base := path.Base(name)
	digits, rest, ok := strings.Cut(base, ".")
	v, err := strconv.ParseInt(digits, 10, 64)
	known := rest == "json" || rest == "crc" || strings.HasPrefix(rest, "checkpoint")
	return v, ok && err == nil && len(digits) == 20 && known
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
