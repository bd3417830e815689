package committer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// retention knows the records of a pipeline by age. A record goes when it is past both limits, the number
// of newer ones and the age, so that a rewind always has somewhere to go.
type retention struct {
	known []kept // oldest first
}

type kept struct {
	token int64
	time  int64 // milliseconds since 1970
	// state are the names of the state files of the record; read is false while nobody has looked.
	state []string
	read  bool
}

// load lists the records that are there at a start.
func (t *retention) load(ctx context.Context, o Options) error {
	list, err := o.Objects.List(ctx, recordsFolder(o.Name), "")
	if err != nil {
		return fmt.Errorf("list records of %s: %w", o.Name, err)
	}
	t.known = t.known[:0]
	for _, info := range list {
		if token, ok := tokenOf(info.Name); ok {
			t.known = append(t.known, kept{token: token, time: info.Modified})
		}
	}
	slices.SortFunc(t.known, func(a, b kept) int { return cmp.Compare(a.time, b.time) })
	return nil
}

func (t *retention) add(r *Record, time int64) {
	t.known = append(t.known, kept{r.Token, time, stateNames(r), true})
}

func stateNames(r *Record) []string {
	var names []string
	for _, f := range r.State {
		names = append(names, f.Path)
	}
	return names
}

// expireAtOnce bounds the deletions after one commit, so that a long backlog of old records never delays a batch.
const expireAtOnce = 16

// expire removes records that are past both limits, oldest first, and never the newest commit's.
func (t *retention) expire(ctx context.Context, o Options, newest int64) error {
	before := o.Now().Add(-o.RetainFor).UnixMilli()
	var errs error
	for range min(expireAtOnce, max(0, len(t.known)-o.RetainCommits)) {
		oldest := t.known[0]
		if oldest.time >= before || oldest.token == newest {
			break
		}
		if err := t.expireState(ctx, o); err != nil {
			errs = errors.Join(errs, err)
			break
		}
		if err := o.Objects.Delete(ctx, recordName(o.Name, oldest.token)); err != nil {
			errs = errors.Join(errs, fmt.Errorf("remove record %d: %w", oldest.token, err))
			break
		}
		t.known = t.known[1:]
	}
	return errs
}

// expireState removes the state files that only the oldest record names. Every other record is asked: not only those of
// commits, one of a commit that was lost may lie between them.
func (t *retention) expireState(ctx context.Context, o Options) error {
	if err := t.readState(ctx, o, 0); err != nil || len(t.known[0].state) == 0 {
		return err
	}
	named := map[string]bool{}
	for i := range t.known[1:] {
		if err := t.readState(ctx, o, i+1); err != nil {
			return err
		}
		for _, name := range t.known[i+1].state {
			named[name] = true
		}
	}
	for _, name := range t.known[0].state {
		if named[name] {
			continue
		}
		if err := o.Objects.Delete(ctx, name); err != nil {
			return fmt.Errorf("remove state file %s: %w", name, err)
		}
	}
	return nil
}

// readState looks into a record that was there at the start. One that is gone names nothing.
func (t *retention) readState(ctx context.Context, o Options, i int) error {
	k := &t.known[i]
	if k.read {
		return nil
	}
	r, err := ReadRecord(ctx, o.Objects, o.Name, k.token)
	switch {
	case err == nil:
		k.state = stateNames(r)
	case !errors.Is(err, store.ErrNotExist):
		return fmt.Errorf("read record %d before its state files are removed: %w", k.token, err)
	}
	k.read = true
	return nil
}
