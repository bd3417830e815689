package parquetdir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Folder is what readers of a folder see: the Parquet files in it and in the folders below, whoever wrote them.
type Folder struct {
	// Schema has the columns of the files and of the partitions.
	Schema  *columnar.Schema
	Files   []string // by name
	objects store.Store
	by      []string // the partition columns
}

// OpenFolder looks at a folder. The columns, and the types of partition columns, are those that its logs say. Without a log they are those of the first file, with
// what later ones have more, and the partition columns that folders name, as STRING. A folder without files and logs has no schema.
func OpenFolder(ctx context.Context, objects store.Store) (*Folder, error) {
	f := &Folder{objects: objects}
	err := objects.Walk(ctx, "", func(in store.Info) error {
		if path.Ext(in.Name) == suffix && !hidden(in.Name) {
			f.Files = append(f.Files, in.Name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(f.Files)
	if err := f.fromLogs(ctx); err != nil {
		return nil, err
	}
	if f.Schema == nil {
		err = f.fromFiles(ctx)
	}
	return f, err
}

// OpenFiles looks at some files of a folder as OpenFolder does at all of one without logs.
func OpenFiles(ctx context.Context, objects store.Store, names ...string) (*Folder, error) {
	f := &Folder{objects: objects, Files: names}
	return f, f.fromFiles(ctx)
}

// fromLogs takes the schema of the logs, together.
func (f *Folder) fromLogs(ctx context.Context) error {
	logs, err := lakehouse.PlainLogs(ctx, f.objects)
	if err != nil {
		return err
	}
	for _, name := range logs {
		s, err := Open(f.objects, name, "", nil).Snapshot(ctx)
		if err != nil {
			return err
		}
		if err := f.add(s.Schema); err != nil {
			return fmt.Errorf("log of %s in %s: %w", name, f.objects, err)
		}
		for _, column := range s.PartitionBy {
			f.partitioned(column)
		}
	}
	return nil
}

func (f *Folder) partitioned(column string) {
	if !slices.Contains(f.by, column) {
		f.by = append(f.by, column)
	}
}

// add puts the columns of a schema to those that are known.
func (f *Folder) add(s *columnar.Schema) (err error) {
	if f.Schema == nil {
		f.Schema = s
		return nil
	}
	if f.Schema, err = lakehouse.Evolve(f.Schema, s); err != nil {
		err = fmt.Errorf("it does not go with those before it (table: those; query: this one): %w", err)
	}
	return err
}

// fromFiles takes the schema of the files.
func (f *Folder) fromFiles(ctx context.Context) error {
	for _, name := range f.Files {
		own, err := f.schemaOf(ctx, name)
		if err == nil {
			err = f.add(own)
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", name, f.objects, err)
		}
	}
	for _, name := range f.Files {
		for _, part := range strings.Split(path.Dir(name), "/") {
			if column, _, ok := partition.ParseFolder(part); ok && f.Schema.Index(column) < 0 {
				f.Schema = columnar.NewSchema(append(slices.Clip(f.Schema.Fields), columnar.Field{Name: column, Type: columnar.String, Nullable: true})...)
				f.partitioned(column)
			}
		}
	}
	return nil
}

func (f *Folder) schemaOf(ctx context.Context, name string) (*columnar.Schema, error) {
	r, err := f.objects.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	file, err := parquetfile.Open(r)
	if err != nil {
		return nil, err
	}
	return parquetfile.SchemaOf(file)
}

// Scan calls fn with the rows, file by file. The batch is borrowed. An error of fn ends the scan and is returned.
func (f *Folder) Scan(ctx context.Context, fn func(*columnar.Batch) error) error {
	for _, name := range f.Files {
		if err := f.scanFile(ctx, name, fn); err != nil {
			return err
		}
	}
	return nil
}

// valuesOf are the partition values in the path of a file.
func valuesOf(name string) map[string]*string {
	values := map[string]*string{}
	for _, part := range strings.Split(path.Dir(name), "/") {
		if column, v, ok := partition.ParseFolder(part); ok {
			values[column] = v
		}
	}
	return values
}

func (f *Folder) scanFile(ctx context.Context, name string, fn func(*columnar.Batch) error) error {
	columns, err := partition.NewColumns(f.Schema, f.by, valuesOf(name))
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, f.objects, err)
	}
	in, err := f.objects.Open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := parquetfile.OpenReader(in, columns.InFile)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, f.objects, err)
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s of %s: %w", name, f.objects, err)
		}
		full := columns.Fill(b)
		b.Release()
		err = fn(full)
		full.Release()
		if err != nil {
			return err
		}
	}
}
