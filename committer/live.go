package committer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// live are the data files of the table, with their statistics, between the commits of a run. The log is replayed for them once, and
// again after an entry of another writer: a commit of ours says itself what it changes.
type live struct {
	table   lakehouse.Table
	known   bool
	version int64 // that files is of
	list    []lakehouse.DataFile
}

// files are the live data files of a snapshot in path order. The slice is lent until the next call of a method, and is not to be changed.
func (l *live) files(ctx context.Context, s lakehouse.Snapshot) ([]lakehouse.DataFile, error) {
	if l.known && l.version == s.Version {
		return l.list, nil
	}
	l.forget()
	list, err := l.table.Files(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", l.table, err)
	}
	slices.SortFunc(list, byPath)
	l.known, l.version, l.list = true, s.Version, list
	return list, nil
}

// applied takes over what a change of ours did, once it is certain that it is version next. A list of another base stays as it is: its
// version tells that it is of no use.
func (l *live) applied(next lakehouse.Snapshot, c lakehouse.Change) {
	if !l.known || l.version != next.Version-1 {
		return
	}
	gone := map[string]bool{}
	for _, f := range slices.Concat(c.Remove, c.Rearranged.Remove) {
		gone[f.Path] = true
	}
	if len(gone) > 0 {
		l.list = slices.DeleteFunc(l.list, func(f lakehouse.DataFile) bool { return gone[f.Path] })
	}
	for _, f := range slices.Concat(c.Add, c.Rearranged.Add) {
		f.Time = c.Time
		at, _ := slices.BinarySearchFunc(l.list, f, byPath)
		l.list = slices.Insert(l.list, at, f)
	}
	l.version = next.Version
}

func byPath(a, b lakehouse.DataFile) int { return strings.Compare(a.Path, b.Path) }

// forget drops the list: the next caller reads it anew.
func (l *live) forget() { *l = live{table: l.table} }
