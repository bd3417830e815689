package exec

import (
	"cmp"
	"math"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// sessions groups rows of a key whose spans meet. Tasks aggregate the rows of equal spans, as Spark does, so that late ones are
// counted and left out one by one; the shards merge spans.
type sessions struct {
	spans *aggregation // of start, end and keys
	node  *planner.AggregateExec
	types []columnar.Type // of the keys
}

func newSessions(n *planner.AggregateExec) *sessions {
	s := &sessions{node: n}
	for _, k := range n.Keys {
		s.types = append(s.types, k.Type())
	}
	s.spans = &aggregation{node: n, keys: 2 + len(n.Keys), calls: n.Calls,
		types: append([]columnar.Type{columnar.Timestamp, columnar.Timestamp}, s.types...)}
	return s
}

func (s *sessions) entry() []step {
	exprs := withInputs(append([]compute.Expr{s.node.Session.Time, s.node.Session.Gap}, s.node.Keys...), s.node.Calls)
	in := inputSchema(exprs)
	out := columnar.NewSchema(slices.Clone(in.Fields)...)
	out.Fields[1].Type = columnar.Timestamp
	return []step{&project{exprs: exprs, out: in}, &spans{out: out}}
}

func (s *sessions) newPortion(source string, p offsets.Partition, late int64) Portion {
	return &groups{from: origin{source, p}, op: s.spans, late: late, index: group.NewIndex(s.spans.types), accs: newAccumulators(s.node.Calls)}
}

func (s *sessions) rises() bool { return s.node.Mode != planner.Complete }

func (s *sessions) Begin(shards int) State {
	more := []columnar.Field{{Name: "start", Type: columnar.Timestamp}, {Name: "end", Type: columnar.Timestamp}}
	st := &sessionState{op: s, sharded: sharded[*sessionShard]{schema: stateSchema(s.types, more, s.node.Calls), keys: len(s.types)}}
	for range shards {
		st.shards = append(st.shards, &sessionShard{op: s, index: group.NewIndex(s.types), accs: newAccumulators(s.node.Calls)})
	}
	return st
}

// sessionState is the open sessions, by the hash of their key in shards.
type sessionState struct {
	op *sessions
	sharded[*sessionShard]
}

// sessionShard holds sessions in slices by number; index numbers their keys.
type sessionShard struct {
	op         *sessions
	index      *group.Index
	accs       accumulators
	key        []int32
	start, end []int64
	dead       []bool  // merged into another one
	changed    []int64 // by key: the run that changed its sessions last
}

// Run merges spans into sessions, puts out and forgets. A span is late by itself, before it is merged with anything: in
// complete mode, too, as Spark has it for sessions alone.
func (s *sessionState) Run(in []Portion, at Moment) ([]*columnar.Batch, Stats, error) {
	s.runs++
	parts, late := deal(in, len(s.shards), at.Late*1000, func(g *groups) []uint64 {
		keys := g.index.Keys(nil)
		defer releaseAll(keys)
		return hashes(s.op.types, keys[2:], g.index.Len())
	})
	outs, stats, err := runShards(len(s.shards), func(i int) (*columnar.Batch, Stats, error) {
		return s.shards[i].run(in, parts[i], s.runs, at.Evict*1000)
	})
	stats.LateGroups = late
	return outs, stats, err
}

func (sh *sessionShard) run(in []Portion, parts []columnar.Selection, run, evict int64) (*columnar.Batch, Stats, error) {
	var stats Stats
	known := len(sh.key)
	for k, ids := range parts {
		if len(ids) == 0 {
			continue
		}
		if err := sh.take(in[k].(*groups), ids, run); err != nil {
			return nil, stats, err
		}
		stats.Updated += int64(len(ids))
	}
	if err := sh.mergeTouched(run, int32(known)); err != nil {
		return nil, stats, err
	}
	done, open := sh.split(evict)
	stats.Removed = int64(len(done))
	ids := done
	if sh.op.node.Mode == planner.Complete {
		ids = open
	}
	out, err := sh.result(ids)
	if err == nil {
		sh.keep(open)
	}
	return out, stats, err
}

// take makes a session of every span.
func (sh *sessionShard) take(g *groups, ids columnar.Selection, run int64) error {
	cols := g.index.Keys(ids)
	defer releaseAll(cols)
	mine := sh.add(cols[2:], cols[0], cols[1])
	for _, id := range mine {
		sh.changed[sh.key[id]] = run
	}
	if bad := sh.accs.merge(mine, &g.accs, ids); bad != nil {
		return sh.op.spans.failure(bad, sh.index, sh.key[mine[bad.at]])
	}
	return nil
}

// add makes sessions, whose aggregates are still those of no rows, and returns their numbers. New keys count as stored until a run changes them.
func (sh *sessionShard) add(keys []columnar.Column, starts, ends columnar.Column) []int32 {
	from, n := len(sh.key), starts.Len()
	sh.key = append(sh.key, numbered(sh.index, keys, n, nil)...)
	sh.start = append(sh.start, columnar.FixedValues[int64](starts)...)
	sh.end = append(sh.end, columnar.FixedValues[int64](ends)...)
	sh.dead = append(sh.dead, make([]bool, n)...)
	sh.changed = append(sh.changed, make([]int64, sh.index.Len()-len(sh.changed))...)
	sh.accs.resize(len(sh.key))
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(from + i)
	}
	return ids
}

