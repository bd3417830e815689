package exec

import (
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/planner"
)

// describe gives every operator what a record says of it.
func (p *Program) describe(plan planner.PhysicalNode) {
	for i, made := range planner.Operators(plan) {
		op := p.Operators[i]
		op.Made = committer.Operator{Name: fmt.Sprintf("%d:%s", i, op.Kind), Kind: made.Kind, Mode: made.Mode, Ends: op.endsBy()}
		for _, k := range made.Keys {
			op.Made.Keys = append(op.Made.Keys, committer.OperatorKey(k))
		}
		for _, c := range made.Calls {
			op.Made.Calls = append(op.Made.Calls, committer.OperatorCall(c))
		}
		op.plain = op.plainKeys()
	}
}

// plainKeys are the key columns that are no window and no event time.
func (op *Operator) plainKeys() (plain []int) {
	made := op.Made.Keys[len(op.Made.Keys)-op.keys:]
	for i, k := range made {
		if k.Window == 0 && i != op.timeKey() {
			plain = append(plain, i)
		}
	}
	return plain
}

func (a *aggregation) timeKey() int { return a.node.Event.Key }
func (s *sessions) timeKey() int    { return -1 }
func (d *dedup) timeKey() int       { return slices.Index(d.node.Keys, d.node.EventTime) }

// endsBy is the end of a window, or the event time itself, which a group outlives by the lateness that is allowed.
func (a *aggregation) endsBy() *committer.Ends {
	if !a.bounded() {
		return nil
	}
	key, size := a.event()
	return &committer.Ends{Column: keyColumn(key), After: size + a.lateness}
}

func (s *sessions) endsBy() *committer.Ends {
	if !s.spans.bounded() {
		return nil
	}
	return &committer.Ends{Column: "end"}
}

// endsBy is what every key has stored.
func (d *dedup) endsBy() *committer.Ends {
	if !d.event {
		return nil
	}
	return &committer.Ends{Column: "expires"}
}
