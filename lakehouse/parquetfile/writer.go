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
	"github.com/lakewheel/lakewheel/lakehouse"
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
	// Layout of the files. With SortBy, all rows are in order, whatever their lanes; equal ones stand in the order of lanes.
	Layout lakehouse.Layout
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
	filters []bool         // which of them have Bloom filters
	queue   *filterQueue
	sorter  *sorter // nil: rows stand as they come

	last   int64          // the lane of Append
	inputs []store.Reader // files that pieces are read from
	merged int64          // mergedBytes

	mu    sync.Mutex // guards lanes and the making of row groups
	lanes map[int64]*lane
}

// group is an encoded row group that waits, compressed, for its turn in a file.
type group struct {
	w     *parquet.ConcurrentRowGroupWriter
	rows  int64
	stats []Stats
	// filters are by leaf, nil for one without.
	filters [][]byte
}

// NewWriter returns a writer of rows of the schema.
func NewWriter(objects store.Store, schema *columnar.Schema, opts Options) (*Writer, error) {
	fs, err := fileSchema(schema)
	if err != nil {
		return nil, err
	}
	w := &Writer{objects: objects, schema: schema, opts: opts, lanes: map[int64]*lane{}, leaves: leavesOf(schema), queue: &filterQueue{}, merged: mergedBytes}
	if w.filters, err = filtered(w.leaves, opts.Layout.BloomFilters); err != nil {
		return nil, err
	}
	if !fields.found {
		clear(w.filters) // nothing can announce them
	}
	if w.sorter, err = newSorter(schema, opts.Layout.SortBy); err != nil {
		return nil, err
	}
	w.file = parquet.NewGenericWriter[any](io.Discard, fs,
		parquet.Compression(codec), parquet.DataPageVersion(1), parquet.DataPageStatistics(false),
		parquet.CreatedBy("lakewheel", "1", "0"), parquet.MaxRowsPerRowGroup(1<<30),
		parquet.BloomFilters(filtersOf(fs.Columns(), w.filters)...), parquet.DeferBloomFiltersWithBuffers(w.queue),
		parquet.SortingWriterConfig(parquet.SortingColumns(w.sorter.sortingColumns()...)))
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
	l := w.lane(id)
	return l.rest.fill(b, func() error {
		p, err := w.piece(&l.rest)
		if err == nil {
			l.done = append(l.done, p)
		}
		return err
	})
}

// piece encodes rows, which it drops, or, to sort them, holds them while there are not many.
func (w *Writer) piece(rows *rest) (piece, error) {
	switch {
	case w.sorter == nil:
	case w.sorter.holds(rows):
		held := rows.take()
		return piece{rest: &held}, nil
	default:
		run, err := w.sorter.run(rows)
		return piece{run: run}, err
	}
	g, err := w.encode(rows, 1)
	return piece{group: g}, err
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
		if w.filters[i] {
			to.filter = &g.filters[i]
		}
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
	return &group{w: w.file.BeginRowGroup(), stats: make([]Stats, len(w.leaves)), filters: make([][]byte, len(w.leaves))}
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

// groups are all row groups in order. Without a sorter, the rest of each lane is joined with the rests of the next ones, as far as no row group
// stands between them, and encoded by all processors.
func (w *Writer) groups(ctx context.Context) ([]*group, error) {
	pieces := w.inOrder()
	defer releasePieces(pieces)
	if w.sorter != nil && len(pieces) > 0 {
		return w.sortedGroups(ctx, pieces)
	}
	out := make([]*group, len(pieces))
	processors := runtime.GOMAXPROCS(0)
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(1 + processors/max(1, len(w.leaves)))
	for i, p := range pieces {
		if out[i] = p.group; p.group != nil {
			continue
		}
		tasks.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			g, err := w.encode(p.rest, processors)
			out[i] = g
			return err
		})
	}
	return out, tasks.Wait()
}

// inOrder takes everything out of the lanes.
func (w *Writer) inOrder() (out []piece) {
	var open rest
	closeRest := func() {
		if open.rows > 0 {
			rows := open.take()
			out = append(out, piece{rest: &rows})
		}
	}
	add := func(r *rest) {
		if !open.fits(*r) {
			closeRest()
		}
		open.append(r.take())
	}
	for _, id := range slices.Sorted(maps.Keys(w.lanes)) {
		l := w.lanes[id]
		for _, p := range l.done {
			if p.rest != nil {
				add(p.rest)
				continue
			}
			closeRest()
			out = append(out, p)
		}
		add(&l.rest)
	}
	closeRest()
	clear(w.lanes)
	return out
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
		w.queue.next = slices.DeleteFunc(g.filters, func(f []byte) bool { return f == nil })
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
	releasePieces(w.inOrder())
	for _, f := range w.inputs {
		_ = f.Close()
	}
	w.inputs = nil
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
