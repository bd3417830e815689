package committer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
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

// OpenIntent is the intent of the open backfill of a pipeline, nil if there is none. objects holds the table's root.
func OpenIntent(ctx context.Context, objects store.Store, name string, txns map[string]lakehouse.Txn) (*Intent, error) {
	txn, ok := txns[backfillApp(name)]
	if _, open := openBase(txn); !ok || !open {
		return nil, nil
	}
	file := path.Join(backfillsFolder(name), strconv.FormatInt(txn.Token, 10), "intent.json")
	body, _, err := objects.Get(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("read the intent of the open backfill of %s: %w", name, err)
	}
	in := new(Intent)
	return in, decodeFile(file, body, in)
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

// StagedFiles are the files, by path, that backfills of the pipelines of a table have staged, in it and in its side tables, and that no version names yet.
// objects holds the table's root.
func StagedFiles(ctx context.Context, objects store.Store, txns map[string]lakehouse.Txn) (map[string]bool, error) {
	out := map[string]bool{}
	for _, name := range pipelines(txns) {
		var parts []string
		err := objects.Walk(ctx, backfillsFolder(name), func(in store.Info) error {
			if path.Base(path.Dir(in.Name)) == partsFolder {
				parts = append(parts, in.Name)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list what backfills of %s have staged: %w", name, err)
		}
		for _, part := range parts {
			if err := stagedBy(ctx, objects, part, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// stagedBy adds the files of a part. One that is gone meanwhile belongs to a backfill that is over.
func stagedBy(ctx context.Context, objects store.Store, name string, out map[string]bool) error {
	body, _, err := objects.Get(ctx, name)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	var p Part
	if err == nil {
		err = decodeFile(name, body, &p)
	}
	if err != nil {
		return fmt.Errorf("read what a backfill has staged: %w", err)
	}
	for _, f := range p.Files {
		out[f.Path] = true
	}
	for _, s := range p.Side {
		for _, f := range s.Files {
			out[f.Path] = true
		}
	}
	return nil
}