// mergeTouched merges the sessions that meet, those that only touch included, of the keys that got spans. Their rows come in the order of
// the starts and then of the ends, as Spark sorts them; what was known before comes first.
func (sh *sessionShard) mergeTouched(run int64, known int32) error {
	var ids []int32
	for id, k := range sh.key {
		if sh.changed[k] == run {
			ids = append(ids, int32(id))
		}
	}
	rank := func(id int32) int64 {
		if id < known {
			return math.MinInt64
		}
		return sh.end[id]
	}
	slices.SortStableFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(sh.key[a], sh.key[b]), cmp.Compare(sh.start[a], sh.start[b]), cmp.Compare(rank(a), rank(b)))
	})
	var into, from []int32
	for i := 0; i < len(ids); {
		root := ids[i]
		for i++; i < len(ids) && sh.key[ids[i]] == sh.key[root] && sh.start[ids[i]] <= sh.end[root]; i++ {
			into, from = append(into, root), append(from, ids[i])
			sh.end[root] = max(sh.end[root], sh.end[ids[i]])
			sh.dead[ids[i]] = true
		}
	}
	if len(from) == 0 {
		return nil
	}
	if bad := sh.accs.merge(into, &sh.accs, from); bad != nil {
		return sh.op.spans.failure(bad, sh.index, sh.key[into[bad.at]])
	}
	return nil
}

// split parts the sessions: ended by a time, and not.
func (sh *sessionShard) split(limit int64) (done, open columnar.Selection) {
	bounded := sh.op.spans.bounded()
	open = make(columnar.Selection, 0, len(sh.key))
	for id, end := range sh.end {
		switch {
		case sh.dead[id]:
		case bounded && end <= limit:
			done = append(done, int32(id))
		default:
			open = append(open, int32(id))
		}
	}
	return done, open
}

func (sh *sessionShard) result(ids columnar.Selection) (*columnar.Batch, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	cols, bad := sh.accs.results(append(sh.bounds(ids), sh.keysOf(ids)...), ids)
	if bad != nil {
		return nil, sh.op.spans.failure(bad, sh.index, sh.key[ids[bad.at]])
	}
	return columnar.NewBatch(sh.op.node.Out, cols, len(ids)), nil
}

// bounds are the starts and the ends of sessions.
func (sh *sessionShard) bounds(ids columnar.Selection) []columnar.Column {
	return []columnar.Column{columnar.NewTimestampColumn(columnar.Pick(sh.start, ids), nil), columnar.NewTimestampColumn(columnar.Pick(sh.end, ids), nil)}
}

// keysOf are the keys of sessions.
func (sh *sessionShard) keysOf(ids columnar.Selection) []columnar.Column {
	return sh.index.Keys(columnar.Pick(sh.key, ids))
}

// keep forgets all other sessions, and the keys that have none left.
func (sh *sessionShard) keep(open columnar.Selection) {
	if len(open) == len(sh.key) {
		return
	}
	sh.key, sh.start, sh.end, sh.dead = columnar.Keep(sh.key, open), columnar.Keep(sh.start, open), columnar.Keep(sh.end, open), columnar.Keep(sh.dead, open)
	sh.accs.keep(open)
	used := make([]int32, sh.index.Len())
	for _, k := range sh.key {
		used[k] = 1
	}
	var keys columnar.Selection
	for k, yes := range used {
		if yes == 1 {
			used[k] = int32(len(keys))
			keys = append(keys, int32(k))
		}
	}
	sh.index.Keep(keys)
	sh.changed = columnar.Keep(sh.changed, keys)
	for i, k := range sh.key {
		sh.key[i] = used[k]
	}
}

func (sh *sessionShard) rows() int { return len(sh.key) }

func (sh *sessionShard) bytes() int64 {
	return sh.index.Bytes() + int64(29*len(sh.key)) + sh.accs.bytes()
}

// changedSince lists all sessions of a key that changed.
func (sh *sessionShard) changedSince(run int64) columnar.Selection {
	var ids columnar.Selection
	for id, k := range sh.key {
		if sh.changed[k] > run {
			ids = append(ids, int32(id))
		}
	}
	return ids
}

func (sh *sessionShard) stored(ids columnar.Selection) []columnar.Column {
	return append(append(sh.keysOf(ids), sh.bounds(ids)...), sh.accs.states(ids)...)
}

func (s *sessionState) Load(rows *columnar.Batch, evicted int64) error {
	var ends []int64
	if s.op.spans.bounded() {
		ends = columnar.FixedValues[int64](rows.Column(len(s.op.types) + 1))
	}
	parts := dealRows(rows, s.op.types, len(s.shards), ends, evicted*1000)
	return eachPart(parts, func(i int, sel columnar.Selection) error { return s.shards[i].load(columnar.GatherBatch(rows, sel)) })
}

func (sh *sessionShard) load(rows *columnar.Batch) error {
	defer rows.Release()
	cols, n := rows.Columns(), len(sh.op.types)
	return sh.accs.load(sh.add(cols[:n], cols[n], cols[n+1]), cols[n+2:])
}
