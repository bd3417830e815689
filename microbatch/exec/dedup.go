package exec

import (
	"math"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// dedup passes the first row of each key, in the order of portions and rows.
type dedup struct {
	node  *planner.DedupExec
	types []columnar.Type // of the keys
	event bool            // the key is forgotten some time
	timed bool            // rows have an event time and can be late
}

func newDedup(n *planner.DedupExec) *dedup {
	d := &dedup{node: n, event: n.Within, timed: n.EventTime >= 0}
	for _, k := range n.Keys {
		d.types = append(d.types, n.Schema().Fields[k].Type)
		d.event = d.event || k == n.EventTime
	}
	return d
}

func (d *dedup) entry() []step { return nil }

func (d *dedup) newPortion(source string, p offsets.Partition, late int64) Portion {
	return &kept{from: origin{source, p}, op: d, late: late}
}

// noteLate collects the rows of a flow that are late.
func (d *dedup) noteLate(f *flow, limit int64, late *lateRows) {
	if !d.timed {
		return
	}
	times := f.batch.Column(d.node.EventTime)
	for i, t := range columnar.FixedValues[int64](times) {
		if t <= limit && times.IsValid(i) {
			late.add(f.raw(int32(i)), t, t, false)
		}
	}
}

func (d *dedup) rises() bool { return true }

func (d *dedup) Begin(shards int) State {
	more := []columnar.Field{{Name: "expires", Type: columnar.BigInt}}
	s := &dedupState{op: d, sharded: sharded[*dedupShard]{schema: stateSchema(d.types, more, nil), keys: len(d.types)}}
	for range shards {
		s.shards = append(s.shards, &dedupShard{index: group.NewIndex(d.types), least: math.MaxInt64})
	}
	return s
}

// dedupState is the keys that were seen, by their hash in shards.
type dedupState struct {
	op *dedup
	sharded[*dedupShard]
}

type dedupShard struct {
	index   *group.Index
	expires []int64 // microseconds: the watermark that ends the key
	least   int64   // no key expires before
	changed []int64
}

// candidates are the rows of a batch that are the first of their key in it, and not late.
type candidates struct {
	batch   *columnar.Batch
	keys    []columnar.Column
	expires []int64
	shard   [][]int32 // rows, by shard
	pass    []bool    // by row; a row is written by its shard alone
}

func (s *dedupState) Run(in []Portion, at Moment) ([]*columnar.Batch, Stats, error) {
	s.runs++
	var stats Stats
	var list []*candidates
	for _, p := range in {
		k := p.(*kept)
		for _, b := range k.batches {
			c, late := s.candidates(b, at.Late*1000)
			list = append(list, c)
			stats.LateGroups += late
		}
	}
	_, changes, err := runShards(len(s.shards), func(i int) (*columnar.Batch, Stats, error) {
		updated := s.shards[i].take(list, i, s.runs)
		return nil, Stats{Updated: updated, Removed: s.shards[i].evict(at.Evict * 1000)}, nil
	})
	stats.Add(changes)
	return passed(list), stats, err
}

func (s *dedupState) candidates(b *columnar.Batch, limit int64) (*candidates, int64) {
	c := &candidates{batch: b, shard: make([][]int32, len(s.shards)), pass: make([]bool, b.Rows())}
	for _, k := range s.op.node.Keys {
		c.keys = append(c.keys, b.Column(k))
	}
	onTime, late := s.onTime(b, limit)
	c.expires = s.expiry(b)
	index, seen := group.NewIndex(s.op.types), -1
	for i, id := range index.Add(c.keys, onTime, nil) {
		if int(id) <= seen {
			continue
		}
		seen = int(id)
		shard := index.Hash(id) % uint64(len(s.shards))
		c.shard[shard] = append(c.shard[shard], onTime[i])
	}
	return c, late
}

// onTime lists the rows that are not late.
func (s *dedupState) onTime(b *columnar.Batch, limit int64) (rows columnar.Selection, late int64) {
	rows = make(columnar.Selection, 0, b.Rows())
	if !s.op.timed {
		for i := range b.Rows() {
			rows = append(rows, int32(i))
		}
		return rows, 0
	}
	times := b.Column(s.op.node.EventTime)
	values := columnar.FixedValues[int64](times)
	for i, t := range values {
		if times.IsNull(i) || t > limit {
			rows = append(rows, int32(i))
		} else {
			late++
		}
	}
	return rows, late
}

// expiry says when the key of each row is forgotten, should the row be its first.
func (s *dedupState) expiry(b *columnar.Batch) []int64 {
	out := make([]int64, b.Rows())
	for i := range out {
		out[i] = math.MaxInt64
	}
	if !s.op.event {
		return out
	}
	times := b.Column(s.op.node.EventTime)
	for i, t := range columnar.FixedValues[int64](times) {
		switch {
		case s.op.node.Within && times.IsNull(i):
			out[i] = s.op.node.Delay // Spark reads a missing time as 1970 here
		case s.op.node.Within:
			out[i] = t + s.op.node.Delay
		case times.IsValid(i):
			out[i] = t
		}
	}
	return out
}

// take adds the keys that are new and passes their rows.
func (sh *dedupShard) take(list []*candidates, shard int, run int64) (updated int64) {
	for _, c := range list {
		rows := c.shard[shard]
		if len(rows) == 0 {
			continue
		}
		known := sh.index.Len()
		for i, id := range sh.index.Add(c.keys, rows, nil) {
			if int(id) < known || int(id) < len(sh.expires) {
				continue
			}
			sh.note(c.expires[rows[i]], run)
			c.pass[rows[i]] = true
			updated++
		}
	}
	return updated
}

// note adds what is kept of the key that the index got last.
func (sh *dedupShard) note(expires, run int64) {
	sh.expires, sh.changed, sh.least = append(sh.expires, expires), append(sh.changed, run), min(sh.least, expires)
}

func (sh *dedupShard) evict(limit int64) int64 {
	if sh.least > limit {
		return 0
	}
	sh.least = math.MaxInt64
	all := len(sh.expires)
	keep := make(columnar.Selection, 0, all)
	for id, end := range sh.expires {
		if end > limit {
			keep = append(keep, int32(id))
			sh.least = min(sh.least, end)
		}
	}
	sh.index.Keep(keep)
	sh.expires, sh.changed = columnar.Keep(sh.expires, keep), columnar.Keep(sh.changed, keep)
	return int64(all - len(keep))
}

// passed are the rows that pass, batch by batch.
func passed(list []*candidates) (out []*columnar.Batch) {
	for _, c := range list {
		rows := make(columnar.Selection, 0, len(c.pass))
		for i, yes := range c.pass {
			if yes {
				rows = append(rows, int32(i))
			}
		}
		if len(rows) > 0 {
			out = append(out, columnar.GatherBatch(c.batch, rows))
		}
	}
	return out
}

func (sh *dedupShard) rows() int { return sh.index.Len() }

func (sh *dedupShard) bytes() int64 { return sh.index.Bytes() + int64(16*len(sh.expires)) }

func (sh *dedupShard) changedSince(run int64) columnar.Selection { return laterThan(sh.changed, run) }

func (sh *dedupShard) stored(ids columnar.Selection) []columnar.Column {
	return append(sh.index.Keys(ids), columnar.NewInt64Column(columnar.Pick(sh.expires, ids), nil))
}

func (s *dedupState) Load(rows *columnar.Batch, evicted int64) error {
	keys := rows.Columns()[:len(s.op.types)]
	expires := columnar.FixedValues[int64](rows.Column(len(s.op.types)))
	parts := dealRows(rows, s.op.types, len(s.shards), expires, evicted*1000)
	return eachPart(parts, func(i int, sel columnar.Selection) error {
		s.shards[i].index.Add(keys, sel, nil)
		for _, row := range sel {
			s.shards[i].note(expires[row], 0)
		}
		return nil
	})
}
