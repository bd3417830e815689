package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// heldBytes of rows wait in memory as they are until they are sorted; beyond that, what fills a row group becomes a run. Which rows do makes no
// difference to the files.
const heldBytes = 64 << 20

// runBatchRows is how many rows of each run are in memory while runs are merged.
const runBatchRows = 4 << 10

// sorter puts rows in the order that a Writer was asked for.
type sorter struct {
	by     []compute.ColumnOrder
	schema *columnar.Schema
	codec  func() (*Writer, error) // encodes runs; made when there is the first
	held   atomic.Int64            // bytes
}

// newSorter returns nil if no order is asked for.
func newSorter(schema *columnar.Schema, by []lakehouse.SortColumn) (*sorter, error) {
	if len(by) == 0 {
		return nil, nil
	}
	s := &sorter{schema: schema, codec: sync.OnceValues(func() (*Writer, error) { return NewWriter(nil, schema, Options{}) })}
	for _, c := range by {
		at := schema.Index(c.Column)
		if at < 0 || schema.Fields[at].Type.Nested() {
			return nil, fmt.Errorf("rows cannot be sorted by %s: it is not a plain column of the files", c.Column)
		}
		s.by = append(s.by, compute.ColumnOrder{Column: at, Descending: c.Descending})
	}
	return s, nil
}

// sortingColumns is what a footer says about the order.
func (s *sorter) sortingColumns() (out []parquet.SortingColumn) {
	if s == nil {
		return nil
	}
	for _, o := range s.by {
		name := s.schema.Fields[o.Column].Name
		if o.Descending {
			out = append(out, parquet.Descending(name))
		} else {
			out = append(out, parquet.NullsFirst(parquet.Ascending(name)))
		}
	}
	return out
}

// holds reports whether there is room for rows, and takes it.
func (s *sorter) holds(rows *rest) bool {
	if s.held.Add(rows.bytes) <= heldBytes {
		return true
	}
	s.held.Add(-rows.bytes)
	return false
}

// sort returns the rows of a batch in order; the batch is borrowed.
func (s *sorter) sort(b *columnar.Batch) *columnar.Batch {
	var codes compute.RowCodes
	codes.Fill(b, s.by)
	if codes.Sorted() {
		b.Retain()
		return b
	}
	return columnar.GatherBatch(b, codes.Sort())
}

// sortRest replaces rows by the same rows in order.
func (s *sorter) sortRest(rows *rest) error {
	b, err := rows.join()
	if err != nil {
		return err
	}
	defer b.Release()
	sorted := s.sort(b)
	*rows = rest{batches: []*columnar.Batch{sorted}, rows: sorted.Rows(), bytes: Bytes(sorted)}
	return nil
}

// run makes a run of rows, which it drops: a file in memory.
func (s *sorter) run(rows *rest) (runSource, error) {
	if err := s.sortRest(rows); err != nil {
		return nil, err
	}
	codec, err := s.codec()
	if err != nil {
		return nil, err
	}
	g, err := codec.encode(rows, 1)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	codec.mu.Lock()
	defer codec.mu.Unlock()
	codec.file.Reset(&out)
	if _, err := g.w.Commit(); err != nil {
		return nil, err
	}
	if err := codec.file.Close(); err != nil {
		return nil, err
	}
	return s.openRun(memoryFile{bytes.NewReader(out.Bytes())})
}

// runSource gives the rows of a run in order, io.EOF after the last. The caller owns the batch.
type runSource interface {
	Next(ctx context.Context) (*columnar.Batch, error)
}

// heldRun is a run in memory.
type heldRun struct{ rows *rest }

func (h heldRun) Next(context.Context) (*columnar.Batch, error) {
	if len(h.rows.batches) == 0 {
		return nil, io.EOF
	}
	return h.rows.join()
}

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

// openRun opens a file of rows in order.
func (s *sorter) openRun(r store.Reader) (runSource, error) {
	out, err := OpenReader(r, s.schema)
	if err != nil {
		return nil, err
	}
	out.most = runBatchRows
	return out, nil
}

// sortedGroups merges pieces, which are runs or rows in any order, to row groups of rows in order.
func (w *Writer) sortedGroups(ctx context.Context, pieces []piece) (out []*group, err error) {
	sources := make([]runSource, len(pieces))
	for i, p := range pieces {
		if sources[i] = p.run; p.rest == nil {
			continue
		}
		if err := w.sorter.sortRest(p.rest); err != nil {
			return nil, err
		}
		sources[i] = heldRun{p.rest}
	}
	if len(sources) == 1 {
		return w.encodeRun(ctx, sources[0])
	}
	m, err := newMerger(ctx, w.sorter.by, sources)
	if err != nil {
		return nil, err
	}
	defer m.release()
	return w.encodeRun(ctx, m)
}

// encodeRun makes row groups of rows in order.
func (w *Writer) encodeRun(ctx context.Context, from runSource) (out []*group, err error) {
	var rows rest
	defer rows.release()
	flush := func() error {
		g, err := w.encode(&rows, runtime.GOMAXPROCS(0))
		out = append(out, g)
		return err
	}
	for {
		b, err := from.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		err = rows.fill(b, flush)
		b.Release()
		if err != nil {
			return nil, err
		}
	}
	if rows.rows > 0 {
		err = flush()
	}
	return out, err
}
