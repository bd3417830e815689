package backfill

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/offsets"
)

// maxRestarts bounds how often a backfill begins again because the ground has changed.
const maxRestarts = 20

// Find says what Run would do, and does nothing.
func Find(ctx context.Context, j Job, r Request) (Report, error) {
	t, o, err := j.prepare(ctx, r)
	if err != nil {
		return Report{}, err
	}
	in, found, err := committer.FindBackfill(ctx, j.Options, o)
	out := t.report(in)
	out.Replaced, out.Plan = found, j.Plan
	return out, err
}

// Run replaces the rows of a range, or goes on with a run of the same request that was cut off.
//
//  1. The request is understood, and what the sources have to tell is asked. Sources that are others now, and rows of other writers in the range, end it here.
//  2. The backfill is opened: its intent is put, or is there already.
//  3. The plan is run over the offsets of the intent; what is staged already is not computed again.
//  4. The rows change places.
//
// If the ground changes meanwhile, it begins again with 2.
func Run(ctx context.Context, j Job, r Request) (Report, error) {
	t, o, err := j.prepare(ctx, r)
	if err != nil {
		return Report{}, err
	}
	if _, _, err := committer.FindBackfill(ctx, j.Options, o); err != nil {
		return Report{}, err
	}
	for restarts := 0; ; restarts++ {
		out, err := j.once(ctx, t, o)
		out.Restarts = restarts
		if !errors.Is(err, committer.ErrRestart) || restarts == maxRestarts {
			return out, err
		}
		j.Query.Log.Warn("the backfill begins again", "reason", err)
	}
}

// prepare understands a request.
func (j *Job) prepare(ctx context.Context, r Request) (*target, committer.BackfillOptions, error) {
	var o committer.BackfillOptions
	t, f, err := j.understand(ctx, r, false)
	if err != nil {
		return nil, o, err
	}
	record, err := committer.NewestRecord(ctx, j.Options)
	if err == nil && record != nil {
		if err = j.sameRows(t, record); err == nil {
			err = j.known(ctx, record.Sources, r.Kind)
		}
	}
	if err != nil {
		return nil, o, err
	}
	o = committer.BackfillOptions{Command: r.Command(), Condition: condition, ReplaceForeign: r.ReplaceForeign, Plan: func(g committer.Ground) (committer.Intent, error) {
		return t.plan(f, g)
	}}
	return t, o, nil
}

// understand checks a request and asks the sources about it. into: the rows go into another table.
func (j *Job) understand(ctx context.Context, r Request, into bool) (*target, facts, error) {
	if err := r.check(j.Query.Clock.Now()); err != nil {
		return nil, facts{}, err
	}
	t, err := j.newTarget(r, into)
	if err != nil {
		return nil, facts{}, err
	}
	f, err := j.ask(ctx, r)
	return t, f, err
}

func (t *target) report(in committer.Intent) Report {
	return Report{Command: t.r.Command(), Where: in.Where, From: in.From, Until: in.Until, Watermark: in.Watermark, LeftAlone: t.leftAlone(in)}
}

// once runs a backfill from where it is to its end.
func (j *Job) once(ctx context.Context, t *target, o committer.BackfillOptions) (out Report, err error) {
	fill, err := committer.OpenBackfill(ctx, j.Options, o)
	if err != nil {
		return Report{}, err
	}
	if fill.Done() {
		return Report{Command: t.r.Command(), Finished: true}, nil
	}
	in := fill.Intent()
	out = t.report(in)
	out.Found = len(fill.Parts())
	defer func() {
		if errors.Is(err, committer.ErrRestart) {
			err = errors.Join(err, fill.Abandon(ctx))
		}
	}()
	where, err := t.filter(in.Where)
	if err != nil {
		return out, err
	}
	if err := j.known(ctx, fill.Record().Sources, t.r.Kind); err != nil {
		return out, err
	}
	q, err := j.query(t, in, fill.Record().Sources)
	if err != nil {
		return out, err
	}
	out.Plan = q.Program.Plan
	q.Sink = &staging{fill: fill, opts: j.Options, where: where}
	q.Commit = microbatch.CommitPolicy{}
	if err := microbatch.Run(ctx, q); err != nil {
		return out, err
	}
	out.Parts = len(fill.Parts())
	if !whole(fill.Parts(), in) {
		return out, ErrStopped
	}
	out.Replaced, err = fill.Replace(ctx)
	return out, err
}

