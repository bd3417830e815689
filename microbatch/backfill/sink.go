package backfill

import (
	"context"
	"errors"
	"path"
	"strconv"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
)

// filtered is an output that takes the rows of a range alone.
type filtered struct {
	microbatch.Output
	where compute.Expr
	spare sync.Pool // of *compute.Evaluator
}

func newFiltered(out microbatch.Output, where compute.Expr) microbatch.Output {
	if where == nil {
		return out
	}
	return &filtered{Output: out, where: where, spare: sync.Pool{New: func() any { return compute.NewDefaultEvaluator() }}}
}

// Write leaves out the rows that are not of the range.
func (o *filtered) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
	ev := o.spare.Get().(*compute.Evaluator)
	defer o.spare.Put(ev)
	kept, err := ev.Where(o.where, b)
	if err != nil {
		return err
	}
	defer kept.Release()
	if kept.Rows() == 0 {
		return nil
	}
	return o.Output.Write(ctx, lane, kept)
}

// staging is the sink of a backfill that replaces rows: each commit is a part.
type staging struct {
	fill  *committer.Backfill
	opts  committer.Options
	where compute.Expr // over the result; nil: all rows
}

var _ microbatch.Sink = (*staging)(nil)

// Open goes on after the newest part.
func (s *staging) Open(_ context.Context, fits func(*microbatch.Position) error) (*microbatch.Position, error) {
	parts := s.fill.Parts()
	if len(parts) == 0 {
		return nil, nil
	}
	p := parts[len(parts)-1]
	pos := &microbatch.Position{LastBatch: p.LastBatch, Sources: p.Sources, Watermarks: p.Watermarks, Watermark: p.Watermark, NoDataDue: p.NoDataDue, State: p.State, Operators: p.Operators, Plan: s.opts.Plan}
	return pos, fits(pos)
}

// stagedOutput stages rows of the table and of its side tables.
type stagedOutput struct{ *committer.Output }

func (o stagedOutput) Erase(context.Context, int64, *columnar.Batch) error {
	return errors.New("a backfill adds rows, and is asked to erase some")
}

func (o stagedOutput) WriteDeadLetters(ctx context.Context, lane int64, b *columnar.Batch) error {
	return o.WriteSide(ctx, microbatch.DeadLetterKind, lane, b)
}

func (o stagedOutput) WriteLate(ctx context.Context, lane int64, b *columnar.Batch) error {
	return o.WriteSide(ctx, microbatch.LateKind, lane, b)
}

// partOutput is the output of one part.
type partOutput struct {
	microbatch.Output
	staged *committer.Output
}

// NewOutput opens the next part.
func (s *staging) NewOutput(ctx context.Context) (microbatch.Output, error) {
	out, err := s.fill.NewOutput(ctx)
	if err != nil {
		return nil, err
	}
	return partOutput{newFiltered(stagedOutput{out}, s.where), out}, nil
}

// Commit makes a part durable, and looks at what others have done to the table meanwhile.
func (s *staging) Commit(ctx context.Context, b committer.Batch, out microbatch.Output) (committer.Result, error) {
	if o, ok := out.(partOutput); ok {
		b.Output = o.staged
	}
	if err := s.fill.FollowAll(ctx); err != nil {
		return committer.Result{}, err
	}
	return s.fill.Stage(ctx, b)
}

// State lies in the folder of the backfill.
func (s *staging) State() *microbatch.StateStore {
	return &microbatch.StateStore{Objects: s.opts.Objects, Name: path.Join(s.opts.Name, "backfills", strconv.FormatInt(s.fill.Intent().Token, 10)), NewID: s.opts.NewID}
}

// Maintain has nothing to do.
func (*staging) Maintain(context.Context) error { return nil }

// Close has nothing to close.
func (*staging) Close() {}

// Describe names the table.
func (s *staging) Describe() string { return "Backfill[" + s.opts.Table.String() + "]" }

// Identity of the pipeline.
func (s *staging) Identity() (string, int64) { return s.fill.Record().QueryID, s.fill.Record().Epoch }

// narrowed is a sink that takes the rows of a range alone.
type narrowed struct {
	microbatch.Sink
	where compute.Expr
}

type narrowedOutput struct {
	microbatch.Output
	whole microbatch.Output
}

func (s *narrowed) NewOutput(ctx context.Context) (microbatch.Output, error) {
	out, err := s.Sink.NewOutput(ctx)
	if err != nil {
		return nil, err
	}
	return narrowedOutput{newFiltered(out, s.where), out}, nil
}

func (s *narrowed) Commit(ctx context.Context, b committer.Batch, out microbatch.Output) (committer.Result, error) {
	if o, ok := out.(narrowedOutput); ok {
		out = o.whole
	}
	return s.Sink.Commit(ctx, b, out)
}
