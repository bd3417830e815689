package delta

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// leastRetention is what a file that no version names is left alone for at least: it may be one of a batch under way.
const leastRetention = time.Hour

// Garbage finds the data files that no version of the retention names, and that are older than it.
//
//  1. The files are listed before the log is read, so that what is committed meanwhile is named.
//  2. Named are the live files, those that were removed within the retention, and all that is in the entries of a retention that is
//     longer than the table's own: checkpoints know no more of those.
//  3. A live file that was not found means that names are misread: nothing is garbage then.
//
// What lies under a name that begins with "_" or "." is never garbage, nor is what is no data file, nor what lies in a folder that is a table itself.
func (t *Table) Garbage(ctx context.Context, o lakehouse.VacuumOptions) (lakehouse.Garbage, error) {
	found, inner, err := t.dataFiles(ctx)
	if err != nil {
		return lakehouse.Garbage{}, err
	}
	snap, err := t.Snapshot(ctx)
	switch {
	case err != nil:
		return lakehouse.Garbage{}, err
	case snap.Version < 0:
		return lakehouse.Garbage{}, fmt.Errorf("%s is not a Delta table: it has no %s", t, logFolder)
	case snap.Unusable != nil:
		return lakehouse.Garbage{}, fmt.Errorf("table %s: %w", t, snap.Unusable)
	}
	retain, err := retention(o, snap.Properties)
	if err != nil {
		return lakehouse.Garbage{}, err
	}
	cutoff := o.Now.Add(-retain).UnixMilli()
	named, err := t.named(ctx, snap, cutoff, found)
	if err == nil && retain > ownRetention(snap.Properties) {
		err = t.keepEntries(ctx, cutoff, named)
	}
	if err != nil {
		return lakehouse.Garbage{}, err
	}
	out := lakehouse.Garbage{Version: snap.Version, Retain: retain}
	for name, in := range found {
		if in.Modified < cutoff && !named[name] && !o.Keep[name] && !hidden(name) && !below(inner, name) {
			out.Files = append(out.Files, in)
		}
	}
	slices.SortFunc(out.Files, func(a, b store.Info) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// dataFiles finds those in the folder of the table, and the folders in it that are tables themselves.
func (t *Table) dataFiles(ctx context.Context) (found map[string]store.Info, inner map[string]bool, err error) {
	found, inner = map[string]store.Info{}, map[string]bool{}
	err = t.objects.Walk(ctx, "", func(in store.Info) error {
		if isDataFile(in.Name) {
			found[in.Name] = in
		}
		for _, log := range []string{logFolder, "_lakewheel"} {
			if folder, _, ok := strings.Cut(in.Name, "/"+log+"/"); ok {
				inner[folder] = true
			}
		}
		return nil
	})
	return found, inner, err
}

// below reports whether a name lies in one of some folders.
func below(folders map[string]bool, name string) bool {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if folders[folder] {
			return true
		}
	}
	return false
}

// retention is the one that is asked for, if the table allows it.
func retention(o lakehouse.VacuumOptions, properties map[string]string) (time.Duration, error) {
	own := ownRetention(properties)
	retain := o.Retain
	if retain < 0 {
		retain = max(own, leastRetention)
	}
	if least := max(own, leastRetention); retain < least && !o.Unsafe {
		return 0, fmt.Errorf("a retention of %s is less than %s (delta.deletedFileRetentionDuration, and an hour for batches under way): readers of older versions and running writers could lose files; --unsafe does it all the same", retain, least)
	}
	return retain, nil
}

func ownRetention(properties map[string]string) time.Duration {
	return duration(properties["delta.deletedFileRetentionDuration"], keepRemovedFor)
}

// named are the paths that must stay for the versions since the cutoff.
func (t *Table) named(ctx context.Context, snap lakehouse.Snapshot, cutoff int64, found map[string]store.Info) (map[string]bool, error) {
	st, err := t.files(ctx, snap)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, a := range st.live {
		name := decodePath(a.Path)
		if _, ok := found[name]; !ok && a.ModificationTime < cutoff && isDataFile(name) && !elsewhere(a.Path) {
			return nil, fmt.Errorf("%s, which version %d of %s names, is not there: nothing is removed", name, snap.Version, t)
		}
		keep(out, a.Path, a.DeletionVector)
	}
	for _, r := range st.removed {
		if r.DeletionTimestamp == nil || *r.DeletionTimestamp >= cutoff {
			keep(out, r.Path, r.DeletionVector)
		}
	}
	return out, nil
}

// keepEntries keeps what the entries since the cutoff name.
func (t *Table) keepEntries(ctx context.Context, cutoff int64, out map[string]bool) error {
	entries, err := t.objects.List(ctx, logFolder, "")
	if err != nil {
		return err
	}
	var mu sync.Mutex // guards out
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(requestsAtATime)
	for _, in := range entries {
		if f, ok := parseLogName(in.Name); ok && f.entry && in.Modified >= cutoff {
			tasks.Go(func() error { return t.keepEntry(ctx, in.Name, &mu, out) })
		}
	}
	return tasks.Wait()
}

func (t *Table) keepEntry(ctx context.Context, name string, mu *sync.Mutex, out map[string]bool) error {
	body, _, err := t.objects.Get(ctx, name)
	if err != nil {
		return err
	}
	actions, err := parseEntry(name, body)
	mu.Lock()
	defer mu.Unlock()
	for _, a := range actions {
		if a.Add != nil {
			keep(out, a.Add.Path, a.Add.DeletionVector)
		}
		if a.Remove != nil {
			keep(out, a.Remove.Path, a.Remove.DeletionVector)
		}
	}
	return err
}

// keep adds a path, also as it stands in the log: some writers do not encode them.
func keep(out map[string]bool, logged string, d *deletionVector) {
	out[decodePath(logged)], out[logged] = true, true
	if d != nil && d.StorageType == "u" {
		if name, err := vectorName(d.PathOrInlineDv); err == nil {
			out[name] = true
		}
	}
}

// elsewhere reports whether a path of the log leads out of the table, as those of a shallow clone do.
func elsewhere(logged string) bool {
	return strings.HasPrefix(logged, "/") || strings.HasPrefix(logged, "file:") || strings.Contains(logged, "://")
}

func isDataFile(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".parquet") || strings.HasPrefix(base, "deletion_vector_") && strings.HasSuffix(base, ".bin")
}

func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") })
}

// requestsAtATime bounds how many files are looked at, or entries read, at a time.
const requestsAtATime = 16

// Discard removes garbage. It may be repeated.
func (t *Table) Discard(ctx context.Context, g lakehouse.Garbage) error {
	return lakehouse.Discard(ctx, t.objects, g)
}