// sameRows refuses a query whose groups are not those that the table has.
func (j *Job) sameRows(t *target, record *committer.Record) error {
	p, err := j.program(t)
	if err != nil {
		return err
	}
	var is []committer.Operator
	for _, op := range p.Operators {
		is = append(is, op.Made)
	}
	if diff := microbatch.OtherRows(record.Operators, is); diff != "" {
		return fmt.Errorf("%w: the rows of the table are of other groups than those of the query, so that none of them takes the place of another; its operators as they were (-) and as they are (+):\n%s\nGo back to them, or fill a new table with --into", ErrInexact, diff)
	}
	return t.sameColumns(record)
}

// sameColumns refuses a range by a column that was made otherwise when rows of the table were: its values there tell other rows than they would now.
func (t *target) sameColumns(record *committer.Record) error {
	for _, name := range t.goesBy(record.Sources) {
		is := t.shape.derived[name]
		for _, was := range record.Columns[name] {
			if was != is && was != committer.NoColumn {
				return fmt.Errorf("%w: column %s, which the range goes by, is %s in the query, and was %s when rows of the table were made: the rows of the range cannot be told; fill everything (--all), or a new table with --into", ErrInexact, name, is, was)
			}
		}
	}
	return nil
}

// known asks the sources whether what the pipeline has read is still the same.
func (j *Job) known(ctx context.Context, read map[string]offsets.Progress, kind Kind) error {
	for _, in := range j.Query.Inputs {
		if err := repeatable(in.Name, in.Source, read[in.Name], kind); err != nil {
			return err
		}
		if _, err := in.Source.Available(ctx, read[in.Name]); err != nil {
			return fmt.Errorf("what the pipeline has read cannot be read again: %w", err)
		}
	}
	return nil
}

// query is that of the pipeline over the range.
func (j *Job) query(t *target, in committer.Intent, read map[string]offsets.Progress) (microbatch.Query, error) {
	q := j.Query
	var err error
	if q.Program, err = j.program(t); err != nil {
		return q, err
	}
	q.Trigger = microbatch.Trigger{AvailableNow: true}
	q.Event = microbatch.EventPolicy{Greatest: q.Event.Greatest, NoDataBatches: true, NoDataAtRestart: true, SurvivesRestart: true, Hold: true, HoldTo: in.Watermark}
	q.Inputs = nil
	for _, input := range j.Query.Inputs {
		input.Source = &bounded{Source: input.Source, progress: read[input.Name], from: in.From[input.Name], until: in.Until[input.Name]}
		input.SkipLoss = false
		q.Inputs = append(q.Inputs, input)
	}
	return q, nil
}

// whole reports whether the parts reach to the end of the range.
func whole(parts []committer.Part, in committer.Intent) bool {
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return reached(last.Sources, in) && !last.NoDataDue
}

// reached reports whether positions are at the end of a range.
func reached(at map[string]offsets.Progress, in committer.Intent) bool {
	for name, until := range in.Until {
		for p, end := range until {
			if at[name].Partitions[p].Next < end {
				return false
			}
		}
	}
	return true
}

// Cancel ends the open backfill of a pipeline without a trace in the rows. False: there is none.
func Cancel(ctx context.Context, opts committer.Options) (command string, open bool, err error) {
	in, open, err := committer.CancelBackfill(ctx, opts, committer.BackfillOptions{Condition: condition})
	return in.Command, open, err
}
