package delta

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// In-commit timestamps: each entry carries the time of its commit, which is later than that of the entry before it, whatever the
// clocks of the writers say.

const stampKey = "inCommitTimestamp"

// stampFeature is what a table with such entries must name, for writers.
const stampFeature = "inCommitTimestamp"

// stamped reports whether entries must carry their time.
func (g ground) stamped() bool { return g.meta != nil && asksStamps(g.meta.Configuration) }

func asksStamps(properties map[string]string) bool {
	return strings.EqualFold(properties["delta.enableInCommitTimestamps"], "true")
}

// next is the time of the entry after the base, in milliseconds since 1970.
func (g ground) next(now int64) int64 { return max(now, g.stamp+1) }

// stampOf is the time in a commitInfo, 0 if it has none.
func stampOf(info map[string]any) int64 {
	ms, _ := info[stampKey].(json.Number)
	n, _ := ms.Int64()
	return n
}

// readStamp reads the time of an entry, which must have one.
func (t *Table) readStamp(ctx context.Context, version int64) (int64, error) {
	h := newHead()
	if _, err := t.readInto(ctx, h, version); err != nil {
		return 0, err
	}
	if h.stamp == 0 {
		return 0, fmt.Errorf("%w: version %d has no %s", errDamaged, version, stampKey)
	}
	return h.stamp, nil
}
