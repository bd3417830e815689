package parquetfile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// A batch that is read has at most batchRows rows, and about batchBytes and batchSlots as far as the footer tells.
const (
	batchRows  = 64 << 10
	batchBytes = 32 << 20
	batchSlots = 1 << 20 // of one leaf: more than rows in lists
)

// ErrDamaged wraps what is wrong with the bytes of a file.
var ErrDamaged = errors.New("the Parquet file is damaged")

// Reader reads one Parquet file, whoever wrote it, as batches of a schema. Columns are told by name; one that the file
// lacks is NULL. A Reader is used by one goroutine.
type Reader struct {
	from   store.Reader
	file   *parquet.File
	schema *columnar.Schema
	names  *Names
	chosen []int // row groups that are read; nil: all
	group  int   // how many of them were begun
	row    int64 // of the file: the first one of the newest batch
	next   int64 // and of the next one
	cols   []columnReader
	left   int // rows of the current row group
	step   int // rows of a batch of it
	most   int // rows of any batch
}

// OpenReader opens a file, which the caller closes after the Reader. A nil schema means that of the file.
func OpenReader(r store.Reader, schema *columnar.Schema) (*Reader, error) {
	return OpenNamed(r, schema, nil)
}

// OpenNamed opens a file that has other names for the columns of the schema.
func OpenNamed(r store.Reader, schema *columnar.Schema, names *Names) (rd *Reader, err error) {
	defer recovered(&err)
	f, err := Open(r)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		if schema, err = SchemaOf(f); err != nil {
			return nil, err
		}
	}
	return &Reader{from: r, file: f, schema: schema, names: names, most: batchRows}, nil
}

// Open opens a file of any writer and schema. Damage is an error.
func Open(r store.Reader) (f *parquet.File, err error) {
	defer recovered(&err)
	if err := checkFooter(r); err != nil {
		return nil, err
	}
	f, err = parquet.OpenFile(r, r.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, checkCodecs(f)
}

// checkCodecs refuses LZ4: of a damaged page, parquet-go makes ever larger buffers without end.
func checkCodecs(f *parquet.File) error {
	for _, g := range f.Metadata().RowGroups {
		for _, c := range g.Columns {
			if c.MetaData.Codec == format.Lz4Raw {
				return errors.New("the Parquet file is compressed with LZ4, which is not read: write it again with zstd or snappy")
			}
		}
	}
	return nil
}

// checkFooter refuses a footer that claims to be longer than the file, before anybody makes room for it.
func checkFooter(r store.Reader) error {
	const magic = 4
	var tail [4 + magic]byte
	if r.Size() < magic+int64(len(tail)) {
		return fmt.Errorf("%w: it has %d bytes", ErrDamaged, r.Size())
	}
	if _, err := r.ReadAt(tail[:], r.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n := int64(binary.LittleEndian.Uint32(tail[:4])); n > r.Size()-int64(len(tail))-magic {
		return fmt.Errorf("%w: its footer is said to have %d of its %d bytes", ErrDamaged, n, r.Size())
	}
	return nil
}

// recovered turns a panic of parquet-go, its answer to some kinds of damage, into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrDamaged, r)
	}
}

// Probe asks the Bloom filters of the file.
func (r *Reader) Probe() *Probe { return &Probe{from: r.from, file: r.file, names: r.names} }

// Rows is the number of rows of the file.
func (r *Reader) Rows() int64 { return r.file.NumRows() }

// Close lets go of the pages that are held. It may be called twice.
func (r *Reader) Close() {
	for _, c := range r.cols {
		c.close()
	}
	r.cols, r.left, r.group = nil, 0, len(r.file.RowGroups())
}

// Next returns the next rows, io.EOF after the last. A batch does not go beyond its row group.
func (r *Reader) Next(ctx context.Context) (b *columnar.Batch, err error) {
	defer recovered(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for r.left == 0 {
		at, ok := r.nextGroup()
		if !ok {
			r.Close()
			return nil, io.EOF
		}
		if err := r.open(at); err != nil {
			return nil, err
		}
		r.group++
	}
	n := min(r.left, r.step)
	r.left -= n
	r.row, r.next = r.next, r.next+int64(n)
	return r.batch(n)
}

// nextGroup is the position of the next row group to read.
func (r *Reader) nextGroup() (at int, ok bool) {
	if r.chosen == nil {
		return r.group, r.group < len(r.file.RowGroups())
	}
	if r.group >= len(r.chosen) {
		return 0, false
	}
	return r.chosen[r.group], true
}

// open begins a row group.
func (r *Reader) open(at int) error {
	g := r.file.RowGroups()[at]
	for _, c := range r.cols {
		c.close()
	}
	if g.NumRows() < 0 {
		return fmt.Errorf("%w: row group %d has %d rows", ErrDamaged, at, g.NumRows())
	}
	r.cols, r.left, r.step = nil, int(g.NumRows()), r.most
	r.next = 0
	for _, before := range r.file.Metadata().RowGroups[:at] {
		r.next += before.NumRows
	}
	meta := r.file.Metadata().RowGroups[at]
	r.limit(meta.TotalByteSize, batchBytes)
	for _, c := range meta.Columns {
		r.limit(c.MetaData.NumValues, batchSlots)
	}
	for _, f := range r.schema.Fields {
		o := opener{schema: r.file.Schema(), group: g, from: r.from, columns: meta.Columns}
		c, err := o.openColumn(f, r.names.part(f.Name))
		if err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
		r.cols = append(r.cols, c)
	}
	return nil
}

// limit makes batches smaller if the row group has more of something, evenly spread, than a batch of its rows may have.
func (r *Reader) limit(total, most int64) {
	if r.left > 0 && total > most {
		r.step = min(r.step, int(max(1, most/(total/int64(r.left)+1))))
	}
}

func (r *Reader) batch(n int) (*columnar.Batch, error) {
	cols := make([]columnar.Column, 0, len(r.cols))
	for i, c := range r.cols {
		col, err := c.read(n)
		if err != nil {
			for _, done := range cols {
				done.Release()
			}
			return nil, fmt.Errorf("column %s: %w", r.schema.Fields[i].Name, err)
		}
		cols = append(cols, col)
	}
	return columnar.NewBatch(r.schema, cols, n), nil
}
