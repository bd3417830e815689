package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// export writes the state of an operator as a Parquet file and says so.
func (s *storedState) export(ctx context.Context, operator, to string, said io.Writer) error {
	o, err := s.operator(operator)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return usageError{fmt.Errorf("--to %s: the file is there already", to)}
	}
	folder, err := store.NewLocal(filepath.Dir(to))
	if err != nil {
		return err
	}
	readable := o.view.Readable(storable)
	w, err := parquetfile.NewWriter(folder, readable.Schema(), parquetfile.Options{Name: func() string { return filepath.Base(to) }})
	if err != nil {
		return err
	}
	defer w.Abort()
	err = o.view.Scan(func(rows *columnar.Batch) error {
		out := readable.Rows(rows)
		defer out.Release()
		return w.Write(ctx, 0, out)
	})
	if err != nil {
		return err
	}
	files, err := w.Finish(ctx)
	if err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	if len(files) == 0 {
		fmt.Fprintf(said, "operator %s keeps no rows; no file was written\n", o.Name)
		return nil
	}
	fmt.Fprintf(said, "%d rows of %s in %s\n", files[0].Rows, o.Text(), to)
	return nil
}

// storable reports whether a Parquet file takes values of a type.
func storable(t columnar.Type) bool {
	return parquetfile.Storable(columnar.NewSchema(columnar.Field{Name: "c", Type: t, Nullable: true})) == nil
}

// operator finds an operator by its number, its name or its kind.
func (s *storedState) operator(which string) (*operatorState, error) {
	var names []string
	for _, o := range s.Operators {
		number, kind, _ := strings.Cut(o.Name, ":")
		if which == number || which == o.Name || which == kind && s.only(kind) {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return nil, usageError{fmt.Errorf("--export %s: the pipeline has no such operator with state, only [%s]", which, strings.Join(names, ", "))}
}

// only reports whether one operator alone is of a kind.
func (s *storedState) only(kind string) bool {
	n := 0
	for _, o := range s.Operators {
		if _, k, _ := strings.Cut(o.Name, ":"); k == kind {
			n++
		}
	}
	return n == 1
}
