package committer

import (
	"context"
	"fmt"
	"path"
	"testing"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// tableFormat is what the tests of the protocol are run over.
type tableFormat struct {
	name string
	open func(objects store.Store, name, previous string, id func() string) lakehouse.Table
	// entry is the path of a log entry of pipeline p within the table.
	entry func(version int64) string
	// hint is a file that maintenance has written after 100 versions.
	hint string
	// scan reads the rows as others do.
	scan func(ctx context.Context, objects store.Store, fn func(*columnar.Batch) error) error
}

var (
	deltaFormat = tableFormat{
		name: "Delta",
		open: func(objects store.Store, _, _ string, id func() string) lakehouse.Table {
			return delta.Open(objects, id)
		},
		entry: func(v int64) string { return fmt.Sprintf("_delta_log/%020d.json", v) },
		hint:  "_delta_log/00000000000000000100.checkpoint.parquet",
		scan: func(ctx context.Context, objects store.Store, fn func(*columnar.Batch) error) error {
			d := delta.Open(objects, nil)
			snap, err := d.Snapshot(ctx)
			if err != nil {
				return err
			}
			return d.Scan(ctx, snap, fn)
		},
	}
	plainFormat = tableFormat{
		name: "plain Parquet",
		open: func(objects store.Store, name, previous string, id func() string) lakehouse.Table {
			return parquetdir.Open(objects, name, previous, id)
		},
		entry: func(v int64) string { return fmt.Sprintf("_lakewheel/p/log/%020d.json", v) },
		hint:  "_lakewheel/p/log/newest.json",
		scan: func(ctx context.Context, objects store.Store, fn func(*columnar.Batch) error) error {
			f, err := parquetdir.OpenFolder(ctx, objects)
			if err != nil {
				return err
			}
			return f.Scan(ctx, fn)
		},
	}
	// format is that of the test that runs.
	format = deltaFormat
)

// overFormats runs a test of the protocol over each format, one after the other.
func overFormats(t *testing.T, test func(t *testing.T)) {
	defer func() { format = deltaFormat }()
	for _, f := range []tableFormat{deltaFormat, plainFormat} {
		format = f
		t.Run(f.name, test)
	}
}

// entryOf is the path of a log entry of a table of pipeline p.
func entryOf(table string, version int64) string { return path.Join(table, format.entry(version)) }

// named gives a driver another name.
func named(o Options, objects store.Store, name, previous string) Options {
	o.Name, o.Previous = name, previous
	o.Table = format.open(store.Sub(objects, "t"), name, previous, o.NewID)
	o.Side = map[string]SideTable{"dead_letter": {Table: format.open(store.Sub(objects, "dead"), name, previous, o.NewID), Objects: store.Sub(objects, "dead"), Schema: rowSchema}}
	return o
}
