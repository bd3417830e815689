package parquetfile

import (
	"context"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Row groups from either size on are kept as they are when their file is appended: smaller ones, joined, are better to read.
const (
	keptRows  = 32 << 10
	keptBytes = 1 << 20
)

// mergedBytes is the size from which on a file whose rows are in order is merged as it is read. Smaller ones are sorted again, so that few are
// open at the same time.
const mergedBytes = 4 << 20

// createdBy is what footers say of this package. Only of its own files it knows that what they say of values is as it would say it.
const createdBy = "lakewheel version 1(build 0)"

// Append adds the rows of a file, behind those of the calls before, and counts them. Row groups that are large enough, and as this Writer would
// encode them, become part of the new file without being decoded. The file is closed when it is not needed any more, at the latest by
// Finish or Abort. Lanes of Write and files do not go together.
func (w *Writer) Append(ctx context.Context, f store.Reader) (rows int64, err error) {
	kept := false
	defer func() {
		if !kept {
			_ = f.Close()
		}
	}()
	r, err := OpenReader(f, w.schema)
	if err != nil {
		return 0, err
	}
	if w.merges(r, f.Size()) {
		kept = true
		w.keep(f, piece{run: r})
		return r.Rows(), nil
	}
	defer r.Close()
	for r.group < len(r.file.RowGroups()) {
		n := r.file.RowGroups()[r.group].NumRows()
		if w.keeps(r) {
			g, err := w.copyGroup(r)
			if err != nil {
				return rows, err
			}
			w.keep(f, piece{group: g})
			kept = true
			r.group++
		} else if err := w.rewrite(ctx, r); err != nil {
			return rows, err
		}
		rows += n
	}
	return rows, nil
}

// keep adds a piece that needs its file.
func (w *Writer) keep(f store.Reader, p piece) {
	if l := w.lane(w.last); l.rest.rows > 0 {
		w.last++
	}
	l := w.lane(w.last)
	l.done = append(l.done, p)
	if !slices.Contains(w.inputs, f) {
		w.inputs = append(w.inputs, f)
	}
}

// rewrite encodes the next row group anew.
func (w *Writer) rewrite(ctx context.Context, r *Reader) error {
	for more := true; more; more = r.left > 0 {
		b, err := r.Next(ctx)
		if err != nil {
			return err
		}
		err = w.Write(ctx, w.last, b)
		b.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// merges reports whether a file is read as a run.
func (w *Writer) merges(r *Reader, size int64) bool {
	if w.sorter == nil || size < w.merged || r.file.Metadata().CreatedBy != createdBy {
		return false
	}
	r.most = runBatchRows
	return !slices.ContainsFunc(r.file.Metadata().RowGroups, func(g format.RowGroup) bool { return !w.sorter.ordered(r.file.Schema(), g.SortingColumns) })
}

// ordered reports whether rows of a file of this package, which says how they are sorted, are in the order. A file is sorted as a whole.
func (s *sorter) ordered(schema *parquet.Schema, by []format.SortingColumn) bool {
	if len(by) < len(s.by) {
		return false
	}
	for i, o := range s.by {
		l, ok := schema.Lookup(s.schema.Fields[o.Column].Name)
		if !ok || int(by[i].ColumnIdx) != l.ColumnIndex || by[i].Descending != o.Descending || by[i].NullsFirst == o.Descending {
			return false
		}
	}
	return true
}

// keeps reports whether the next row group of a file is as this Writer would encode it.
func (w *Writer) keeps(r *Reader) bool {
	m := r.file.Metadata()
	g := m.RowGroups[r.group]
	if w.sorter != nil || !fields.found || m.CreatedBy != createdBy || g.NumRows < keptRows && g.TotalCompressedSize < keptBytes || !parquet.EqualNodes(w.file.Schema(), r.file.Schema()) {
		return false
	}
	for i, c := range g.Columns {
		if c.ColumnIndexOffset == 0 || c.OffsetIndexOffset == 0 || w.filters[i] && (c.MetaData.BloomFilterOffset == 0 || c.MetaData.BloomFilterLength > maxFilterBytes) {
			return false
		}
	}
	return true
}

// copyGroup makes a row group of the next one of a file: its bytes are read when the group is written.
func (w *Writer) copyGroup(r *Reader) (g *group, err error) {
	defer recovered(&err)
	from := r.file.Metadata().RowGroups[r.group]
	g = w.newGroup()
	g.rows = from.NumRows
	for i, c := range r.file.RowGroups()[r.group].ColumnChunks() {
		if err := copyChunk(g.w.ColumnWriters()[i], c.(*parquet.FileColumnChunk), from.Columns[i].MetaData.Encoding); err != nil {
			return nil, err
		}
		g.stats[i] = chunkStats(w.types[i], from.Columns[i].MetaData)
		if !w.filters[i] {
			continue
		}
		if g.filters[i], err = r.Probe().filter(from.Columns[i].MetaData); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// chunkStats are the statistics of a column in a footer of this package. A page with NaN is bounded by the infinities there.
func chunkStats(t parquet.Type, m format.ColumnMetaData) Stats {
	out := Stats{Rows: m.NumValues, Nulls: m.Statistics.NullCount, Bounded: m.NumValues > m.Statistics.NullCount}
	if out.Bounded {
		out.Min, out.Max = t.Kind().Value(m.Statistics.MinValue), t.Kind().Value(m.Statistics.MaxValue)
	}
	return out
}
