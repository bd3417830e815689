package microbatch

import (
	"context"
	"errors"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/planner"
)

// runOperators takes what the tasks collected through the stateful operators, the lower ones first. State that a failed batch has touched
// is never used again: every error from here on ends this attempt, and the next one begins with the newest record.
func (d *driver) runOperators(ctx context.Context, b *batch, t *totals) error {
	if len(d.keepers) == 0 {
		return nil
	}
	leave, err := d.q.Limits.Pool.enter(ctx, d.q.Limits.Workers) // the shards of state are worked on at once
	if err != nil {
		return err
	}
	defer leave()
	r := &relay{d: d, b: b, lower: make([][]exec.Portion, len(d.keepers)), lane: len(t.made)}
	defer r.release()
	for k := len(d.keepers) - 1; k >= 0; k-- {
		in := make([]exec.Portion, 0, len(t.made))
		for _, c := range t.made {
			if p := c.Portions[k]; p != nil {
				in = append(in, p)
			}
		}
		outs, stats, err := d.keepers[k].state.Run(append(in, r.lower[k]...), b.moment)
		t.stats[k] = stats
		if err == nil {
			err = r.pass(ctx, k, outs)
		}
		for _, out := range outs {
			out.Release()
		}
		if err != nil {
			return err
		}
		if stats.Updated > 0 || stats.Removed > 0 {
			d.fold.rows.Store(true)
		}
	}
	if d.q.Program.Mode == planner.Complete {
		if err := r.replace(); err != nil {
			return err
		}
	}
	t.counts.Out += r.rows
	return d.checkState()
}

// relay carries what operators put out to the operators above them, or to the sink.
type relay struct {
	d      *driver
	b      *batch
	lower  [][]exec.Portion // by operator
	lane   int
	rows   int64
	result []*columnar.Batch // of complete mode
}

func (r *relay) release() {
	for _, list := range r.lower {
		for _, p := range list {
			exec.Release(p)
		}
	}
	for _, b := range r.result {
		b.Release()
	}
}

func (r *relay) pass(ctx context.Context, operator int, outs []*columnar.Batch) error {
	for _, out := range outs {
		rows, portion, target, err := r.d.q.Program.Above(operator, out, r.b.moment)
		if portion != nil {
			r.lower[target] = append(r.lower[target], portion)
		}
		if err != nil {
			return err
		}
		if rows == nil {
			continue
		}
		if rows.Rows() < out.Rows() {
			err = r.erase(ctx, out)
		}
		if err = errors.Join(err, r.put(ctx, rows)); err != nil {
			return err
		}
	}
	return nil
}

// put gives rows, which it takes over, to the sink, or keeps them until the result is complete.
func (r *relay) put(ctx context.Context, rows *columnar.Batch) error {
	if r.d.q.Program.Mode == planner.Complete {
		r.result = append(r.result, rows)
		return nil
	}
	defer rows.Release()
	if rows.Rows() == 0 {
		return nil
	}
	r.rows += int64(rows.Rows())
	r.lane++
	return r.d.fold.write(ctx, r.d.lane(r.lane), rows)
}

// erase takes the groups that an operator puts out, some of which are left out above it, out of a sink that replaces groups. Those that are
// not left out come after it.
func (r *relay) erase(ctx context.Context, out *columnar.Batch) error {
	keys, err := r.d.q.Program.Keys(out)
	if keys == nil || err != nil {
		return err
	}
	defer keys.Release()
	r.lane++
	return r.d.fold.erase(ctx, r.d.lane(r.lane), keys)
}

// replace makes the complete result of the batch what the open fold will put out.
func (r *relay) replace() error {
	r.d.fold.dropResult()
	r.d.fold.complete = true
	r.d.fold.rows.Store(true)
	if len(r.result) == 0 {
		return nil
	}
	all, err := columnar.Concat(r.result)
	if err != nil {
		return err
	}
	defer all.Release()
	r.d.fold.result, err = r.d.q.Program.Finish(all, r.b.moment)
	if err == nil {
		r.d.fold.lane = r.d.lane(r.lane)
		r.rows = int64(r.d.fold.result.Rows())
	}
	return err
}
