package parquetfile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// A lane is encoded when it has grown to either bound.
const (
	groupRows  = 128 << 10
	groupBytes = 16 << 20
)

// File is one finished data file.
type File struct {
	Name  string
	Rows  int64
	Bytes int64
	Stats []Stats // by column
}

// Options shape the files of a Writer.
type Options struct {
	// Name returns the name of the next file.
	Name func() string
	// TargetBytes ends a file when it has grown beyond it; 0: one file.
	TargetBytes int64
}

// codec and pagers are shared by all writers: both keep large scratch buffers.
var (
	codec  = &zstd.Codec{Level: zstd.SpeedFastest}
	pagers = sync.Pool{New: func() any { return new(pager) }}
)

// Writer collects rows in lanes and writes them to files of a store. See the package comment.
type Writer struct {
	objects store.Store
	schema  *columnar.Schema
	opts    Options
	file    *parquet.GenericWriter[any]
	types   []parquet.Type

	mu    sync.Mutex // guards lanes and the making of row groups
	lanes map[int64]*lane
	done  bool
}

// lane is touched by one goroutine at a time.
type lane struct {
	rows    []*columnar.Batch
	count   int
	bytes   int64
	encoded []*group
}

// group is an encoded row group that waits for its turn in a file.
type group struct {
	w     *parquet.ConcurrentRowGroupWriter
	rows  int64
	stats []Stats
}

// NewWriter returns a writer of rows of the schema.
func NewWriter(objects store.Store, schema *columnar.Schema, opts Options) (*Writer, error) {
	fs, err := fileSchema(schema)
	if err != nil {
		return nil, err
	}
	w := &Writer{objects: objects, schema: schema, opts: opts, lanes: map[int64]*lane{}}
	w.file = parquet.NewGenericWriter[any](io.Discard, append(unbounded(fs), fs,
		parquet.Compression(codec), parquet.DataPageVersion(1), parquet.DataPageStatistics(false),
		parquet.CreatedBy("lakewheel", "1", "0"), parquet.MaxRowsPerRowGroup(1<<30))...)
	for _, f := range fs.Fields() {
		w.types = append(w.types, f.Type())
	}
	return w, nil
}

// unbounded leaves out the bounds of DECIMAL columns that are fixed byte arrays: the library compares those without their sign.
func unbounded(fs *parquet.Schema) (opts []parquet.WriterOption) {
	for _, f := range fs.Fields() {
		if f.Type().Kind() == parquet.FixedLenByteArray {
			opts = append(opts, parquet.SkipPageBounds(f.Name()))
		}
	}
	return opts
}

// Write adds rows to a lane; the batch is borrowed. Calls for different lanes may be concurrent.
func (w *Writer) Write(ctx context.Context, id int64, b *columnar.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := w.lane(id)
	b.Retain()
	l.rows, l.count, l.bytes = append(l.rows, b), l.count+b.Rows(), l.bytes+b.Bytes()
	if l.count < groupRows && l.bytes < groupBytes {
		return nil
	}
	g, err := w.encode(l.take())
	if err != nil {
		return err
	}
	l.encoded = append(l.encoded, g)
	return nil
}

func (w *Writer) lane(id int64) *lane {
	w.mu.Lock()
	defer w.mu.Unlock()
	l, ok := w.lanes[id]
	if !ok {
		l = &lane{}
		w.lanes[id] = l
	}
	return l
}

// take hands over the batches that are not encoded yet.
func (l *lane) take() []*columnar.Batch {
	rows := l.rows
	l.rows, l.count, l.bytes = nil, 0, 0
	return rows
}

func releaseAll(batches []*columnar.Batch) {
	for _, b := range batches {
		b.Release()
	}
}

