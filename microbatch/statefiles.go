package microbatch

import (
	"context"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/state"
)

// filed knows the files that commits name of one thing that they keep: the state of an operator, or the ledger of a source.
type filed struct {
	name  string // in the files
	log   *state.Log
	files map[string]committer.StateFile
}

func newFiled(name string) filed {
	return filed{name: name, log: state.NewLog(nil), files: map[string]committer.StateFile{}}
}

// goOn continues from the files that a restore has read.
func (k *filed) goOn(from stored) {
	k.log = state.NewLog(from.names())
	for _, f := range from.files {
		k.files[f.Path] = f
	}
}

// keeper keeps the state of one operator: in memory, and in files.
type keeper struct {
	filed
	op    *exec.Operator
	state exec.State
}

// unsaved is what a commit has to write of what is kept in files. rows is nil if nothing has changed.
type unsaved struct {
	k     *filed
	rows  *columnar.Batch
	after int64
	keep  int
	run   int64
	empty bool
}

func newKeepers(p *exec.Program, shards int) []*keeper {
	out := make([]*keeper, len(p.Operators))
	for i, op := range p.Operators {
		out[i] = &keeper{filed: newFiled(op.Made.Name), op: op, state: op.Begin(shards)}
	}
	return out
}

// restore loads the state that a record names, in the way that takeOver has found.
func (k *keeper) restore(t takeover, found stored, evicted int64) error {
	if t.same && t.stored == k.op.Made.Name {
		k.goOn(found)
		return state.Restore(t.stored, found.bodies, evicted, k.state)
	}
	k.log = state.Rewriting()
	return state.Restore(t.stored, found.bodies, evicted, k.op.Adopt(k.state, t.from))
}

// changes copies what the commit has to write. It is called between batches.
func (k *keeper) changes() (*unsaved, error) {
	u := &unsaved{k: &k.filed, run: k.state.Runs()}
	if k.state.Rows() == 0 {
		u.empty = true
		return u, nil
	}
	var changed exec.Changes
	listed := int64(-1)
	u.choose(k.state.Rows(), func(after int64) int64 {
		changed, listed = k.state.Changed(after), after
		return changed.Rows()
	})
	if u.after != listed {
		changed = k.state.Changed(u.after)
	}
	rows, err := k.state.Copy(changed)
	if err != nil {
		return nil, err
	}
	u.rows = rows
	return u, nil
}

// choose decides after which run rows are written: all of them, of so many, if most have changed.
func (u *unsaved) choose(all int64, changed func(after int64) int64) {
	u.after, u.keep = u.k.log.Next()
	if n := changed(u.after); n > 0 && state.Whole(n, all) {
		u.after, u.keep = -1, 0
	}
}

// save writes the file, notes it, and returns the files that hold the state. Calls come in the order of commits, and the next
// changes comes after it.
func (u *unsaved) save(ctx context.Context, to *StateStore) ([]committer.StateFile, error) {
	k := u.k
	switch {
	case u.empty:
		k.log.Drop(u.run)
	case u.rows == nil:
		k.log.Saved(u.run)
	default:
		body, err := state.Encode(k.name, u.rows)
		u.release()
		if err != nil {
			return nil, err
		}
		f, err := to.Put(ctx, body)
		if err != nil {
			return nil, err
		}
		k.files[f.Path] = f
		k.log.Add(f.Path, u.after, u.keep, u.run)
	}
	return k.named(), nil
}

func (u *unsaved) release() {
	if u.rows != nil {
		u.rows.Release()
		u.rows = nil
	}
}

// named are the files of the log; those it has dropped are forgotten.
func (k *filed) named() []committer.StateFile {
	live := map[string]committer.StateFile{}
	var out []committer.StateFile
	for _, name := range k.log.Names() {
		live[name] = k.files[name]
		out = append(out, k.files[name])
	}
	k.files = live
	return out
}

// stored is the files of one operator, oldest first.
type stored struct {
	files  []committer.StateFile
	bodies [][]byte
}

func (s stored) names() []string {
	out := make([]string, len(s.files))
	for i, f := range s.files {
		out[i] = f.Path
	}
	return out
}

// loadState restores every operator and every ledger from the files of the newest record, which fits the query.
func (d *driver) loadState(ctx context.Context, pos *Position) error {
	list, notes, err := takeOver(pos.Operators, d.operators())
	if err != nil {
		return err
	}
	for _, note := range notes {
		d.q.Log.Warn("the query has changed: " + note)
	}
	found, err := d.q.Sink.State().readFiles(ctx, pos.State)
	if err != nil {
		return err
	}
	for i, k := range d.keepers {
		if err := k.restore(list[i], found[list[i].stored], pos.Watermark.RanWith); err != nil {
			return err
		}
	}
	for _, l := range d.ledgers {
		if err := l.restore(found[l.name], pos.Sources[l.source]); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads files of a record, by what they are of.
func (s *StateStore) readFiles(ctx context.Context, files []committer.StateFile) (map[string]stored, error) {
	found := map[string]stored{}
	for _, f := range files {
		body, err := s.Get(ctx, f)
		if err != nil {
			return nil, err
		}
		name, err := state.OperatorOf(body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		so := found[name]
		found[name] = stored{append(so.files, f), append(so.bodies, body)}
	}
	return found, nil
}
