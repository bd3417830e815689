package lakehouse

import (
	"context"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// PlainLogs are the pipelines that fill a folder with plain files, by the names that they had when their logs began.
func PlainLogs(ctx context.Context, objects store.Store) ([]string, error) {
	found := map[string]bool{}
	err := objects.Walk(ctx, "_lakewheel", func(in store.Info) error {
		parts := strings.Split(in.Name, "/")
		if _, ok := EntryNumber(in.Name); ok && len(parts) == 4 && parts[2] == "log" {
			found[parts[1]] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}

// EntryNumber reads the name of a log entry: 20 digits and ".json".
func EntryNumber(name string) (int64, bool) {
	digits, ok := strings.CutSuffix(path.Base(name), ".json")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil && len(digits) == 20 && n >= 0
}
