package committer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// Output stages the rows of one commit: those of the table and of its side tables. Write and
// WriteSide may be called concurrently for different lanes; rows of a lane keep their
// order, and files hold lanes in ascending order.
type Output struct {
	c      *Committer
	main   lakehouse.Writer
	newest *newest    // nil: rows are only added
	keys   *group.Set // of all rows, once they are finished; nil: no row of the table is replaced

	mu   sync.Mutex
	side map[string]lakehouse.Writer
}

// NewOutput opens an Output for the next commit. End it with Commit or Abort.
func (c *Committer) NewOutput(ctx context.Context) (*Output, error) {
	opts := c.writeOptions()
	opts.Layout = c.opts.Layout
	opts.PartitionBy = c.opts.PartitionBy
	w, err := c.opts.Table.Stage(ctx, nullable(c.opts.Schema), opts)
	if err != nil {
		return nil, err
	}
	o := &Output{c: c, main: w, side: map[string]lakehouse.Writer{}}
	if c.opts.Merge != nil {
		keys, err := c.keyColumns()
		if err != nil {
			w.Abort()
			return nil, err
		}
		o.newest = newNewest(keys)
	}
	return o, nil
}

// writeOptions are those of any table that the commit writes to.
func (c *Committer) writeOptions() lakehouse.WriteOptions {
	prefix := c.prefix
	if prefix == "" {
		prefix = fmt.Sprintf("%s%d", filePrefix(c.opts.Name), c.epoch)
	}
	return lakehouse.WriteOptions{Prefix: prefix, TargetFileSize: c.opts.TargetFileSize}
}

// Write adds rows to the table. The batch is borrowed.
func (o *Output) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
	if o.newest != nil {
		o.newest.add(lane, held{rows: b})
		return nil
	}
	return o.main.Write(ctx, lane, b)
}

// WriteSome is Write where some rows, ascending, are not written: they only take the rows with their key out of the table. It is for
// merges alone.
func (o *Output) WriteSome(lane int64, b *columnar.Batch, gone columnar.Selection) {
	o.newest.add(lane, held{rows: b, gone: gone})
}

// Erase takes the rows with some keys out of the table, and those that were written before. The batch, which is borrowed, has the key
// columns. It is for merges alone.
func (o *Output) Erase(lane int64, keys *columnar.Batch) {
	o.newest.add(lane, held{rows: keys, bare: true})
}

// WriteSide adds rows to the side table of that kind. The batch is borrowed.
func (o *Output) WriteSide(ctx context.Context, kind string, lane int64, b *columnar.Batch) error {
	w, err := o.sideWriter(ctx, kind)
	if err != nil {
		return err
	}
	return w.Write(ctx, lane, b)
}

func (o *Output) sideWriter(ctx context.Context, kind string) (lakehouse.Writer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w, ok := o.side[kind]; ok {
		return w, nil
	}
	s, ok := o.c.opts.Side[kind]
	if !ok {
		return nil, fmt.Errorf("no side table %s is set up", kind)
	}
	w, err := s.Table.Stage(ctx, nullable(s.Schema), o.c.writeOptions())
	if err != nil {
		return nil, fmt.Errorf("side table %s: %w", s.Table, err)
	}
	o.side[kind] = w
	return w, nil
}

// finish makes every file durable: step 1 of the protocol.
func (o *Output) finish(ctx context.Context) ([]lakehouse.DataFile, []SideFiles, error) {
	if err := o.finishNewest(ctx); err != nil {
		return nil, nil, err
	}
	files, err := o.main.Finish(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("write data files of %s: %w", o.c.opts.Table, err)
	}
	var sides []SideFiles
	for _, kind := range o.kinds() {
		table := o.c.opts.Side[kind].Table
		staged, err := o.side[kind].Finish(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("write data files of %s: %w", table, err)
		}
		if len(staged) > 0 {
			sides = append(sides, SideFiles{Kind: kind, Table: table.String(), Files: staged})
		}
	}
	return files, sides, nil
}

// finishNewest writes the rows that stay of a merge.
func (o *Output) finishNewest(ctx context.Context) error {
	if o.newest == nil {
		return nil
	}
	keys, err := o.newest.finish(ctx, o.main)
	if err != nil {
		return fmt.Errorf("write data files of %s: %w", o.c.opts.Table, err)
	}
	if keys.Len() > 0 {
		o.keys = keys
	}
	return nil
}

func (o *Output) kinds() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var kinds []string
	for k := range o.side {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}

// Abort drops what was not committed. After Commit it does nothing.
func (o *Output) Abort() {
	o.main.Abort()
	if o.newest != nil {
		o.newest.release()
	}
	for _, kind := range o.kinds() {
		o.side[kind].Abort()
	}
}
