package backfill

import (
	"context"
	"fmt"
	"time"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// Job is a pipeline of which something is to be filled.
type Job struct {
	// Query as the pipeline runs it. Its program, trigger and sink are not used.
	Query microbatch.Query
	// Plan is compiled for the range, over Inputs, with Settings.
	Plan     planner.PhysicalNode
	Inputs   []exec.Input
	Settings exec.Settings
	// Options of the pipeline's table.
	Options committer.Options
}

// Report is what a backfill did, or would do.
type Report struct {
	Command string
	// Plan is the physical plan that ran, or would run.
	Plan planner.PhysicalNode
	// Where is the condition of the rows that change places.
	Where string
	// From and Until are the offsets that are read, by source.
	From, Until map[string]offsets.Positions
	// Watermark is the committed one, in milliseconds since 1970; 0: the query has no windows.
	Watermark int64
	LeftAlone []Windows
	Replaced  committer.Replaced
	// Parts are those that were staged, Found those of an earlier run that were gone on with.
	Parts, Found int
	Restarts     int
	// Finished: an earlier run had put the rows in, and only what follows from that was left to do.
	Finished bool
}

// facts are what the sources say once, before a plan is made.
type facts struct {
	starts      map[string]offsets.Positions // where the partitions begin now; nil for a source that does not tell
	from, until map[string]offsets.Positions // of a range of the times of records
}

// ranges decides which offsets are read. It does no I/O.
//
//	all, event time   every offset that the pipeline has read
//	kafka time        those from the first record at the start of the range to the first one at its end
//	offsets           as they are given
//
// In each case only below where the pipeline is: later rows are its own affair.
func (r Request) ranges(name string, read offsets.Progress, f facts) (from, until offsets.Positions, err error) {
	from, until = offsets.Positions{}, read.Positions()
	for p, m := range read.Partitions {
		from[p] = m.First
	}
	switch r.Kind {
	case KafkaTime:
		begin := clip(from, f.from[name], from, until)
		for p, start := range f.starts[name] {
			if begin[p] == start && start > from[p] { // what is gone may have been of the range
				begin[p] = from[p]
			}
		}
		from, until = begin, clip(until, f.until[name], begin, until)
	case Offsets:
		if from, until, err = r.given(name, from, until); err != nil {
			return nil, nil, err
		}
	}
	return from, until, r.retained(name, from, until, f.starts[name])
}

// clip are positions as another map says, between bounds.
func clip(at, to, low, high offsets.Positions) offsets.Positions {
	out := at.Clone()
	for p := range at {
		if v, ok := to[p]; ok {
			out[p] = max(low[p], min(v, high[p]))
		}
	}
	return out
}

// given are the offsets of the request, which names every partition that the pipeline reads.
func (r Request) given(name string, first, next offsets.Positions) (from, until offsets.Positions, err error) {
	from, until = offsets.Positions{}, offsets.Positions{}
	for _, p := range next.Sorted() {
		for _, end := range []struct {
			of, into offsets.Positions
			flag     string
		}{{r.FromOffsets, from, "from"}, {r.UntilOffsets, until, "to"}} {
			at, ok := end.of[p]
			switch {
			case !ok:
				return nil, nil, fmt.Errorf("%w: source %s: partition %s, which the pipeline reads, is not among the offsets to begin and to end with: name every partition at both ends (-2 is the first offset that was read, -1 where the pipeline is)", ErrRange, name, p)
			case at == -1:
				at = next[p]
			case at == -2:
				at = first[p]
			case at < 0:
				return nil, nil, fmt.Errorf("%w: source %s: %d is no offset of %s", ErrRange, name, at, p)
			}
			end.into[p] = at
		}
		switch {
		case from[p] > until[p]:
			return nil, nil, fmt.Errorf("%w: source %s: %s begins at offset %d, after its end at %d", ErrRange, name, p, from[p], until[p])
		case from[p] < first[p]:
			return nil, nil, fmt.Errorf("%w: source %s: %s begins at offset %d, and the pipeline has read it from %d on: rows that were never in the table would come into it", ErrRange, name, p, from[p], first[p])
		case until[p] > next[p]:
			return nil, nil, fmt.Errorf("%w: source %s: %s ends at offset %d, in the future: the pipeline has read up to %d, and what it reads later is its own affair", ErrRange, name, p, until[p], next[p])
		}
	}
	return from, until, nil
}

// retained refuses offsets whose records are gone, or leaves them out.
func (r Request) retained(name string, from, until, starts offsets.Positions) error {
	for _, p := range from.Sorted() {
		start, known := starts[p]
		if !known || from[p] >= start || from[p] >= until[p] {
			continue
		}
		if !r.AllowPartial {
			return fmt.Errorf("%w: source %s: the log of %s begins at offset %d now, and the range needs offsets from %d on: rows of the range would be lost; --allow-partial goes on without those records", ErrRange, name, p, start, from[p])
		}
		from[p] = min(start, until[p])
	}
	return nil
}

// ask asks the sources for what the request needs to know.
func (j *Job) ask(ctx context.Context, r Request) (f facts, err error) {
	f = facts{starts: map[string]offsets.Positions{}, from: map[string]offsets.Positions{}, until: map[string]offsets.Positions{}}
	for _, in := range j.Query.Inputs {
		if s, ok := in.Source.(source.Starter); ok {
			if f.starts[in.Name], err = s.Starts(ctx); err != nil {
				return f, err
			}
		}
		if r.Kind != KafkaTime {
			continue
		}
		index, ok := in.Source.(source.TimeIndex)
		if !ok {
			return f, fmt.Errorf("%w: source %s does not find records by the time they were written at: give a range of event time or of offsets", ErrInexact, in.Name)
		}
		for _, end := range []struct {
			at   int64
			into map[string]offsets.Positions
		}{{r.From, f.from}, {r.Until, f.until}} {
			if end.at == Beginning || end.at == End {
				continue
			}
			if end.into[in.Name], err = index.OffsetsAt(ctx, time.UnixMicro(end.at)); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}
