package exec

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/planner"
)

// dedupModel is what a deduplication must do.
type dedupModel struct {
	keys    []string
	within  bool
	delay   int64 // microseconds
	expires map[string]int64
}

func (m *dedupModel) key(e event) string {
	parts := map[string]string{"k": e.k, "ts": fmt.Sprint(e.ts), "v": fmt.Sprint(e.v)}
	key := ""
	for _, k := range m.keys {
		key += parts[k] + "|"
	}
	return key
}

// expiry is the watermark, in microseconds, that ends the key of a first row. Spark reads a missing time as 1970 where keys are kept for a
// while, and keeps the key for ever where the time is part of it.
func (m *dedupModel) expiry(e event) int64 {
	switch {
	case m.within && e.ts == noTime:
		return m.delay
	case m.within:
		return e.ts + m.delay
	case slices.Contains(m.keys, "ts") && e.ts != noTime:
		return e.ts
	}
	return math.MaxInt64
}

// round drops late rows, each counted, and passes the first row of a key by partition and offset.
func (m *dedupModel) round(b round) (d done) {
	for _, rows := range b.rows {
		for _, e := range rows {
			if e.ts != noTime && e.ts <= b.late*1000 {
				d.stats.LateGroups++
				d.lateRows++
				continue
			}
			if _, known := m.expires[m.key(e)]; !known {
				m.expires[m.key(e)] = m.expiry(e)
				d.stats.Updated++
				d.out = append(d.out, fmt.Sprint(e.id))
			}
		}
	}
	for key, at := range m.expires {
		if at <= b.evict*1000 {
			delete(m.expires, key)
			d.stats.Removed++
		}
	}
	slices.Sort(d.out)
	d.kept = int64(len(m.expires))
	return d
}

// The first row of a key passes, whatever rows are cut into, until the key is forgotten.
func TestDedupAgainstModel(t *testing.T) {
	for _, c := range []dedupModel{
		{keys: []string{"k"}},
		{keys: []string{"k", "v"}},
		{keys: []string{"k", "ts"}},
		{keys: []string{"ts"}},
		{keys: []string{"k"}, within: true, delay: 5 * second},
		{keys: []string{"k", "v"}, within: true},
	} {
		t.Run(fmt.Sprintf("%v within=%v delay=%d", c.keys, c.within, c.delay), func(t *testing.T) {
			p := query(t, planner.Append, Settings{}, &planner.DedupRule{Keys: c.keys, Within: c.within}, c.delay, "SELECT id FROM events")
			rapid.Check(t, func(r *rapid.T) {
				rounds := drawRounds(r, rapid.IntRange(1, 3).Draw(r, "partitions"), drawEvent)
				model := c
				model.expires = map[string]int64{}
				for i, d := range newMachine(r, p).run(rounds) {
					require.Equal(r, model.round(rounds[i]), d, "round %d", i)
				}
			})
		})
	}
}
