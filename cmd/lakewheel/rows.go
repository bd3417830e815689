package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
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
			return openParquet(ctx, objects, []string{file})
		}
	}
	objects, err := openTable(arg, o.settings)
	if err != nil {
		return rowSource{}, err
	}
	table := delta.Open(objects, uuid.NewString)
	snap, err := table.At(ctx, o.version)
	if err != nil {
		return rowSource{}, err
	}
	if snap.Version >= 0 {
		return rowSource{snap.Schema, func(ctx context.Context, where compute.Expr, fn func(*columnar.Batch) error) error {
			_, err := table.ScanWhere(ctx, snap, where, fn)
			return err
		}}, nil
	}
	files, err := parquetFiles(ctx, objects)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s is neither a Delta table (it has no _delta_log) nor a folder of Parquet files", arg)
	}
	if err != nil {
		return rowSource{}, err
	}
	return openParquet(ctx, objects, files)
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

// parquetFiles are the Parquet files of a folder and of those in it, in the order of their names; names that begin with _ or a point are not data.
func parquetFiles(ctx context.Context, objects store.Store) (names []string, err error) {
	err = objects.Walk(ctx, "", func(in store.Info) error {
		aside := slices.ContainsFunc(strings.Split(in.Name, "/"), func(part string) bool { return strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") })
		if path.Ext(in.Name) == ".parquet" && !aside {
			names = append(names, in.Name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// openParquet reads files one after the other. The schema is that of the first, with what later ones have more.
func openParquet(ctx context.Context, objects store.Store, files []string) (rowSource, error) {
	var schema *columnar.Schema
	for _, name := range files {
		own, err := parquetSchema(ctx, objects, name)
		if err == nil && schema != nil {
			if own, err = lakehouse.Evolve(schema, own); err != nil {
				err = fmt.Errorf("it does not go with the files before it (table: those; query: this one): %w", err)
			}
		}
		if err != nil {
			return rowSource{}, fmt.Errorf("%s of %s: %w", name, objects, err)
		}
		schema = own
	}
	return rowSource{schema, func(ctx context.Context, where compute.Expr, fn func(*columnar.Batch) error) error {
		ev := compute.NewDefaultEvaluator()
		for _, name := range files {
			if err := scanParquet(ctx, objects, name, schema, func(b *columnar.Batch) error {
				kept, err := ev.Where(where, b)
				if err != nil {
					return err
				}
				defer kept.Release()
				return fn(kept)
			}); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

func parquetSchema(ctx context.Context, objects store.Store, name string) (*columnar.Schema, error) {
	f, err := objects.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := parquetfile.Open(f)
	if err != nil {
		return nil, err
	}
	return parquetfile.SchemaOf(file)
}

func scanParquet(ctx context.Context, objects store.Store, name string, schema *columnar.Schema, fn func(*columnar.Batch) error) error {
	f, err := objects.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := parquetfile.OpenReader(f, schema)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, objects, err)
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s of %s: %w", name, objects, err)
		}
		err = fn(b)
		b.Release()
		if err != nil {
			return err
		}
	}
}
