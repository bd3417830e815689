package delta

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

var _ lakehouse.Eraser = (*Table)(nil)

// Erase takes rows out of files by their keys.
//
//  1. Files that can hold no key, by their partition values and statistics (canHold) and by their Bloom filters (denied), are left out.
//  2. Of the others the key columns are read: which rows go (hitsOf)?
//  3. Files with such rows are read whole and written again without them, small ones of a partition together (rewrite).
//
// Files are read, and written, one for each processor at a time; the encoded bytes of one new file for each are in memory.
func (t *Table) Erase(ctx context.Context, s lakehouse.Snapshot, files []lakehouse.DataFile, e lakehouse.Erasure) (lakehouse.Erased, error) {
	if s.Version < 0 || len(files) == 0 {
		return lakehouse.Erased{}, nil
	}
	if s.Unusable != nil {
		return lakehouse.Erased{}, fmt.Errorf("table %s: %w", t, s.Unusable)
	}
	hits, scanned, err := t.find(ctx, s, files, e)
	if err != nil {
		return lakehouse.Erased{}, err
	}
	out := lakehouse.Erased{Scanned: scanned}
	out.Rewrites, err = t.rewriteAll(ctx, s, planRests(hits, e), e.DryRun)
	return out, err
}

// find returns the files with rows that go, in the order of the files, and how many were read for it.
func (t *Table) find(ctx context.Context, s lakehouse.Snapshot, files []lakehouse.DataFile, e lakehouse.Erasure) ([]hit, int, error) {
	if e.Where != nil {
		c, err := newCondition(s, e.Where)
		if err != nil {
			return nil, 0, fmt.Errorf("table %s: %w", t, err)
		}
		return c.find(ctx, t, files)
	}
	if e.Keys == nil {
		var err error
		if e.Keys, err = t.keysIn(ctx, s, e); err != nil {
			return nil, 0, err
		}
	}
	h, err := t.newHunt(s, e)
	if err != nil {
		return nil, 0, fmt.Errorf("table %s: %w", t, err)
	}
	return t.hunt(ctx, h, files)
}

// keysIn are the keys of the rows of files that nothing names yet.
func (t *Table) keysIn(ctx context.Context, s lakehouse.Snapshot, e lakehouse.Erasure) (*group.Set, error) {
	keys, err := keysOf(s.Schema, e.Columns)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t, err)
	}
	types := make([]columnar.Type, keys.Len())
	for i, f := range keys.Fields {
		types[i] = f.Type
	}
	index := group.NewIndex(types)
	for _, f := range e.SameAs {
		p, err := partition.NewColumns(keys, among(keys, s.PartitionBy), f.Partition)
		if err != nil {
			return nil, fmt.Errorf("data file %s of %s: %w", f.Path, t, err)
		}
		rows, err := t.readFile(ctx, f, p, func(b *columnar.Batch) error {
			index.Add(b.Columns(), nil, nil)
			return nil
		})
		if err := agrees(t, f, rows, err); err != nil {
			return nil, err
		}
	}
	return group.NewSet(types, index), nil
}

// hit is a file with rows that go.
type hit struct {
	file lakehouse.DataFile
	gone rowSet
	n    int64 // rows that go
	rows int64 // of the file
}

// hunt finds the files with rows that go, in the order of the files.
func (t *Table) hunt(ctx context.Context, h *hunt, files []lakehouse.DataFile) (hits []hit, scanned int, err error) {
	found, scan := make([]hit, len(files)), make([]bool, len(files))
	asked := h.deniable()
	if asked != nil {
		defer asked.Release()
	}
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		p, err := partition.NewColumns(h.keys, h.partitionKeys, f.Partition)
		if err != nil {
			return nil, 0, fmt.Errorf("data file %s of %s: %w", f.Path, t, err)
		}
		if !h.canHold(f, p) {
			continue
		}
		tasks.Go(func() (err error) {
			found[i], scan[i], err = t.hitsOf(ctx, h, f, p, asked)
			return err
		})
	}
	if err := tasks.Wait(); err != nil {
		return nil, 0, err
	}
	for _, yes := range scan {
		if yes {
			scanned++
		}
	}
	return slices.DeleteFunc(found, func(f hit) bool { return f.n == 0 }), scanned, nil
}

// hitsOf reads the keys of a file. False: its Bloom filters deny those that are asked for.
func (t *Table) hitsOf(ctx context.Context, h *hunt, f lakehouse.DataFile, p *partition.Columns, asked *columnar.Batch) (out hit, read bool, err error) {
	out, read = hit{file: f}, true
	var sel columnar.Selection
	finder := h.set.Finder()
	file := &scannedFile{add: add{Path: encodePath(f.Path)}, partition: p, deny: func(r *parquetfile.Reader) (bool, error) {
		no, err := denied(asked, f, r.Probe())
		read = !no
		return no, err
	}}
	rows := int64(0)
	err = t.scanFile(ctx, file, func(b *columnar.Batch) error {
		if sel = finder.Find(b.Columns(), b.Rows(), sel[:0]); len(sel) > 0 && out.gone == nil {
			out.gone = newRowSet(max(f.Rows, 0))
		}
		out.note(sel, b.Rows())
		rows += int64(b.Rows())
		return nil
	})
	if !read {
		return out, false, err
	}
	return out, true, agrees(t, f, rows, err)
}

