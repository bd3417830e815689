package exec

import (
	"fmt"
	"math"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// aggregation groups rows by key. Tasks aggregate their rows first; the shards merge these partial aggregates.
type aggregation struct {
	node  *planner.AggregateExec
	keys  int // columns
	calls []*aggregate.Call
	types []columnar.Type // of the keys
	// lateness is how long a complete group takes late rows, microseconds; 0 where groups are never complete.
	lateness int64
}

func newAggregation(n *planner.AggregateExec, lateness int64) *aggregation {
	a := &aggregation{node: n, keys: len(n.Keys), calls: n.Calls}
	for _, k := range n.Keys {
		a.types = append(a.types, k.Type())
	}
	if a.timed() {
		a.lateness = lateness
	}
	return a
}

// entry computes the keys and the inputs of the calls.
func (a *aggregation) entry() []step {
	exprs := withInputs(slices.Clone(a.node.Keys), a.calls)
	return []step{&project{exprs: exprs, out: inputSchema(exprs)}}
}

// withInputs appends the inputs of calls.
func withInputs(exprs []compute.Expr, calls []*aggregate.Call) []compute.Expr {
	for _, c := range calls {
		exprs = append(exprs, c.Inputs()...)
	}
	return exprs
}

// inputSchema names columns by what they are computed from, for messages.
func inputSchema(exprs []compute.Expr) *columnar.Schema {
	out := &columnar.Schema{}
	for _, e := range exprs {
		out.Fields = append(out.Fields, columnar.Field{Name: e.String(), Type: e.Type(), Nullable: true})
	}
	return out
}

func (a *aggregation) newPortion(source string, p offsets.Partition, late int64) Portion {
	return &groups{from: origin{source, p}, op: a, late: late, index: group.NewIndex(a.types), accs: newAccumulators(a.calls)}
}

func (a *aggregation) rises() bool { return a.node.Mode != planner.Complete }

// bounded reports whether the watermark ends groups.
func (a *aggregation) bounded() bool { return a.node.Mode != planner.Complete && a.timed() }

// timed reports whether groups have an event time.
func (a *aggregation) timed() bool {
	if a.node.Session != nil {
		return a.node.Session.Watermarked
	}
	return a.node.Event.Key >= 0
}

// dropsLate reports whether what is late is left out: in complete mode, as in Spark, for sessions alone.
func (a *aggregation) dropsLate() bool {
	return a.timed() && (a.node.Mode != planner.Complete || a.node.Session != nil)
}

// event is the key that tells when a group is complete, and how long after it.
func (a *aggregation) event() (key int, size int64) {
	if a.node.Session != nil {
		return 1, 0 // the end of the span
	}
	return a.node.Event.Key, a.node.Event.Size
}

// ends are the times when groups are forgotten, microseconds: when they are complete and their lateness is over, or never for
// those without an event time.
func (a *aggregation) ends(keys []columnar.Column, n int) []int64 {
	out := make([]int64, n)
	if !a.dropsLate() {
		for i := range out {
			out[i] = math.MaxInt64
		}
		return out
	}
	key, size := a.event()
	event := keys[key]
	values := columnar.FixedValues[int64](event)
	for i := range out {
		out[i] = values[i] + size + a.lateness
		if event.IsNull(i) {
			out[i] = math.MaxInt64
		}
	}
	return out
}

// window is the start and the end of the group of a row.
func (a *aggregation) window(keys []columnar.Column, row int) (start, end int64) {
	key, size := a.event()
	end = columnar.FixedValues[int64](keys[key])[row] + size
	if a.node.Session != nil {
		return columnar.FixedValues[int64](keys[0])[row], end
	}
	return end - size, end
}

// failure is the error of a group, which ends the run: there is no row to blame.
func (a *aggregation) failure(bad *callError, index *group.Index, id int32) error {
	keys := index.Keys(columnar.Selection{id})
	defer releaseAll(keys)
	until := len(a.node.Out.Fields) - len(a.calls)
	row := columnar.NewBatch(columnar.NewSchema(a.node.Out.Fields[until-len(keys):until]...), keys, 1)
	return fmt.Errorf("aggregate %s, group %s: %w", bad.call, columnar.AppendRowJSON(nil, row, 0), bad.err)
}

func releaseAll(cols []columnar.Column) {
	for _, c := range cols {
		c.Release()
	}
}

func (a *aggregation) Begin(shards int) State {
	s := &groupState{op: a, sharded: sharded[*shard]{schema: stateSchema(a.types, nil, a.calls), keys: a.keys}}
	for range shards {
		s.shards = append(s.shards, &shard{op: a, index: group.NewIndex(a.types), accs: newAccumulators(a.calls)})
	}
	return s
}

// groupState is the groups of an aggregate, by the hash of their key in shards.
type groupState struct {
	op *aggregation
	sharded[*shard]
}

// shard is a part of the groups.
type shard struct {
	op      *aggregation
	index   *group.Index
	accs    accumulators
	ends    []int64            // when each group is complete
	least   int64              // of ends; too small after an eviction until the next look
	changed []int64            // the run that changed it last
	touched columnar.Selection // the groups that the running run has changed
}

// Run merges, puts out and forgets.
func (s *groupState) Run(in []Portion, at Moment) ([]*columnar.Batch, Stats, error) {
	s.runs++
	parts, late := deal(in, len(s.shards), at.Late*1000, (*groups).hashes)
	outs, stats, err := runShards(len(s.shards), func(i int) (*columnar.Batch, Stats, error) {
		return s.shards[i].run(in, parts[i], s.runs, i == 0, at)
	})
	stats.LateGroups = late
	return outs, stats, err
}

func (sh *shard) run(in []Portion, parts []columnar.Selection, run int64, first bool, at Moment) (*columnar.Batch, Stats, error) {
	if err := sh.merge(in, parts, run); err != nil {
		return nil, Stats{}, err
	}
	if sh.op.keys == 0 && first {
		sh.whole(run)
	}
	done, open := sh.split(at.Evict * 1000)
	out, err := sh.output(done, run, at)
	if err == nil && len(done) > 0 {
		sh.keep(open)
	}
	return out, Stats{Updated: int64(len(sh.touched)), Removed: int64(len(done))}, err
}

// output is what the mode wants: the groups that are complete, those that have changed, or all.
func (sh *shard) output(done columnar.Selection, run int64, at Moment) (*columnar.Batch, error) {
	switch {
	case sh.op.node.Mode == planner.Append:
		return sh.result(done)
	case sh.op.lateness > 0:
		return sh.result(sh.corrections(run, at))
	case sh.op.node.Mode == planner.Update:
		slices.Sort(sh.touched)
		return sh.result(sh.touched)
	}
	all := make(columnar.Selection, sh.index.Len())
	for id := range all {
		all[id] = int32(id)
	}
	return sh.result(all)
}

// corrections are the groups that have become complete, and the complete ones that late rows have changed.
func (sh *shard) corrections(run int64, at Moment) (ids columnar.Selection) {
	for id, end := range sh.ends {
		complete := end - sh.op.lateness
		if complete <= at.Evict*1000 && (complete > at.Late*1000 || sh.changed[id] == run) {
			ids = append(ids, int32(id))
		}
	}
	return ids
}

// whole touches the only group of an aggregate without keys, which is there even without rows.
func (sh *shard) whole(run int64) {
	sh.index.Add(nil, columnar.Selection{0}, nil)
	sh.grow()
	sh.touch([]int32{0}, run)
}

// touch notes that a run has changed groups.
func (sh *shard) touch(ids []int32, run int64) {
	for _, id := range ids {
		if sh.changed[id] != run {
			sh.changed[id] = run
			sh.touched = append(sh.touched, id)
		}
	}
}

// merge adds partial aggregates.
func (sh *shard) merge(in []Portion, parts []columnar.Selection, run int64) error {
	sh.touched = sh.touched[:0]
	for k, ids := range parts {
		if len(ids) == 0 {
			continue
		}
		if err := sh.take(in[k].(*groups), ids, run); err != nil {
			return err
		}
	}
	return nil
}

func (sh *shard) take(g *groups, ids columnar.Selection, run int64) error {
	keys := g.index.Keys(ids)
	defer releaseAll(keys)
	mine := numbered(sh.index, keys, len(ids), nil)
	sh.grow()
	sh.touch(mine, run)
	if bad := sh.accs.merge(mine, &g.accs, ids); bad != nil {
		return sh.op.failure(bad, sh.index, mine[bad.at])
	}
	return nil
}

// grow makes room for the groups that the index has got; they count as stored until they are touched.
func (sh *shard) grow() {
	from, n := len(sh.changed), sh.index.Len()
	if from == n {
		return
	}
	fresh := make(columnar.Selection, 0, n-from)
	for id := from; id < n; id++ {
		fresh, sh.changed = append(fresh, int32(id)), append(sh.changed, 0)
	}
	keys := sh.index.Keys(fresh)
	if from == 0 {
		sh.least = math.MaxInt64
	}
	for _, end := range sh.op.ends(keys, len(fresh)) {
		sh.ends, sh.least = append(sh.ends, end), min(sh.least, end)
	}
	releaseAll(keys)
	sh.accs.resize(n)
}

// split parts the groups: complete by a time, and not. It lists neither if none is complete.
func (sh *shard) split(limit int64) (done, open columnar.Selection) {
	if len(sh.ends) == 0 || sh.least > limit {
		return nil, nil
	}
	sh.least = math.MaxInt64
	open = make(columnar.Selection, 0, len(sh.ends))
	for id, end := range sh.ends {
		if end <= limit {
			done = append(done, int32(id))
		} else {
			open = append(open, int32(id))
			sh.least = min(sh.least, end)
		}
	}
	return done, open
}

// result is the keys and the results of some groups, nil without any.
func (sh *shard) result(ids columnar.Selection) (*columnar.Batch, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	cols, bad := sh.accs.results(sh.index.Keys(ids), ids)
	if bad != nil {
		return nil, sh.op.failure(bad, sh.index, ids[bad.at])
	}
	return columnar.NewBatch(sh.op.node.Out, cols, len(ids)), nil
}

// keep forgets all other groups.
func (sh *shard) keep(ids columnar.Selection) {
	sh.index.Keep(ids)
	sh.accs.keep(ids)
	sh.ends, sh.changed = columnar.Keep(sh.ends, ids), columnar.Keep(sh.changed, ids)
}
