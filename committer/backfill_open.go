package committer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// newestOpenBase is the newest base of the open backfills of a table, of any pipeline.
func newestOpenBase(txns map[string]lakehouse.Txn) (base int64, open bool) {
	base = -1
	for app, txn := range txns {
		if !strings.HasPrefix(app, appID("")) || !strings.HasSuffix(app, backfillSuffix) {
			continue
		}
		if of, yes := openBase(txn); yes {
			base, open = max(base, of), true
		}
	}
	return base, open
}

// LeftAlone are the files of a table, by path, that must not be merged with others as of a snapshot, because a backfill that is open goes by them: those
// that were there at its base. nil: there are none.
func LeftAlone(ctx context.Context, table lakehouse.Table, s lakehouse.Snapshot) (map[string]bool, error) {
	base, open := newestOpenBase(s.Txns)
	if !open {
		return nil, nil
	}
	past, able := table.(lakehouse.TimeTraveller)
	if !able {
		return nil, fmt.Errorf("%s has an open backfill, and no older versions", table)
	}
	at, err := past.At(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("read version %d of %s, the base of an open backfill: %w", base, table, err)
	}
	files, err := table.Files(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("list the files of version %d of %s, the base of an open backfill: %w", base, table, err)
	}
	out := make(map[string]bool, len(files))
	for _, f := range files {
		out[f.Path] = true
	}
	return out, nil
}

// leftAlone is LeftAlone of the tables of one run, for which it is read once.
type leftAlone struct {
	open  bool
	base  int64
	files map[string]bool
	lost  bool // they could not be read, and nothing is merged until it is over
}

// rest are the files that may be merged as of a snapshot.
func (l *leftAlone) rest(ctx context.Context, table lakehouse.Table, s lakehouse.Snapshot, files []lakehouse.DataFile) ([]lakehouse.DataFile, error) {
	base, open := newestOpenBase(s.Txns)
	if open && (!l.open || l.base != base) {
		alone, err := LeftAlone(ctx, table, s)
		*l = leftAlone{open: true, base: base, files: alone, lost: err != nil}
		if err != nil {
			return nil, err
		}
	}
	switch l.open = open; {
	case !open:
		return files, nil
	case l.lost:
		return nil, nil
	}
	return slices.DeleteFunc(slices.Clone(files), func(f lakehouse.DataFile) bool { return l.files[f.Path] }), nil
}
