package committer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// Output stages the rows of one commit: those of the table and of its side tables. Write and
// WriteSide may be called concurrently for different lanes; rows of a lane keep their
// order, and files hold lanes in ascending order.
type Output struct {
	c    *Committer
	main lakehouse.Writer

	mu   sync.Mutex
	side map[string]lakehouse.Writer
}

// NewOutput opens an Output for the next commit. End it with Commit or Abort.
func (c *Committer) NewOutput(ctx context.Context) (*Output, error) {
	opts := c.writeOptions()
	opts.Layout = c.opts.Layout
	w, err := c.opts.Table.Stage(ctx, nullable(c.opts.Schema), opts)
	if err != nil {
		return nil, err
	}
	return &Output{c: c, main: w, side: map[string]lakehouse.Writer{}}, nil
}

func (c *Committer) writeOptions() lakehouse.WriteOptions {
	return lakehouse.WriteOptions{Prefix: fmt.Sprintf("%s%d", filePrefix(c.opts.Name), c.epoch), PartitionBy: c.opts.PartitionBy, TargetFileSize: c.opts.TargetFileSize}
}

// Write adds rows to the table. The batch is borrowed.
func (o *Output) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
	return o.main.Write(ctx, lane, b)
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
	for _, kind := range o.kinds() {
		o.side[kind].Abort()
	}
}
