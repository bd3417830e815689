package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// rowSource is what cat prints.
type rowSource struct {
	schema *columnar.Schema
	// scan calls fn with the rows for which a condition over the schema is TRUE. The batch is borrowed.
	scan func(ctx context.Context, where compute.Expr, fn func(*columnar.Batch) error) error
}

// openRows opens a Parquet file by its suffix, a Delta table by its log, and any other folder for its Parquet files.
func openRows(ctx context.Context, arg string, o catOptions) (rowSource, error) {
	if folder, file := splitPath(arg); path.Ext(file) == ".parquet" {
		objects, err := openTable(folder, o.settings)
		if err != nil {
			return rowSource{}, err
		}
		if _, err := objects.Stat(ctx, file); !errors.Is(err, store.ErrNotExist) { // perhaps it is a folder of that name
			f, err := parquetdir.OpenFiles(ctx, objects, file)
			if err != nil {
				return rowSource{}, err
			}
			return rowSource{f.Schema, whereOver(f.Scan)}, nil
		}
	}
	objects, err := openTable(arg, o.settings)
	if err != nil {
		return rowSource{}, err
	}
	table := delta.Open(objects, uuid.NewString)
	snap, err := table.Snapshot(ctx)
	switch {
	case err != nil:
		return rowSource{}, err
	case snap.Version < 0:
		return openFolder(ctx, arg, objects, o)
	case o.version >= 0:
		if snap, err = table.At(ctx, o.version); err != nil {
			return rowSource{}, err
		}
	}
	return rowSource{snap.Schema, func(ctx context.Context, where compute.Expr, fn func(*columnar.Batch) error) error {
		_, err := table.ScanWhere(ctx, snap, where, fn)
		return err
	}}, nil
}

// openFolder opens a folder of Parquet files, as any reader of names sees it.
func openFolder(ctx context.Context, arg string, objects store.Store, o catOptions) (rowSource, error) {
	f, err := parquetdir.OpenFolder(ctx, objects)
	switch {
	case err != nil:
		return rowSource{}, err
	case f.Schema == nil:
		return rowSource{}, fmt.Errorf("%s is neither a Delta table (it has no _delta_log) nor a folder of Parquet files", arg)
	case o.version >= 0:
		return rowSource{}, usageError{fmt.Errorf("--version: %s is a folder of plain Parquet files, which has no versions", arg)}
	}
	return rowSource{f.Schema, whereOver(f.Scan)}, nil
}

// splitPath cuts the last name off a path.
func splitPath(arg string) (folder, name string) {
	switch at := strings.LastIndexByte(arg, '/'); at {
	case -1:
		return ".", arg
	case 0:
		return "/", arg[1:]
	default:
		return arg[:at], arg[at+1:]
	}
}

// whereOver keeps the rows of a scan for which a condition is TRUE.
func whereOver(scan func(context.Context, func(*columnar.Batch) error) error) func(context.Context, compute.Expr, func(*columnar.Batch) error) error {
	return func(ctx context.Context, where compute.Expr, fn func(*columnar.Batch) error) error {
		ev := compute.NewDefaultEvaluator()
		return scan(ctx, func(b *columnar.Batch) error {
			kept, err := ev.Where(where, b)
			if err != nil {
				return err
			}
			defer kept.Release()
			return fn(kept)
		})
	}
}
