package delta

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

// merge are files of one partition that become one, in the order of their rows.
type merge struct {
	prefix string
	files  []add
	bytes  int64
}

// planMerges puts together files that are small, which is below three quarters of the target, the oldest first: rows that came together
// stay together. Each merge has two files or more, of one partition and prefix and of no more bytes than the target. Files with
// deletion vectors are left alone.
func planMerges(live []add, target int64, prefix func(string) string) (out []merge) {
	small := slices.DeleteFunc(live, func(a add) bool { return a.DeletionVector != nil || a.Size >= target/4*3 })
	slices.SortFunc(small, func(a, b add) int {
		return cmp.Or(cmp.Compare(a.ModificationTime, b.ModificationTime), strings.Compare(a.Path, b.Path))
	})
	open := map[string]*merge{} // by partition and prefix
	for _, a := range small {
		p := prefix(decodePath(a.Path))
		key := lakehouse.PartitionKey(a.PartitionValues) + p
		m := open[key]
		if m == nil || m.bytes+a.Size > target {
			out = appendMerge(out, m)
			m = &merge{prefix: p}
			open[key] = m
		}
		m.files, m.bytes = append(m.files, a), m.bytes+a.Size
	}
	for _, m := range open {
		out = appendMerge(out, m)
	}
	slices.SortFunc(out, func(a, b merge) int { return strings.Compare(a.files[0].Path, b.files[0].Path) })
	return out
}

func appendMerge(out []merge, m *merge) []merge {
	if m == nil || len(m.files) < 2 {
		return out
	}
	return append(out, *m)
}

// MergeFiles writes the rows of files of one partition into one.
func (t *Table) MergeFiles(ctx context.Context, base lakehouse.Snapshot, files []lakehouse.DataFile, prefix string) ([]lakehouse.DataFile, error) {
	m := merge{prefix: prefix}
	for _, f := range files {
		m.files = append(m.files, *addOf(f, f.Time, false))
	}
	return t.writeMerge(ctx, base, m, t.newID())
}

// TargetFileSize is that of the table's properties, or else the one given, or else 128 MiB.
func (t *Table) TargetFileSize(base lakehouse.Snapshot, otherwise int64) int64 {
	return CompactOptions{DefaultFileSize: otherwise}.target(base.Properties)
}

// writeMerge writes the file of a merge; without rows there is none.
func (t *Table) writeMerge(ctx context.Context, snap lakehouse.Snapshot, m merge, id string) ([]lakehouse.DataFile, error) {
	return t.writeFile(ctx, snap, m.files[0].PartitionValues, m.prefix+"-"+id, func(w *parquetfile.Writer, _ *columnar.Schema) (rows int64, err error) {
		for _, a := range m.files {
			n, err := t.appendFile(ctx, a, w)
			if err != nil {
				return rows, fmt.Errorf("merge %s of %s: %w", decodePath(a.Path), t, err)
			}
			rows += n
		}
		return rows, nil
	})
}

// writeFile writes a file of one partition as the table is laid out. fill writes its rows, which have the columns of files, and counts them.
func (t *Table) writeFile(ctx context.Context, snap lakehouse.Snapshot, values map[string]*string, base string, fill func(*parquetfile.Writer, *columnar.Schema) (rows int64, err error)) ([]lakehouse.DataFile, error) {
	inFile := columnsInFiles(snap.Schema, snap.PartitionBy)
	name := path.Join(partition.Folder(snap.PartitionBy, values), base+".parquet")
	w, err := parquetfile.NewWriter(t.objects, inFile, parquetfile.Options{Layout: fittingLayout(snap.Layout, inFile), Name: func() string { return name }})
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t, err)
	}
	defer w.Abort()
	rows, err := fill(w, inFile)
	if err != nil {
		return nil, err
	}
	files, err := finishFiles(ctx, w, inFile, statsRuleOf(snap.Properties), values)
	if err != nil {
		return nil, err
	}
	if n := rowsOf(files); n != rows {
		return nil, fmt.Errorf("%s of %s has %d rows instead of %d: nothing was changed", name, t, n, rows)
	}
	return files, nil
}

func rowsOf(files []lakehouse.DataFile) (n int64) {
	for _, f := range files {
		n += f.Rows
	}
	return n
}

// appendFile adds the rows of a file, and counts them: they must be as many as the log says, if it does.
func (t *Table) appendFile(ctx context.Context, a add, w *parquetfile.Writer) (rows int64, err error) {
	f, err := t.objects.Open(ctx, decodePath(a.Path))
	if err != nil {
		return 0, err
	}
	if rows, err = w.Append(ctx, f); err != nil {
		return 0, err
	}
	if said := dataFile(a).Rows; said >= 0 && said != rows {
		return 0, fmt.Errorf("%w: it has %d rows, and the log says %d", parquetfile.ErrDamaged, rows, said)
	}
	return rows, nil
}

// columnsInFiles are those that files have: all but the partition columns. Each may be NULL, as in the files of a pipeline.
func columnsInFiles(schema *columnar.Schema, by []string) *columnar.Schema {
	out := &columnar.Schema{}
	for _, f := range schema.Fields {
		if !slices.Contains(by, f.Name) {
			out.Fields = append(out.Fields, columnar.Field{Name: f.Name, Type: f.Type, Nullable: true})
		}
	}
	return out
}
