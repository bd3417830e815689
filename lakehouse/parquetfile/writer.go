package parquetfile

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// File is one finished data file.
type File struct {
	Name  string
	Rows  int64
	Bytes int64
	Stats []Stats // by leaf: a column, or each plain type in a nested one, in the order of the schema
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
	leaves  []leaf
	types   []parquet.Type // of the leaves

	mu    sync.Mutex // guards lanes and the making of row groups
	lanes map[int64]*lane
}

// group is an encoded row group that waits, compressed, for its turn in a file.
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
	w := &Writer{objects: objects, schema: schema, opts: opts, lanes: map[int64]*lane{}, leaves: leavesOf(schema)}
	w.file = parquet.NewGenericWriter[any](io.Discard, fs,
		parquet.Compression(codec), parquet.DataPageVersion(1), parquet.DataPageStatistics(false),
		parquet.CreatedBy("lakewheel", "1", "0"), parquet.MaxRowsPerRowGroup(1<<30))
	for _, path := range fs.Columns() {
		l, _ := fs.Lookup(path...)
		w.types = append(w.types, l.Node.Type())
	}
	return w, nil
}

// Write adds rows to a lane; the batch is borrowed, its columns are found by name. Calls for different lanes may be
// concurrent. What fills a row group is encoded here and now.
func (w *Writer) Write(ctx context.Context, id int64, b *columnar.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := Project(b, w.schema)
	if err != nil {
		return err
	}
	defer b.Release()
	l, size := w.lane(id), sizeOf(b)
	for from := 0; from < b.Rows(); {
		from = l.rest.add(b, size, from)
		if !l.rest.full() {
			continue
		}
		g, err := w.encode(&l.rest, 1)
		if err != nil {
			return err
		}
		l.encoded = append(l.encoded, g)
	}
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

// encode makes a row group of rows, which it drops, with so many goroutines: a column is encoded by one of them.
func (w *Writer) encode(rows *rest, workers int) (*group, error) {
	b, err := rows.join()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	g := w.newGroup()
	g.rows = int64(b.Rows())
	columns := g.w.ColumnWriters()
	var tasks errgroup.Group
	tasks.SetLimit(workers)
	for i, l := range w.leaves {
		to := target{w: columns[i], index: i, typ: w.types[i], leaf: l, stats: &g.stats[i]}
		task := func() error {
			p := pagers.Get().(*pager)
			defer pagers.Put(p)
			return p.encode(to, b.Column(l.column))
		}
		if workers > 1 {
			tasks.Go(task)
		} else if err := task(); err != nil {
			return nil, err
		}
	}
	return g, tasks.Wait()
}

func (w *Writer) newGroup() *group {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &group{w: w.file.BeginRowGroup(), stats: make([]Stats, len(w.leaves))}
}

// Finish writes the files, durable, and ends the writer. No rows, no file.
func (w *Writer) Finish(ctx context.Context) ([]File, error) {
	defer w.Abort()
	groups, err := w.groups(ctx)
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

// groups are all row groups in lane order. The rest of each lane is joined with the rests of the next ones, as far as
// no row group stands between them, and encoded by all processors.
func (w *Writer) groups(ctx context.Context) ([]*group, error) {
	out, rests := w.inOrder()
	defer func() {
		for i := range rests {
			rests[i].release()
		}
	}()
	processors := runtime.GOMAXPROCS(0)
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(1 + processors/max(1, len(w.leaves)))
	for i := range rests {
		if out[i] != nil {
			continue
		}
		tasks.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			g, err := w.encode(&rests[i], processors)
			out[i] = g
			return err
		})
	}
	return out, tasks.Wait()
}

// inOrder takes everything out of the lanes: at each position there is an encoded row group, or nil and the rows of one.
func (w *Writer) inOrder() (encoded []*group, rests []rest) {
	var open rest
	closeRest := func() {
		if open.rows > 0 {
			encoded, rests = append(encoded, nil), append(rests, open.take())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.lanes)) {
		l := w.lanes[id]
		if len(l.encoded) > 0 {
			closeRest()
			encoded, rests = append(encoded, l.encoded...), append(rests, make([]rest, len(l.encoded))...)
		}
		if !open.fits(l.rest) {
			closeRest()
		}
		open.append(l.rest.take())
	}
	closeRest()
	clear(w.lanes)
	return encoded, rests
}

// writeFile writes row groups until the file is large enough, and reports how many it took.
func (w *Writer) writeFile(ctx context.Context, groups []*group) (f File, n int, err error) {
	f = File{Name: w.opts.Name(), Stats: make([]Stats, len(w.leaves))}
	out, err := w.objects.Create(ctx, f.Name)
	if err != nil {
		return f, 0, err
	}
	defer out.Abort()
	counter := &countingWriter{w: out}
	w.file.Reset(counter)
	for n < len(groups) && (n == 0 || w.opts.TargetBytes <= 0 || counter.n < w.opts.TargetBytes) {
		if err := ctx.Err(); err != nil {
			return f, 0, err
		}
		g := groups[n]
		if _, err := g.w.Commit(); err != nil {
			return f, 0, fmt.Errorf("write %s: %w", f.Name, err)
		}
		f.Rows += g.rows
		for i := range f.Stats {
			f.Stats[i].merge(w.types[i], g.stats[i])
		}
		groups[n] = nil // its buffers may go
		n++
	}
	if err := w.file.Close(); err != nil {
		return f, 0, fmt.Errorf("write %s: %w", f.Name, err)
	}
	f.Bytes = counter.n
	return f, n, out.Close()
}

// Abort drops what was not finished. No other call may be under way.
func (w *Writer) Abort() {
	for _, l := range w.lanes {
		l.rest.release()
	}
	clear(w.lanes)
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
