package parquetdir

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Formats whose readers go by a log of their own, in the folder: they would not see the files of a plain folder, and might remove them.
var foreignLogs = map[string]string{
	"_delta_log":      "it is a Delta table: write to it with sink.delta, or choose another folder",
	"_spark_metadata": "Spark, which wrote it as a stream, reads the files that _spark_metadata names and no others: choose another folder",
}

var errFound = errors.New("found")

// occupied says what a folder without a log of the pipeline holds: logs of other pipelines, or data files of whoever. "" if it is free. A folder that belongs to another format
// is an error.
func occupied(ctx context.Context, objects store.Store, name string) (string, error) {
	for _, folder := range slices.Sorted(maps.Keys(foreignLogs)) {
		err := objects.Walk(ctx, folder, func(store.Info) error { return errFound })
		if errors.Is(err, errFound) {
			return "", errors.New(foreignLogs[folder])
		}
		if err != nil {
			return "", err
		}
	}
	others, err := lakehouse.PlainLogs(ctx, objects)
	if err != nil {
		return "", err
	}
	if others = slices.DeleteFunc(others, func(other string) bool { return other == name }); len(others) > 0 {
		return "commits of " + strings.Join(others, ", "), nil
	}
	file := ""
	err = objects.Walk(ctx, "", func(in store.Info) error {
		if path.Ext(in.Name) != suffix {
			return nil
		}
		file = in.Name
		return errFound
	})
	if errors.Is(err, errFound) {
		return fmt.Sprintf("%s, which no log of it names", file), nil
	}
	return "", err
}
