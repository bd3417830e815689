package exec

import (
	"fmt"

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
	}
}

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
