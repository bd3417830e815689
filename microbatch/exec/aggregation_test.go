package exec

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/planner"
)

// groupOf is a group: what it counts from, a window or a time, and a key.
type groupOf struct {
	at int64 // microseconds
	k  string
}

// grouping is a way to group events.
type grouping struct {
	name   string
	keys   string // of the query
	of     func(e event) []groupOf
	end    func(g groupOf) int64 // when the group is complete, microseconds; nil: groups have no end
	print  func(g groupOf) string
	always bool // there is one group, also without rows
}

const (
	windowSize  = 10 * second
	windowSlide = 4 * second
)

var (
	slidingWindows = grouping{name: "windows", keys: "window(ts, '10 seconds', '4 seconds'), k", of: windowsOf, end: func(g groupOf) int64 { return g.at + windowSize },
		print: func(g groupOf) string { return fmt.Sprint(g.at, " ", jsonOf(orNil(g.k)), " ") }}
	byTime = grouping{name: "times", keys: "ts", of: func(e event) []groupOf { return []groupOf{{at: e.ts}} }, end: func(g groupOf) int64 {
		if g.at == noTime {
			return math.MaxInt64
		}
		return g.at
	}, print: func(g groupOf) string {
		if g.at == noTime {
			return "null "
		}
		return fmt.Sprint(g.at, " ")
	}}
	byKey = grouping{name: "keys", keys: "k", of: func(e event) []groupOf { return []groupOf{{k: e.k}} }, print: func(g groupOf) string { return jsonOf(orNil(g.k)) + " " }}
	all   = grouping{name: "one group", of: func(event) []groupOf { return []groupOf{{}} }, print: func(groupOf) string { return "" }, always: true}
)

// windowsOf tries every window near an event.
func windowsOf(e event) (out []groupOf) {
	if e.ts == noTime {
		return nil
	}
	near := e.ts / windowSlide
	for i := near - 4; i <= near+4; i++ {
		if start := i * windowSlide; start <= e.ts && e.ts < start+windowSize {
			out = append(out, groupOf{start, e.k})
		}
	}
	return out
}

// query is the aggregates by the keys.
func (g grouping) query() string {
	const calls = "count(*), sum(v), min(v), first(v), collect_list(v) FROM events"
	if g.keys == "" {
		return "SELECT " + calls
	}
	return "SELECT " + strings.Replace(g.keys, "window(ts, '10 seconds', '4 seconds')", "window.start", 1) + ", " + calls + " GROUP BY " + g.keys
}

// groupsModel is what an aggregate must do. It keeps all rows of a group.
type groupsModel struct {
	grouping
	mode     planner.OutputMode
	lateness int64 // microseconds
	groups   map[groupOf]*groupRows
}

type groupRows struct {
	rows    []event
	changed int // round
}

// round runs a batch as Spark defines it: groups that are late by the watermark of the batch before are dropped, and counted partition by
// partition; what this one's has reached is given up.
func (m *groupsModel) round(number int, b round) (d done) {
	if m.always {
		m.touch(number, groupOf{})
	}
	for _, rows := range b.rows {
		late, lateRows := map[groupOf]bool{}, map[int64]bool{}
		for _, e := range rows {
			for _, g := range m.of(e) {
				if m.ended(g, m.lateness, b.late) {
					late[g], lateRows[e.id] = true, true
					continue
				}
				m.touch(number, g)
				m.groups[g].rows = append(m.groups[g].rows, e)
			}
		}
		d.stats.LateGroups, d.lateRows = d.stats.LateGroups+int64(len(late)), d.lateRows+int64(len(lateRows))
	}
	for g, rows := range m.groups {
		if rows.changed == number {
			d.stats.Updated++
		}
		if m.emits(rows.changed == number, m.ended(g, 0, b.evict), !m.ended(g, 0, b.late)) {
			d.out = append(d.out, m.print(g)+rows.results())
		}
		if m.ended(g, m.lateness, b.evict) {
			delete(m.groups, g)
			d.stats.Removed++
		}
	}
	slices.Sort(d.out)
	d.kept = int64(len(m.groups))
	return d
}

// ended reports whether a watermark, in milliseconds, is past a group by a lateness, in microseconds. In complete mode none ever ends.
func (m *groupsModel) ended(g groupOf, lateness, watermark int64) bool {
	if m.end == nil || m.mode == planner.Complete {
		return false
	}
	end := m.end(g)
	return end != math.MaxInt64 && end+lateness <= watermark*1000
}

func (m *groupsModel) touch(number int, g groupOf) {
	if m.groups[g] == nil {
		m.groups[g] = &groupRows{}
	}
	m.groups[g].changed = number
}

// emits says whether a group is put out. now: the batch's watermark is the first that has reached its end.
func (m *groupsModel) emits(changed, complete, now bool) bool {
	switch {
	case m.mode == planner.Append:
		return complete
	case m.lateness > 0 && m.end != nil:
		return complete && (now || changed)
	case m.mode == planner.Update:
		return changed
	}
	return true
}

// results prints the aggregates.
func (g *groupRows) results() string {
	var sum, least, first any
	values := []int64{}
	for i, e := range g.rows {
		if e.v == noValue {
			continue
		}
		if i == 0 {
			first = e.v
		}
		values = append(values, e.v)
		total, _ := sum.(int64)
		sum, least = total+e.v, slices.Min(values)
	}
	return fmt.Sprintf("%d %s %s %s %s", len(g.rows), jsonOf(sum), jsonOf(least), jsonOf(first), jsonOf(values))
}

func orNil(k string) any {
	if k == "" {
		return nil
	}
	return k
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Aggregates give in every batch what the model gives, however rows are cut into tasks, state into shards and time into commits
// and crashes. first and collect_list go by partition and offset, whoever was faster.
func TestAggregationAgainstModel(t *testing.T) {
	for _, c := range []struct {
		grouping
		mode     planner.OutputMode
		lateness time.Duration
	}{
		{slidingWindows, planner.Append, 0},
		{slidingWindows, planner.Update, 0},
		{slidingWindows, planner.Update, 5 * time.Second},
		{slidingWindows, planner.Complete, 0},
		{byTime, planner.Append, 0},
		{byTime, planner.Update, time.Second},
		{byKey, planner.Update, 0},
		{byKey, planner.Update, 5 * time.Second},
		{byKey, planner.Complete, 0},
		{all, planner.Update, 0},
		{all, planner.Complete, 0},
	} {
		t.Run(fmt.Sprintf("%s, %s, lateness %s", c.name, c.mode, c.lateness), func(t *testing.T) {
			p := query(t, c.mode, Settings{Lateness: c.lateness}, nil, 0, c.query())
			rapid.Check(t, func(r *rapid.T) {
				rounds := drawRounds(r, rapid.IntRange(1, 3).Draw(r, "partitions"), drawEvent)
				model := &groupsModel{grouping: c.grouping, mode: c.mode, lateness: c.lateness.Microseconds(), groups: map[groupOf]*groupRows{}}
				for i, d := range newMachine(r, p).run(rounds) {
					require.Equal(r, model.round(i, rounds[i]), d, "round %d", i)
				}
			})
		})
	}
}
