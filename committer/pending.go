package committer

import (
	"context"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// SideOf is the id of the table that a side table, by its properties, belongs to; "" if it is none.
func SideOf(properties map[string]string) string {
	id, _, _ := strings.Cut(properties[sideOf], "/")
	return id
}

// PendingSideFiles are the paths of side-table files that may still be published: those of the newest commit of each pipeline of
// a table, and of records that are as young and that no commit names yet. objects holds the table's root.
func PendingSideFiles(ctx context.Context, objects store.Store, txns map[string]lakehouse.Txn) (map[string]bool, error) {
	out := map[string]bool{}
	for _, name := range pipelines(txns) {
		if err := pendingOf(ctx, objects, name, txns[appID(name)].Token, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func pendingOf(ctx context.Context, objects store.Store, name string, newest int64, out map[string]bool) error {
	list, err := objects.List(ctx, recordsFolder(name), "")
	if err != nil {
		return fmt.Errorf("list records of %s: %w", name, err)
	}
	since := int64(-1)
	for _, in := range list {
		if token, ok := tokenOf(in.Name); ok && token == newest {
			since = in.Modified
		}
	}
	if since < 0 {
		return fmt.Errorf("record %d of %s is not there: the files that it makes due are not known", newest, name)
	}
	for _, in := range list {
		token, ok := tokenOf(in.Name)
		if !ok || in.Modified < since {
			continue
		}
		r, err := ReadRecord(ctx, objects, name, token)
		switch {
		case token != newest && err != nil && gone(err):
			continue
		case err != nil:
			return fmt.Errorf("read record %d of %s: %w", token, name, err)
		}
		for _, s := range r.Side {
			for _, f := range s.Files {
				out[f.Path], out[f.Staged] = true, true
			}
		}
	}
	return nil
}
