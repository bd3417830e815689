package microbatch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/planner"
)

// ErrStateLimit: the stateful operators keep more than the query allows.
var ErrStateLimit = errors.New("state limit")

// biggestKeys is how many keys an error names.
const biggestKeys = 5

// checkState ends the run if the state has grown beyond a limit; the batch is not committed.
func (d *driver) checkState() error {
	var rows, bytes int64
	for _, k := range d.keepers {
		rows, bytes = rows+k.state.Rows(), bytes+k.state.Bytes()
	}
	limits := d.q.State
	switch {
	case limits.MaxRows > 0 && rows > limits.MaxRows:
		return d.stateFault(fmt.Sprintf("the stateful operators keep %d rows, state.max_rows allows %d", rows, limits.MaxRows), "state.max_rows", exec.State.Rows)
	case limits.MaxBytes > 0 && bytes > limits.MaxBytes:
		return d.stateFault(fmt.Sprintf("the stateful operators keep %s in memory, state.max_bytes allows %s", mebibytes(bytes), mebibytes(limits.MaxBytes)), "state.max_bytes", exec.State.Bytes)
	}
	return nil
}

// stateFault names the operator that keeps most, its biggest keys, and the ways out.
func (d *driver) stateFault(what, setting string, size func(exec.State) int64) error {
	k := d.keepers[0]
	for _, other := range d.keepers {
		if size(other.state) > size(k.state) {
			k = other
		}
	}
	return fmt.Errorf("%w: %s; most is kept by %s: %d rows, %s%s; raise %s, %s, or take keys with fewer values",
		ErrStateLimit, what, k.op.Made.Text(), k.state.Rows(), mebibytes(k.state.Bytes()), biggestText(k.op.Biggest(k.state, biggestKeys)), setting, d.waysToLess(k.op.Made))
}

func (d *driver) waysToLess(o committer.Operator) string {
	switch {
	case d.q.Event.Hold:
		return "fill a smaller range"
	case o.Mode == planner.Complete.String():
		return "take append mode, in which groups end"
	case o.Ends == nil:
		return "let a watermark end its rows, which nothing does now"
	}
	return "shorten the delay of the watermark or its windows"
}

// biggestText is ", most of them of {"page":"/a"} (7), {"page":"/b"} (2)".
func biggestText(keys []exec.KeyRows) string {
	switch {
	case len(keys) == 0:
		return ""
	case keys[0].Rows == 1:
		return ", one for each key"
	}
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%s (%d)", k.Key, k.Rows)
	}
	return ", most of them of " + strings.Join(parts, ", ")
}

func mebibytes(n int64) string {
	if n < 1<<20 {
		return "less than 1 MiB"
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
