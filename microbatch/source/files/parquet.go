package files

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// Parquet reads columns.
type Parquet struct {
	// Declared is the schema of the source, Columns those of its columns that are read.
	Declared, Columns *columnar.Schema
	// Where, over Columns, denies row groups of which the query wants nothing; it may be nil.
	Where *prune.Condition
}

// Divisible is true: a row group can be read on its own.
func (Parquet) Divisible(string) bool { return true }

// SmallestTask is about a row group of a small file.
func (Parquet) SmallestTask() int64 { return 8 << 20 }

// Open reads the row groups whose first byte is one of [from, until).
func (p Parquet) Open(in store.Reader, e *Entry, from, until int64) (Rows, error) {
	r, err := parquetfile.OpenReader(in, p.Columns)
	if err != nil {
		return nil, err
	}
	if err := p.check(r); err != nil {
		r.Close()
		return nil, err
	}
	Select(r, from, until, p.Where)
	return NewColumnRows(&fileRows{r, in}, e), nil
}

// Sample asks the footer.
func (p Parquet) Sample(_ context.Context, in store.Reader, e *Entry) (Sample, error) {
	defer in.Close()
	r, err := parquetfile.OpenReader(in, p.Columns)
	if err != nil {
		return Sample{}, err
	}
	defer r.Close()
	return SampleOf(r, e), nil
}

// SampleOf is what a footer tells.
func SampleOf(r *parquetfile.Reader, e *Entry) Sample { return Sample{r.Rows(), e.Size, r.Unpacked()} }

// fileRows are all rows of the row groups that were chosen.
type fileRows struct {
	*parquetfile.Reader
	file io.Closer
}

func (r *fileRows) At(dst []int64, rows int) []int64 {
	for i := range rows {
		dst = append(dst, r.Row()+int64(i))
	}
	return dst
}

func (r *fileRows) Close() error {
	r.Reader.Close()
	return r.file.Close()
}

// check refuses a file that cannot be meant: it has nothing of the schema, or lacks what may not be NULL.
func (p Parquet) check(r *parquetfile.Reader) error {
	held := 0
	for _, f := range p.Declared.Fields {
		switch {
		case r.Holds(f.Name):
			held++
		case !f.Nullable:
			return fmt.Errorf("it has no column %s, which the schema says is NOT NULL: correct the schema, or take the file out", f.Name)
		}
	}
	if held == 0 && p.Declared.Len() > 0 {
		return fmt.Errorf("it has none of the columns of the schema (%s): correct the schema, or take the file out", p.Declared)
	}
	return nil
}

// Select chooses the row groups of a file whose first byte is one of [from, until), but those that a condition denies.
func Select(r *parquetfile.Reader, from, until int64, where *prune.Condition) {
	ev := compute.NewDefaultEvaluator()
	groups := []int{}
	for i, g := range r.RowGroups() {
		if g.Start < from || g.Start >= until {
			continue
		}
		bound := func(f columnar.Field, upper bool) (columnar.Column, bool) { return r.Bound(i, f, upper) }
		if where.Empty() || !where.Denies(ev, bound) {
			groups = append(groups, i)
		}
	}
	r.Select(groups)
}

// ColumnReader yields columns of a file until io.EOF.
type ColumnReader interface {
	Next(ctx context.Context) (*columnar.Batch, error)
	// At appends the positions in the file of the rows that Next returned last: so many.
	At(dst []int64, rows int) []int64
	Close() error
}

// columnRows makes raw batches of columns.
type columnRows struct {
	rows     ColumnReader
	modified int64
	schema   *columnar.Schema
}

// NewColumnRows returns rows that are columns already.
func NewColumnRows(r ColumnReader, e *Entry) Rows {
	return &columnRows{rows: r, modified: e.Modified * 1000}
}

func (*columnRows) Columns() bool { return true }

// Next puts the columns behind those of a raw batch.
func (r *columnRows) Next(ctx context.Context) (*columnar.Batch, error) {
	b, err := r.rows.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	n := b.Rows()
	if r.schema == nil {
		r.schema = source.RawSchema(true)
		r.schema.Fields = append(r.schema.Fields, b.Schema().Fields...)
	}
	none := columnar.NewNullColumn(columnar.Binary, n)
	none.Retain()
	cols := []columnar.Column{none, columnar.NewInt64Column(r.rows.At(make([]int64, 0, n), n), nil),
		columnar.NewTimestampColumn(slices.Repeat([]int64{r.modified}, n), nil), none}
	for _, c := range b.Columns() {
		c.Retain()
		cols = append(cols, c)
	}
	return columnar.NewBatch(r.schema, cols, n), nil
}

// Close closes the file.
func (r *columnRows) Close() error { return r.rows.Close() }
