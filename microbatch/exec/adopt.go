package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
)

// Adopted is state that takes over what an earlier query has stored, whose calls were others. Those that are new start empty.
type Adopted struct {
	State
	calls []*aggregate.Call
	from  []int // by call: which one of the earlier query it continues, -1: none
	fixed int   // columns before those of the calls
}

// Adopt makes s take rows that were stored with other calls; from is the earlier position of each call, -1 for a new one.
func (op *Operator) Adopt(s State, from []int) *Adopted {
	a := &Adopted{State: s, calls: op.calls, from: from, fixed: s.Schema().Len()}
	for _, c := range op.calls {
		a.fixed -= len(c.State())
	}
	return a
}

// Schema describes the stored rows, without the calls that are gone.
func (a *Adopted) Schema() *columnar.Schema {
	own, out := a.State.Schema().Fields, &columnar.Schema{}
	out.Fields = append(out.Fields, own[:a.fixed]...)
	at := a.fixed
	for i, c := range a.calls {
		for k, f := range c.State() {
			if a.from[i] >= 0 {
				stored := own[at+k]
				stored.Name = callColumn(a.from[i], f.Name)
				out.Fields = append(out.Fields, stored)
			}
		}
		at += len(c.State())
	}
	return out
}

// Load adds stored rows.
func (a *Adopted) Load(rows *columnar.Batch, evicted int64) error {
	stored := rows.Columns()
	cols, at := append([]columnar.Column{}, stored[:a.fixed]...), a.fixed
	for i, c := range a.calls {
		if a.from[i] < 0 {
			empty := emptyStates(c, rows.Rows())
			defer releaseAll(empty)
			cols = append(cols, empty...)
			continue
		}
		n := len(c.State())
		cols = append(cols, stored[at:at+n]...)
		at += n
	}
	for _, c := range cols {
		c.Retain()
	}
	whole := columnar.NewBatch(a.State.Schema(), cols, rows.Rows())
	defer whole.Release()
	return a.State.Load(whole, evicted)
}

// emptyStates are those of groups without rows.
func emptyStates(c *aggregate.Call, groups int) []columnar.Column {
	acc := c.New()
	acc.Resize(groups)
	return acc.State(nil)
}
