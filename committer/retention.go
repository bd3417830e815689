package committer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// retention knows the records of a pipeline by age. A record goes when it is past both limits, the number
// of newer ones and the age, so that a rewind always has somewhere to go.
type retention struct {
	known []kept // oldest first
}

type kept struct {
	token int64
	time  int64 // milliseconds since 1970
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
			t.known = append(t.known, kept{token, info.Modified})
		}
	}
	slices.SortFunc(t.known, func(a, b kept) int { return cmp.Compare(a.time, b.time) })
	return nil
}

func (t *retention) add(token, time int64) { t.known = append(t.known, kept{token, time}) }

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
		if err := o.Objects.Delete(ctx, recordName(o.Name, oldest.token)); err != nil {
			errs = errors.Join(errs, fmt.Errorf("remove record %d: %w", oldest.token, err))
			break
		}
		t.known = t.known[1:]
	}
	return errs
}
