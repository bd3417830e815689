package exec

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/planner"
)

// sessionOf is the span of a session, microseconds, and the events in it.
type sessionOf struct {
	start, end int64
	events     []event
}

// gapOf is the gap of an event, which differs between rows; ok is false where there is none above zero.
func gapOf(e event) (gap int64, ok bool) {
	gap = map[int64]int64{0: 0, 1: 3 * second, 2: 10 * second}[max(e.v, -e.v)%3]
	return gap, e.v != noValue && gap > 0
}

const sessionQuery = `SELECT session_window.start, session_window.end, k, count(*), sum(v), sort_array(collect_list(id)) FROM events
	GROUP BY session_window(ts, CASE abs(v) % 3 WHEN 0 THEN '0 seconds' WHEN 1 THEN '3 seconds' WHEN 2 THEN '10 seconds' END), k`

// sessionsModel is what an aggregate over sessions must do.
type sessionsModel struct {
	mode planner.OutputMode
	open map[string][]sessionOf // by key
}

// spanOf is the session of an event alone.
func spanOf(e event) (s sessionOf, ok bool) {
	gap, ok := gapOf(e)
	return sessionOf{e.ts, e.ts + gap, []event{e}}, ok && e.ts != noTime
}

// merged merges the first two sessions that meet, those that only touch included, until none do.
func merged(list []sessionOf) []sessionOf {
	for i, a := range list {
		for k, b := range list[i+1:] {
			if a.start <= b.end && b.start <= a.end {
				list = slices.Delete(list, i+1+k, i+2+k)
				list[i] = sessionOf{min(a.start, b.start), max(a.end, b.end), slices.Concat(a.events, b.events)}
				return merged(list)
			}
		}
	}
	return list
}

// round drops late events one by one, before they could join a session, and counts those of a partition with the same span and key once;
// in complete mode, too.
func (m *sessionsModel) round(b round) (d done) {
	for _, rows := range b.rows {
		late := map[string]bool{}
		spans := map[string]bool{}
		for _, e := range rows {
			s, ok := spanOf(e)
			if !ok {
				continue
			}
			group := fmt.Sprint(s.start, s.end, e.k)
			if s.end <= b.late*1000 {
				late[group] = true
				d.lateRows++
				continue
			}
			spans[group] = true
			m.open[e.k] = append(m.open[e.k], s)
		}
		d.stats.LateGroups += int64(len(late))
	}
	for k, list := range m.open {
		list = merged(list)
		m.open[k] = nil
		for _, s := range list {
			ended := m.mode == planner.Append && s.end <= b.evict*1000
			if ended || m.mode == planner.Complete {
				d.out = append(d.out, s.text(k))
			}
			if ended {
				d.stats.Removed++
				continue
			}
			m.open[k] = append(m.open[k], s)
			d.kept++
		}
	}
	slices.Sort(d.out)
	return d
}

func (s sessionOf) text(k string) string {
	var sum int64
	var ids []int64
	for _, e := range s.events {
		sum, ids = sum+e.v, append(ids, e.id)
	}
	slices.Sort(ids)
	return fmt.Sprintf("%d %d %s %d %d %s", s.start, s.end, jsonOf(orNil(k)), len(ids), sum, jsonOf(ids))
}

// Sessions are in every batch those of the model, however rows are cut into tasks, state into shards and time into commits and crashes.
func TestSessionsAgainstModel(t *testing.T) {
	for _, mode := range []planner.OutputMode{planner.Append, planner.Complete} {
		t.Run(mode.String(), func(t *testing.T) {
			p := query(t, mode, Settings{}, nil, 0, sessionQuery)
			rapid.Check(t, func(r *rapid.T) {
				rounds := drawRounds(r, rapid.IntRange(1, 3).Draw(r, "partitions"), drawEvent)
				model := &sessionsModel{mode: mode, open: map[string][]sessionOf{}}
				for i, d := range newMachine(r, p).run(rounds) {
					d.stats.Updated = 0 // spans, of which tasks see some together
					require.Equal(r, model.round(rounds[i]), d, "round %d", i)
				}
			})
		})
	}
}

// Whatever order events come in and however they are cut into batches, the sessions are those of all spans at once, as one walk over the
// sorted spans finds them.
func TestSessionsDoNotDependOnBatches(t *testing.T) {
	p := query(t, planner.Append, Settings{}, nil, 0, sessionQuery)
	rapid.Check(t, func(r *rapid.T) {
		rounds := drawRounds(r, 2, func(r *rapid.T, _ int64) event { return drawEvent(r, 100_000) })
		var all []event
		for i := range rounds {
			rounds[i].late, rounds[i].evict = 0, 0
			all = slices.Concat(append(rounds[i].rows, all)...)
		}
		rounds = append(rounds, round{evict: math.MaxInt64 / 1000})
		out := newMachine(r, p).run(rounds)
		require.Equal(r, walked(all), out[len(rounds)-1].out)
		require.Zero(r, out[len(rounds)-1].kept)
	})
}

// Rows of a session come by the starts of their spans and then by the ends, and a session that is known before new ones with its start.
func TestOrderWithinASession(t *testing.T) {
	p := query(t, planner.Append, Settings{}, nil, 0, `SELECT session_window.start, session_window.end, k, collect_list(id) FROM events
		GROUP BY session_window(ts, CASE WHEN v = 1 THEN '3 seconds' ELSE '10 seconds' END), k`)
	at := func(id, seconds, v int64) event { return event{id: id, ts: seconds * second, k: "a", v: v} }
	rounds := []round{
		{rows: [][]event{{at(1, 5, 2), at(2, 5, 1), at(3, 4, 2)}}},
		{rows: [][]event{{at(4, 4, 2), at(5, 4, 1), at(6, 2, 2)}}},
		{evict: 60_000},
	}
	rapid.Check(t, func(r *rapid.T) {
		require.Equal(r, []string{`2000000 15000000 "a" [6,3,2,1,5,4]`}, newMachine(r, p).run(rounds)[2].out)
	})
}

// walked are the sessions of events, found by walking over their spans from the earliest on.
func walked(events []event) (out []string) {
	spans := map[string][]sessionOf{}
	for _, e := range events {
		if s, ok := spanOf(e); ok {
			spans[e.k] = append(spans[e.k], s)
		}
	}
	for k, list := range spans {
		slices.SortFunc(list, func(a, b sessionOf) int { return cmp.Compare(a.start, b.start) })
		open := list[0]
		for _, s := range list[1:] {
			if s.start > open.end {
				out = append(out, open.text(k))
				open = s
				continue
			}
			open.end, open.events = max(open.end, s.end), append(open.events, s.events...)
		}
		out = append(out, open.text(k))
	}
	slices.Sort(out)
	return out
}
