package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// target is a table that a command of upkeep works on.
type target struct {
	path     string
	objects  store.Store
	table    wire.Upkept
	snapshot lakehouse.Snapshot
	pipeline *config.Pipeline // nil if only the path is known
}

// targetLong is the part of the help of these commands that says what they work on.
const targetLong = `TABLE is the folder or the s3:// path of a table; --settings names a pipeline file whose s3 section says how to reach it. With a pipeline FILE (.yaml, .yml)
the command works on its table and then on its side tables.`

// openTargets opens the table of a path, or those of a pipeline file that exist: its own first, then its side tables.
func openTargets(ctx context.Context, arg, settings string) ([]target, error) {
	if ext := filepath.Ext(arg); ext != ".yaml" && ext != ".yml" {
		objects, err := openTable(arg, settings)
		if err != nil {
			return nil, err
		}
		t, err := openPath(ctx, arg, objects)
		return []target{t}, err
	}
	pipelines, err := loadAll([]string{arg})
	if err != nil {
		return nil, err
	}
	p := pipelines[0]
	if p.Sink.Console {
		return nil, usageError{fmt.Errorf("%s: a console sink has no table", arg)}
	}
	var out []target
	w := wire.Real(logger())
	for _, path := range []string{p.Sink.Path, p.DeadLetter, p.Late} {
		if path == "" {
			continue
		}
		objects, err := w.OpenStore(p.S3, path)
		if err != nil {
			return nil, err
		}
		t := target{path: path, objects: objects, table: w.OpenTable(p, objects), pipeline: p}
		if t.snapshot, err = t.table.Snapshot(ctx); err != nil {
			return nil, err
		}
		if t.snapshot.Version >= 0 {
			out = append(out, t)
		}
	}
	if len(out) == 0 || out[0].path != p.Sink.Path {
		return nil, fmt.Errorf("%s: there is no table at %s yet", arg, p.Sink.Path)
	}
	return out, nil
}

// openPath opens a table of which only the path is known: a Delta table, or the plain Parquet files of one pipeline.
func openPath(ctx context.Context, path string, objects store.Store) (target, error) {
	t := target{path: path, objects: objects, table: delta.Open(objects, uuid.NewString)}
	var err error
	if t.snapshot, err = t.table.Snapshot(ctx); err != nil || t.snapshot.Version >= 0 {
		return t, err
	}
	logs, err := lakehouse.PlainLogs(ctx, objects)
	switch {
	case err != nil:
		return t, err
	case len(logs) == 0:
		return t, fmt.Errorf("%s is neither a Delta table (it has no _delta_log) nor a folder of Parquet files with a log of a pipeline", path)
	case len(logs) > 1:
		return t, usageError{fmt.Errorf("%s holds Parquet files of the pipelines %s: call this with the file of one of them", path, strings.Join(logs, ", "))}
	}
	t.table = parquetdir.Open(objects, logs[0], "", uuid.NewString)
	t.snapshot, err = t.table.Snapshot(ctx)
	return t, err
}

// sizeText is a size for people.
func sizeText(bytes int64) string {
	v, unit := float64(bytes), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, next
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