// agrees refuses a file that was read to its end and has other rows than the log says.
func agrees(t *Table, f lakehouse.DataFile, rows int64, err error) error {
	if err == nil && f.Rows >= 0 && f.Rows != rows {
		err = fmt.Errorf("%w: data file %s of %s has %d rows, and the log says %d", parquetfile.ErrDamaged, f.Path, t, rows, f.Rows)
	}
	return err
}

// note adds the rows of a batch that go.
func (h *hit) note(sel columnar.Selection, rows int) {
	for need := (h.rows + int64(rows) + 63) / 64; h.gone != nil && int64(len(h.gone)) < need; {
		h.gone = append(h.gone, 0)
	}
	for _, row := range sel {
		at := h.rows + int64(row)
		h.gone[at>>6] |= 1 << (at & 63)
	}
	h.n, h.rows = h.n+int64(len(sel)), h.rows+int64(rows)
}

// rest are files of one partition whose rests become one file.
type rest struct {
	prefix string
	hits   []hit
	bytes  int64 // of the files
	left   int64 // rows
}

// planRests puts rests of the same partition and prefix together, up to the target, in the order of the files.
func planRests(hits []hit, e lakehouse.Erasure) []rest {
	var out []rest
	open := map[string]int{} // by partition and prefix
	for _, h := range hits {
		prefix := e.Prefix(h.file.Path)
		key := lakehouse.PartitionKey(h.file.Partition) + prefix
		// What is left of a file is about as large as its part of the rows.
		left := h.rows - h.n
		bytes := int64(float64(h.file.Bytes) * float64(left) / float64(h.rows))
		at, ok := open[key]
		if !ok || out[at].bytes+bytes > cmp.Or(e.TargetFileSize, defaultFileSize) {
			at = len(out)
			open[key], out = at, append(out, rest{prefix: prefix})
		}
		r := &out[at]
		r.hits, r.bytes, r.left = append(r.hits, h), r.bytes+bytes, r.left+left
	}
	return out
}

func (t *Table) rewriteAll(ctx context.Context, s lakehouse.Snapshot, rests []rest, dryRun bool) ([]lakehouse.Rewrite, error) {
	out := make([]lakehouse.Rewrite, len(rests))
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range rests {
		for _, h := range r.hits {
			out[i].Remove, out[i].Gone = append(out[i].Remove, h.file), out[i].Gone+h.n
		}
		if out[i].Kept = r.left; r.left == 0 || dryRun {
			continue
		}
		id := t.newID()
		tasks.Go(func() (err error) {
			out[i].Add, err = t.rewrite(ctx, s, r, id)
			return err
		})
	}
	return out, tasks.Wait()
}

// rewrite writes what is left of some files to a new one.
func (t *Table) rewrite(ctx context.Context, s lakehouse.Snapshot, r rest, id string) ([]lakehouse.DataFile, error) {
	return t.writeFile(ctx, s, r.hits[0].file.Partition, r.prefix+"-"+id, func(w *parquetfile.Writer, inFile *columnar.Schema) (int64, error) {
		whole, err := partition.NewColumns(inFile, nil, nil)
		for _, h := range r.hits {
			if err == nil && h.n < h.rows {
				err = t.copyRest(ctx, h, whole, w)
			}
		}
		return r.left, err
	})
}

// copyRest copies the rows of a file that stay.
func (t *Table) copyRest(ctx context.Context, h hit, whole *partition.Columns, w *parquetfile.Writer) error {
	at := int64(0)
	_, err := t.readFile(ctx, h.file, whole, func(b *columnar.Batch) error {
		b.Retain()
		kept := h.gone.without(b, at)
		defer kept.Release()
		at += int64(b.Rows())
		return w.Write(ctx, 0, kept)
	})
	return err
}

// readFile calls fn with the rows of a live file without a deletion vector, and counts them. The batch is borrowed.
func (t *Table) readFile(ctx context.Context, f lakehouse.DataFile, p *partition.Columns, fn func(*columnar.Batch) error) (rows int64, err error) {
	err = t.scanFile(ctx, &scannedFile{add: add{Path: encodePath(f.Path)}, partition: p}, func(b *columnar.Batch) error {
		rows += int64(b.Rows())
		return fn(b)
	})
	return rows, err
}

// keysOf is the schema of some columns of a table.
func keysOf(s *columnar.Schema, columns []string) (*columnar.Schema, error) {
	out := &columnar.Schema{}
	for _, name := range columns {
		at := s.Index(name)
		if at < 0 {
			return nil, fmt.Errorf("it has no key column %s: its schema is %s", name, s)
		}
		out.Fields = append(out.Fields, columnar.Field{Name: s.Fields[at].Name, Type: s.Fields[at].Type, Nullable: true})
	}
	return out, nil
}

// among are those of some columns that are partition columns.
func among(columns *columnar.Schema, by []string) (out []string) {
	for _, f := range columns.Fields {
		if slices.ContainsFunc(by, func(name string) bool { return strings.EqualFold(name, f.Name) }) {
			out = append(out, f.Name)
		}
	}
	return out
}
