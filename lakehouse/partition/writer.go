package partition

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Bounds on what a Writer holds back: beyond either, the files of the partition that was idle the longest are
// written. It may come again, in another file.
const (
	maxPartitions     = 256
	maxPartitionBytes = 256 << 20 // of values, before they are encoded
)

// Options say how the files of a Writer are written.
type Options struct {
	Objects        store.Store
	By             []string // the partition columns, in the spelling of the schema
	TargetFileSize int64    // bytes; 0: one file a partition
	Layout         lakehouse.Layout
	// Names begins the files of a partition, and returns what names them one after the other. It is called when the first row of the partition comes.
	Names func(values map[string]*string) (func() string, error)
	// Finish makes the files of a partition durable and describes them; inFile are the columns that they have.
	Finish func(ctx context.Context, w *parquetfile.Writer, inFile *columnar.Schema, values map[string]*string) ([]lakehouse.DataFile, error)
}

// Writer stages rows of many partitions: each has a writer of its own, for the columns that are not partition columns.
type Writer struct {
	opts   Options
	schema *columnar.Schema // of the rows
	inFile *columnar.Schema
	by     []int // the partition columns

	maxOpen  int
	maxBytes int64

	mu    sync.Mutex // guards what follows
	open  map[string]*openPartition
	held  int64 // bytes of all open ones
	clock int64
	files []lakehouse.DataFile // of partitions that were closed
}

// openPartition is a partition that is written to.
type openPartition struct {
	values map[string]*string
	writer *parquetfile.Writer
	users  int   // calls that write to it now
	used   int64 // when it was used last
	held   int64 // bytes
}

var _ lakehouse.Writer = (*Writer)(nil)

// NewWriter returns a writer of rows of the schema, of which a column is left that is no partition column.
func NewWriter(schema *columnar.Schema, opts Options) (*Writer, error) {
	if err := Check(schema, opts.By); err != nil {
		return nil, err
	}
	s := &Writer{opts: opts, schema: schema, inFile: &columnar.Schema{}, maxOpen: maxPartitions, maxBytes: maxPartitionBytes, open: map[string]*openPartition{}}
	for _, name := range opts.By {
		s.by = append(s.by, schema.Index(name))
	}
	for _, f := range schema.Fields {
		if !slices.Contains(opts.By, f.Name) {
			s.inFile.Fields = append(s.inFile.Fields, f)
		}
	}
	return s, parquetfile.Storable(s.inFile)
}

// Write adds rows to a lane of their partitions.
func (s *Writer) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
	b, err := parquetfile.Project(b, s.schema)
	if err != nil {
		return err
	}
	defer b.Release()
	groups := parquetfile.Split(b, s.by)
	for _, sel := range groups {
		part, err := parquetfile.Project(b, s.inFile)
		if err != nil {
			return err
		}
		if len(groups) > 1 {
			all := part
			part = columnar.GatherBatch(all, sel)
			all.Release()
		}
		err = s.write(ctx, lane, b, int(sel[0]), part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// write adds the rows of one partition, which the row of b belongs to.
func (s *Writer) write(ctx context.Context, lane int64, b *columnar.Batch, row int, part *columnar.Batch) error {
	values := make(map[string]*string, len(s.by))
	var key strings.Builder
	for i, at := range s.by {
		text, err := Text(b.Column(at), s.schema.Fields[at].Type, row)
		if err != nil {
			return fmt.Errorf("column %s: %w", s.schema.Fields[at].Name, err)
		}
		values[s.opts.By[i]] = text
		if text != nil {
			key.WriteString(strconv.Quote(*text))
		}
		key.WriteByte(',')
	}
	p, cold, err := s.take(key.String(), values, parquetfile.Bytes(part))
	if err != nil {
		return err
	}
	err = p.writer.Write(ctx, lane, part)
	s.mu.Lock()
	p.users--
	s.mu.Unlock()
	for _, c := range cold {
		if err != nil {
			c.writer.Abort()
			continue
		}
		err = s.finish(ctx, c)
	}
	return err
}

// take opens a partition for one call, and closes those that do not fit beside it.
func (s *Writer) take(key string, values map[string]*string, bytes int64) (p *openPartition, cold []*openPartition, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.open[key]
	if !ok {
		p = &openPartition{values: values}
		if p.writer, err = s.newWriter(values); err != nil {
			return nil, nil, err
		}
		s.open[key] = p
	}
	s.clock++
	p.users, p.used, p.held = p.users+1, s.clock, p.held+bytes
	for s.held += bytes; len(s.open) > s.maxOpen || s.held > s.maxBytes; {
		key := s.coldest()
		if key == "" {
			break
		}
		cold = append(cold, s.open[key])
		s.held -= s.open[key].held
		delete(s.open, key)
	}
	return p, cold, nil
}

// coldest is the key of the partition that was idle the longest, "" if all are in use.
func (s *Writer) coldest() (key string) {
	for k, p := range s.open {
		if p.users == 0 && (key == "" || p.used < s.open[key].used) {
			key = k
		}
	}
	return key
}

// newWriter names the files at once: partitions are finished in any order.
func (s *Writer) newWriter(values map[string]*string) (*parquetfile.Writer, error) {
	name, err := s.opts.Names(values)
	if err != nil {
		return nil, err
	}
	return parquetfile.NewWriter(s.opts.Objects, s.inFile, parquetfile.Options{TargetBytes: s.opts.TargetFileSize, Layout: s.opts.Layout, Name: name})
}

// Numbered are the names of several files of one partition: base and suffix, then base-2 and suffix, and so on.
func Numbered(base, suffix string) func() string {
	n := 0
	return func() string {
		n++
		if n == 1 {
			return base + suffix
		}
		return fmt.Sprintf("%s-%d%s", base, n, suffix)
	}
}

// finish writes the files of a partition that is not open any more.
func (s *Writer) finish(ctx context.Context, p *openPartition) error {
	files, err := s.opts.Finish(ctx, p.writer, s.inFile, p.values)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, files...)
	return nil
}

// finishers is how many partitions are finished at a time: what takes long is to make their files durable.
const finishers = 8

// Finish makes the files durable. They stand in the order of their names.
func (s *Writer) Finish(ctx context.Context) ([]lakehouse.DataFile, error) {
	defer s.Abort()
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(finishers)
	for _, key := range slices.Sorted(maps.Keys(s.open)) {
		p := s.open[key]
		tasks.Go(func() error { return s.finish(ctx, p) })
	}
	if err := tasks.Wait(); err != nil {
		return nil, err
	}
	files := s.files
	s.files = nil
	slices.SortFunc(files, func(a, b lakehouse.DataFile) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// Abort drops what was not finished.
func (s *Writer) Abort() {
	for _, p := range s.open {
		p.writer.Abort()
	}
	clear(s.open)
	s.held = 0
}
