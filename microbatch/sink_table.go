package microbatch

import (
	"context"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// The side tables: of bad records, and of late rows.
const (
	DeadLetterKind = "dead_letter"
	LateKind       = "late"
)

// TableSink commits into a table through the exactly-once protocol.
type TableSink struct {
	opts committer.Options
	name string
	c    *committer.Committer
	// Deletes is a BOOLEAN column of the rows that is not in the table: where it is TRUE, a row only takes those with its key out of the
	// table. "": the rows have none. It is for merges alone.
	Deletes string
	sent    store.Requests // when the newest commit was done
}

// counting is a store that counts its requests.
type counting interface{ Requests() store.Requests }

var _ Sink = (*TableSink)(nil)

// NewTableSink returns a sink; kind names the format in the progress ("Delta").
func NewTableSink(kind string, opts committer.Options) *TableSink {
	return &TableSink{opts: opts, name: kind + "[" + opts.Table.String() + "]"}
}

// Open recovers the position from the table.
func (s *TableSink) Open(ctx context.Context, fits func(*Position) error) (*Position, error) {
	opts := s.opts
	opts.Fits = func(last *committer.Record) error { return fits(positionOf(last)) }
	c, err := committer.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	s.c = c
	last := c.Last()
	if last == nil {
		return nil, nil
	}
	return positionOf(last), nil
}

func positionOf(r *committer.Record) *Position {
	return &Position{LastBatch: r.LastBatch, Sources: r.Sources, Watermarks: r.Watermarks, Active: r.Active, Watermark: r.Watermark, NoDataDue: r.NoDataDue, State: r.State, Operators: r.Operators, Plan: r.Plan}
}

type tableOutput struct {
	*committer.Output
	deletes string
}

// Write adds rows, or takes some out.
func (o tableOutput) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
	if o.deletes == "" {
		return o.Output.Write(ctx, lane, b)
	}
	flags := b.Column(b.Schema().Index(o.deletes))
	var gone columnar.Selection
	for i := range b.Rows() {
		if flags.IsValid(i) && columnar.BooleanAt(flags, i) {
			gone = append(gone, int32(i))
		}
	}
	o.WriteSome(lane, b, gone)
	return nil
}

// Erase takes rows out.
func (o tableOutput) Erase(_ context.Context, lane int64, keys *columnar.Batch) error {
	o.Output.Erase(lane, keys)
	return nil
}

func (o tableOutput) WriteDeadLetters(ctx context.Context, lane int64, b *columnar.Batch) error {
	return o.WriteSide(ctx, DeadLetterKind, lane, b)
}

func (o tableOutput) WriteLate(ctx context.Context, lane int64, b *columnar.Batch) error {
	return o.WriteSide(ctx, LateKind, lane, b)
}

// NewOutput stages files of the table.
func (s *TableSink) NewOutput(ctx context.Context) (Output, error) {
	out, err := s.c.NewOutput(ctx)
	if err != nil {
		return nil, err
	}
	return tableOutput{out, s.Deletes}, nil
}

// Commit commits.
func (s *TableSink) Commit(ctx context.Context, b committer.Batch, out Output) (committer.Result, error) {
	if o, ok := out.(tableOutput); ok {
		b.Output = o.Output
	}
	res, err := s.c.Commit(ctx, b)
	if objects, ok := s.opts.Objects.(counting); ok && err == nil {
		now := objects.Requests()
		res.Requests, s.sent = now.Minus(s.sent).ByKind(), now
	}
	return res, err
}

// State lies beside the table.
func (s *TableSink) State() *StateStore {
	return &StateStore{Objects: s.opts.Objects, Name: s.opts.Name, NewID: s.opts.NewID}
}

// Maintain checkpoints the log and expires records.
func (s *TableSink) Maintain(ctx context.Context) error { return s.c.Maintain(ctx) }

// Close ends a compaction that is under way.
func (s *TableSink) Close() {
	if s.c != nil {
		s.c.Close()
	}
}

// Describe names the table.
func (s *TableSink) Describe() string { return s.name }

// Identity of the query and the epoch.
func (s *TableSink) Identity() (string, int64) { return s.c.QueryID(), s.c.Epoch() }
