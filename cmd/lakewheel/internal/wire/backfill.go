package wire

import (
	"context"
	"strings"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/backfill"
)

// Backfill makes the job of filling a range of a pipeline's rows. The function it returns closes the sources.
func Backfill(ctx context.Context, p *config.Pipeline, w World) (backfill.Job, func(), error) {
	opts, err := CommitterOptions(p, w)
	if err != nil {
		return backfill.Job{}, nil, err
	}
	q, closeSources, err := build(ctx, p, w, tableSink(p, opts))
	if err != nil {
		return backfill.Job{}, nil, err
	}
	return backfill.Job{Query: q, Plan: p.Planned.Physical, Inputs: execInputs(p), Settings: execSettings(p), Options: opts}, closeSources, nil
}

// Into is a pipeline that writes to another place, with side tables beside it.
func Into(p *config.Pipeline, path string) *config.Pipeline {
	out := *p
	path = strings.TrimRight(path, "/")
	out.Sink.Path, out.DeadLetter, out.Sink.Append, out.PreviousName = path, path+"_dead_letter", false, ""
	if out.Late != "" {
		out.Late = path + "_late"
	}
	out.Trigger.AvailableNow = true
	return &out
}

// IntoTable is another place that a pipeline's rows are filled into.
func IntoTable(p *config.Pipeline, path string, w World) (backfill.Into, error) {
	other := Into(p, path)
	opts, err := CommitterOptions(other, w)
	return backfill.Into{Options: opts, Sink: func(o committer.Options) microbatch.Sink { return tableSink(other, o) }}, err
}
