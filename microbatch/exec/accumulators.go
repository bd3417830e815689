package exec

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
)

// accumulators hold what the calls of an aggregate have of its groups, in the order of the calls.
type accumulators struct {
	calls []*aggregate.Call
	accs  []aggregate.Accumulator
}

// callError is the error of a call; at is the position among the given groups.
type callError struct {
	call *aggregate.Call
	at   int32
	err  error
}

func newAccumulators(calls []*aggregate.Call) accumulators {
	a := accumulators{calls: calls}
	for _, c := range calls {
		a.accs = append(a.accs, c.New())
	}
	return a
}

func (a *accumulators) resize(n int) {
	for _, acc := range a.accs {
		acc.Resize(n)
	}
}

func (a *accumulators) keep(ids columnar.Selection) {
	for _, acc := range a.accs {
		acc.Keep(ids)
	}
}

func (a *accumulators) bytes() (n int64) {
	for _, acc := range a.accs {
		n += acc.Bytes()
	}
	return n
}

// update adds rows to groups. The columns are the inputs of all calls one after the other.
func (a *accumulators) update(ids []int32, cols []columnar.Column) *callError {
	for i, acc := range a.accs {
		n := len(a.calls[i].Inputs())
		if errs := acc.Update(ids, cols[:n]); len(errs) > 0 {
			return &callError{a.calls[i], errs[0].Row, errs[0].Err}
		}
		cols = cols[n:]
	}
	return nil
}

// merge adds groups of from to those of ids.
func (a *accumulators) merge(ids []int32, from *accumulators, groups columnar.Selection) *callError {
	for i, acc := range a.accs {
		state := from.accs[i].State(groups)
		errs := acc.Merge(ids, state)
		releaseAll(state)
		if len(errs) > 0 {
			return &callError{a.calls[i], errs[0].Row, errs[0].Err}
		}
	}
	return nil
}

// load adds stored states, the columns of all calls one after the other.
func (a *accumulators) load(ids []int32, cols []columnar.Column) error {
	for i, acc := range a.accs {
		n := len(a.calls[i].State())
		if errs := acc.Merge(ids, cols[:n]); len(errs) > 0 {
			return fmt.Errorf("state of %s: %w", a.calls[i], errs[0].Err)
		}
		cols = cols[n:]
	}
	return nil
}

// states are the columns that are stored.
func (a *accumulators) states(ids columnar.Selection) (cols []columnar.Column) {
	for _, acc := range a.accs {
		cols = append(cols, acc.State(ids)...)
	}
	return cols
}

// results appends a column for each call to those of the keys, which it releases if it fails.
func (a *accumulators) results(keys []columnar.Column, ids columnar.Selection) ([]columnar.Column, *callError) {
	cols := keys
	for i, acc := range a.accs {
		col, errs := acc.Result(ids)
		cols = append(cols, col)
		if len(errs) > 0 {
			releaseAll(cols)
			return nil, &callError{a.calls[i], errs[0].Row, errs[0].Err}
		}
	}
	return cols, nil
}
