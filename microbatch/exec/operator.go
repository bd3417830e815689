package exec

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// Operator is a stateful operator with the stateless ones above it. What they make goes to another operator or to the sink.
type Operator struct {
	Kind   string             // "window_aggregate", "aggregate", "session_aggregate", "dedup", "dedup_within"
	Made   committer.Operator // what its state is made of
	calls  []*aggregate.Call
	keys   int   // columns of keys in the stored state
	plain  []int // those that are no time that says when state ends
	target int
	above  []step
	stateful
}

// passes reports whether the operator puts out rows that it took, as they were.
func (op *Operator) passes() bool {
	_, ok := op.stateful.(*dedup)
	return ok
}

// stateful is what a kind of operator does. It is used by one goroutine, and starts its own.
type stateful interface {
	// entry are the steps that make of the rows of the input what a portion takes.
	entry() []step
	newPortion(source string, p offsets.Partition, late int64) Portion
	// rises reports whether a batch without data is due when the watermark has risen, by Spark's rule: whatever the keys are.
	rises() bool
	// timeKey is the position of the event time among the keys in the stored state, -1 if it is not there.
	timeKey() int
	// endsBy says when the watermark ends state, nil if it never does.
	endsBy() *committer.Ends
	// Begin makes empty state in so many shards, each of which a goroutine of its own works on.
	Begin(shards int) State
}

// State is the state of an operator. It changes only in Run; a batch that failed there must not run again on it.
type State interface {
	// Run takes the portions of a batch, in their order, and returns what the operator puts out; the caller releases it.
	Run(in []Portion, at Moment) ([]*columnar.Batch, Stats, error)
	// Rows is the number of groups, sessions or keys.
	Rows() int64
	// Bytes is about what the state takes in memory.
	Bytes() int64
	// Schema describes the rows in which state is stored.
	Schema() *columnar.Schema
	// Changed lists what changed in the runs after a number of them; all there is after -1.
	Changed(after int64) Changes
	// Copy makes rows of Schema of what Changed lists, nil of nothing.
	Copy(c Changes) (*columnar.Batch, error)
	// Runs counts the calls of Run.
	Runs() int64
	// Load adds rows of Schema, as Copy made them, of keys that are not there yet, except what ends by the watermark, in milliseconds.
	Load(rows *columnar.Batch, evicted int64) error
	// EachKey calls f with the keys of all rows, some at a time; f borrows them.
	EachKey(f func(keys []columnar.Column))
	// KeyColumns is how many columns of Schema, the first ones, tell state apart that Changed gives whole.
	KeyColumns() int
}

// Stats are what a batch did to an operator's state.
type Stats struct {
	Updated, Removed int64
	LateGroups       int64 // distinct late groups per partition, or late rows where rows are kept
}

// Add sums stats.
func (s *Stats) Add(o Stats) {
	s.Updated, s.Removed, s.LateGroups = s.Updated+o.Updated, s.Removed+o.Removed, s.LateGroups+o.LateGroups
}

func newOperator(n planner.PhysicalNode, above []step, target int, lateness int64) *Operator {
	op := &Operator{above: above, target: target}
	switch n := n.(type) {
	case *planner.DedupExec:
		op.Kind, op.stateful, op.keys = "dedup", newDedup(n), len(n.Keys)
		if n.Within {
			op.Kind = "dedup_within"
		}
	case *planner.AggregateExec:
		op.calls, op.keys = n.Calls, len(n.Keys)
		switch {
		case n.Session != nil:
			op.Kind = "session_aggregate"
			op.stateful = newSessions(n)
		default:
			op.Kind = "aggregate"
			if n.Event.Key >= 0 && n.Event.Size > 0 {
				op.Kind = "window_aggregate"
			}
			op.stateful = newAggregation(n, lateness)
		}
	}
	return op
}

// Above takes what an operator puts out through the stateless operators above it. The rows go to the sink, or to the portion that
// is returned. There is no source row to blame for an error: it ends the run.
func (p *Program) Above(position int, out *columnar.Batch, at Moment) (rows *columnar.Batch, portion Portion, target int, err error) {
	op := p.Operators[position]
	eval := compute.NewDefaultEvaluator()
	eval.SetTime(at.Batch * 1000)
	out.Retain()
	f := &flow{batch: out}
	defer f.release()
	if err := runSteps(eval, op.above, f); err != nil {
		return nil, nil, op.target, err
	}
	if len(f.failed) > 0 {
		return nil, nil, op.target, fmt.Errorf("operator %s, row %s: %w", op.Kind, columnar.AppendRowJSON(nil, out, int(f.failed[0].Row)), f.failed[0].Err)
	}
	if op.target == ToSink {
		f.batch.Retain()
		return f.batch, nil, ToSink, nil
	}
	portion = p.Operators[op.target].newPortion("", offsets.Partition{}, at.Late*1000)
	return nil, portion, op.target, portion.add(f, &lateRows{})
}

// Finish sorts and cuts a complete result.
func (p *Program) Finish(rows *columnar.Batch, at Moment) (*columnar.Batch, error) {
	eval := compute.NewDefaultEvaluator()
	eval.SetTime(at.Batch * 1000)
	rows.Retain()
	f := &flow{batch: rows}
	if err := runSteps(eval, p.finish, f); err != nil {
		f.release()
		return nil, err
	}
	if len(f.failed) > 0 {
		f.release()
		return nil, f.failed[0].Err
	}
	return f.batch, nil
}
