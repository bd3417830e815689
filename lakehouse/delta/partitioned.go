package delta

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
)

// Bounds on what a partitioned stager holds back: beyond either, the files of the partition that was idle the longest are
// written. It may come again, in another file.
const (
	maxPartitions     = 256
	maxPartitionBytes = 256 << 20 // of values, before they are encoded
)

// partitioned stages rows of many partitions: each has a writer of its own, for the columns that are not in the log.
type partitioned struct {
	table  *Table
	schema *columnar.Schema // of the rows
	inFile *columnar.Schema
	by     []int // the partition columns
	opts   lakehouse.WriteOptions
	stats  statsRule

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

func newPartitioned(t *Table, schema *columnar.Schema, opts lakehouse.WriteOptions, stats statsRule) (*partitioned, error) {
	if err := checkPartition(schema, opts.PartitionBy); err != nil {
		return nil, fmt.Errorf("table %s: %w", t, err)
	}
	s := &partitioned{table: t, schema: schema, inFile: &columnar.Schema{}, opts: opts, stats: stats, maxOpen: maxPartitions, maxBytes: maxPartitionBytes, open: map[string]*openPartition{}}
	for _, name := range opts.PartitionBy {
		s.by = append(s.by, schema.Index(name))
	}
	for _, f := range schema.Fields {
		if !slices.Contains(opts.PartitionBy, f.Name) {
			s.inFile.Fields = append(s.inFile.Fields, f)
		}
	}
	return s, parquetfile.Storable(s.inFile)
}

// Write adds rows to a lane of their partitions.
func (s *partitioned) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
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
func (s *partitioned) write(ctx context.Context, lane int64, b *columnar.Batch, row int, part *columnar.Batch) error {
	values := make(map[string]*string, len(s.by))
	var key strings.Builder
	for i, at := range s.by {
		text, err := partitionText(b.Column(at), s.schema.Fields[at].Type, row)
		if err != nil {
			return fmt.Errorf("column %s: %w", s.schema.Fields[at].Name, err)
		}
		values[s.opts.PartitionBy[i]] = text
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
func (s *partitioned) take(key string, values map[string]*string, bytes int64) (p *openPartition, cold []*openPartition, err error) {
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
func (s *partitioned) coldest() (key string) {
	for k, p := range s.open {
		if p.users == 0 && (key == "" || p.used < s.open[key].used) {
			key = k
		}
	}
	return key
}

// newWriter draws the id of the files at once: partitions are finished in any order.
func (s *partitioned) newWriter(values map[string]*string) (*parquetfile.Writer, error) {
	base := partitionFolder(s.opts.PartitionBy, values) + "/" + s.opts.Prefix + "-" + s.table.newID()
	n := 0
	return parquetfile.NewWriter(s.table.objects, s.inFile, parquetfile.Options{TargetBytes: s.opts.TargetFileSize, Layout: s.opts.Layout, Name: func() string {
		n++
		if n == 1 {
			return base + ".parquet"
		}
		return fmt.Sprintf("%s-%d.parquet", base, n)
	}})
}

// finish writes the files of a partition that is not open any more.
func (s *partitioned) finish(ctx context.Context, p *openPartition) error {
	files, err := finishFiles(ctx, p.writer, s.inFile, s.stats, p.values)
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
func (s *partitioned) Finish(ctx context.Context) ([]lakehouse.DataFile, error) {
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
func (s *partitioned) Abort() {
	for _, p := range s.open {
		p.writer.Abort()
	}
	clear(s.open)
	s.held = 0
}
