package parquetdir

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Retentions of files that were staged for a commit that never came: what is younger may belong to a batch under way.
const (
	defaultRetention = 24 * time.Hour
	leastRetention   = time.Hour
)

// Garbage finds the staged files of the pipeline that no commit made due, and that are older than the retention. Files that readers see are never garbage, whoever wrote them.
//
//  1. The files are listed before the log is read, so that what is committed meanwhile is named.
//  2. The newest entry is the only one that can have staged files.
func (t *Table) Garbage(ctx context.Context, o lakehouse.VacuumOptions) (lakehouse.Garbage, error) {
	retain := o.Retain
	if retain < 0 {
		retain = defaultRetention
	}
	if retain < leastRetention && !o.Unsafe {
		return lakehouse.Garbage{}, fmt.Errorf("a retention of %s is less than %s: a batch under way could lose its files", retain, leastRetention)
	}
	found, err := t.staged(ctx)
	if err != nil {
		return lakehouse.Garbage{}, err
	}
	s, err := t.Snapshot(ctx)
	switch {
	case err != nil:
		return lakehouse.Garbage{}, err
	case s.Version < 0:
		return lakehouse.Garbage{}, fmt.Errorf("%s holds no log of pipeline %s", t, t.name)
	}
	due, err := t.due(ctx, s.Version)
	if err != nil {
		return lakehouse.Garbage{}, err
	}
	out := lakehouse.Garbage{Version: s.Version, Retain: retain}
	cutoff := o.Now.Add(-retain).UnixMilli()
	for _, in := range found {
		if in.Modified < cutoff && !due[in.Name] && !o.Keep[in.Name] {
			out.Files = append(out.Files, in)
		}
	}
	slices.SortFunc(out.Files, func(a, b store.Info) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// staged lists what lies staged under the name of the pipeline and, after a change of name, under the one that its log has.
func (t *Table) staged(ctx context.Context) ([]store.Info, error) {
	if _, err := t.Snapshot(ctx); err != nil { // it finds the log
		return nil, err
	}
	found, err := t.objects.List(ctx, stagedFolder(t.name), "")
	if log := t.log(); err == nil && log != t.name {
		var more []store.Info
		more, err = t.objects.List(ctx, stagedFolder(log), "")
		found = append(found, more...)
	}
	return found, err
}

// due are the files that an entry makes due, by where they are staged.
func (t *Table) due(ctx context.Context, version int64) (map[string]bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, err := t.entryLocked(ctx, version)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, a := range k.Add {
		out[a.Staged] = true
	}
	return out, nil
}

// Discard removes garbage. It may be repeated.
func (t *Table) Discard(ctx context.Context, g lakehouse.Garbage) error {
	return lakehouse.Discard(ctx, t.objects, g)
}
