package backfill

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/offsets"
)

// Into is another table, of the same schema and partitions.
type Into struct {
	Options committer.Options
	// Sink makes the sink that the pipeline would have there.
	Sink func(committer.Options) microbatch.Sink
}

// Fill fills another table with the rows of a range. It can be asked for again after it was cut off. The table has a record of its own, and nothing is replaced.
func Fill(ctx context.Context, j Job, r Request, into Into) (Report, error) {
	t, f, err := j.understand(ctx, r, true)
	if err != nil {
		return Report{}, err
	}
	at, err := j.position(ctx, r.Kind)
	if err != nil {
		return Report{}, err
	}
	in, err := t.plan(f, committer.Ground{Record: at})
	if err != nil {
		return Report{}, err
	}
	if err := sameCommand(ctx, into.Options, r.Command()); err != nil {
		return Report{}, err
	}
	into.Options.Settings = map[string]string{commandSetting: r.Command()}
	return j.fill(ctx, t, in, at.Sources, into)
}

// fill runs the plan over the offsets of an intent.
func (j *Job) fill(ctx context.Context, t *target, in committer.Intent, read map[string]offsets.Progress, into Into) (Report, error) {
	out := t.report(in)
	where, err := t.filter(in.Where)
	if err != nil {
		return out, err
	}
	q, err := j.query(t, in, read)
	if err != nil {
		return out, err
	}
	out.Plan = q.Program.Plan
	if q.Sink = into.Sink(into.Options); where != nil {
		q.Sink = &narrowed{Sink: q.Sink, where: where}
	}
	report := q.OnProgress
	q.OnProgress = func(p microbatch.Progress) {
		out.Parts, out.Replaced.Rows, out.Replaced.Version = out.Parts+1, out.Replaced.Rows+p.Sink.NumOutputRows, p.Sink.Version
		if report != nil {
			report(p)
		}
	}
	if err = microbatch.Run(ctx, q); err != nil {
		return out, err
	}
	out.Finished = out.Parts == 0
	return out, j.filled(ctx, in, into.Options)
}

// filled checks that a table has all of the range.
func (j *Job) filled(ctx context.Context, in committer.Intent, into committer.Options) error {
	r, err := committer.NewestRecord(ctx, into)
	if err != nil || r == nil || !reached(r.Sources, in) || r.NoDataDue {
		return errors.Join(err, ErrStopped)
	}
	return nil
}

// commandSetting is where the record of a filled table says what it was filled with.
const commandSetting = "backfill"

// sameCommand refuses a table that was filled with something else.
func sameCommand(ctx context.Context, into committer.Options, command string) error {
	r, err := committer.NewestRecord(ctx, into)
	if err != nil || r == nil {
		return err
	}
	switch was := r.Settings[commandSetting]; {
	case was != command:
		return fmt.Errorf("%w: %s was filled with another range (%q): fill a new table", committer.ErrRefused, into.Table, was)
	case r.Plan != into.Plan:
		return fmt.Errorf("%w: %s was filled by another query, and would have rows of both: fill a new table", committer.ErrRefused, into.Table)
	}
	return nil
}

// position is where the pipeline is: as its table says, or, without one, all that the sources have now.
func (j *Job) position(ctx context.Context, kind Kind) (*committer.Record, error) {
	r, err := committer.NewestRecord(ctx, j.Options)
	if err != nil {
		return nil, err
	}
	if r != nil && r.LastBatch >= 0 {
		return r, j.known(ctx, r.Sources, kind)
	}
	out := map[string]offsets.Progress{}
	for _, in := range j.Query.Inputs {
		a, err := in.Source.Available(ctx, offsets.Progress{})
		if err != nil {
			return nil, err
		}
		for p, m := range a.Progress.Partitions {
			m.First, m.Next = m.Next, max(m.Next, a.Ends[p])
			a.Progress.Partitions[p] = m
		}
		out[in.Name] = a.Progress
	}
	return &committer.Record{Sources: out}, nil
}