// encode makes a row group of batches and releases them.
func (w *Writer) encode(batches []*columnar.Batch) (*group, error) {
	defer releaseAll(batches)
	g := w.newGroup()
	p := pagers.Get().(*pager)
	defer pagers.Put(p)
	for _, b := range joined(batches) {
		err := w.encodeBatch(g, p, b)
		b.Release()
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (w *Writer) encodeBatch(g *group, p *pager, b *columnar.Batch) error {
	columns := g.w.ColumnWriters()
	for i, f := range w.schema.Fields {
		at := b.Schema().Index(f.Name)
		if at < 0 {
			return fmt.Errorf("the rows have no column %s", f.Name)
		}
		g.stats[i].typ = w.types[i]
		if err := p.column(columns[i], i, w.types[i], f, b.Column(at), &g.stats[i]); err != nil {
			return err
		}
	}
	g.rows += int64(b.Rows())
	return nil
}

// joined makes full pages of small batches: pages of a few rows cost more than the copy. The caller releases the result.
func joined(batches []*columnar.Batch) []*columnar.Batch {
	rows := 0
	for _, b := range batches {
		rows += b.Rows()
	}
	if len(batches) > 1 && rows/len(batches) < pageRows/2 {
		if one, err := columnar.Concat(batches); err == nil {
			return []*columnar.Batch{one}
		}
	}
	for _, b := range batches {
		b.Retain()
	}
	return batches
}

func (w *Writer) newGroup() *group {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &group{w: w.file.BeginRowGroup(), stats: make([]Stats, w.schema.Len())}
}

// Finish writes the files, durable. No rows, no file.
func (w *Writer) Finish(ctx context.Context) ([]File, error) {
	w.done = true
	groups, err := w.groups()
	if err != nil {
		return nil, err
	}
	var files []File
	for len(groups) > 0 {
		f, n, err := w.writeFile(ctx, groups)
		if err != nil {
			return nil, err
		}
		files, groups = append(files, f), groups[n:]
	}
	return files, nil
}

// groups are all row groups in lane order. The rest of each lane is joined with the rest of the next ones.
func (w *Writer) groups() ([]*group, error) {
	ids := make([]int64, 0, len(w.lanes))
	for id := range w.lanes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, cmp.Compare)
	var out []*group
	var rest []*columnar.Batch
	rows := 0
	flush := func() error {
		if len(rest) == 0 {
			return nil
		}
		g, err := w.encode(rest)
		rest, rows = nil, 0
		out = append(out, g)
		return err
	}
	for _, id := range ids {
		l := w.lanes[id]
		if len(l.encoded) > 0 {
			if err := flush(); err != nil {
				return nil, err
			}
			out = append(out, l.encoded...)
		}
		rows += l.count
		rest = append(rest, l.take()...)
		if rows >= groupRows {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return out, flush()
}

// writeFile writes row groups until the file is large enough, and reports how many it took.
func (w *Writer) writeFile(ctx context.Context, groups []*group) (f File, n int, err error) {
	f = File{Name: w.opts.Name(), Stats: make([]Stats, w.schema.Len())}
	out, err := w.objects.Create(ctx, f.Name)
	if err != nil {
		return f, 0, err
	}
	defer func() {
		if err != nil {
			out.Abort()
		}
	}()
	counter := &countingWriter{w: out}
	w.file.Reset(counter)
	for _, g := range groups {
		if _, err := g.w.Commit(); err != nil {
			return f, 0, fmt.Errorf("write %s: %w", f.Name, err)
		}
		n, f.Rows = n+1, f.Rows+g.rows
		for i := range f.Stats {
			f.Stats[i].typ = w.types[i]
			f.Stats[i].merge(g.stats[i])
		}
		if w.opts.TargetBytes > 0 && counter.n >= w.opts.TargetBytes {
			break
		}
	}
	if err := w.file.Close(); err != nil {
		return f, 0, fmt.Errorf("write %s: %w", f.Name, err)
	}
	f.Bytes = counter.n
	return f, n, out.Close()
}

// Abort drops what was not finished.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	for _, l := range w.lanes {
		releaseAll(l.take())
	}
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
