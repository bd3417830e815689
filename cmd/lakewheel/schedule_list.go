package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/schedule"
)

// scheduled is where a pipeline with a schedule stands, as its table tells it.
type scheduled struct {
	Pipeline string `json:"pipeline"`
	Schedule string `json:"schedule"` // cron expression and zone
	Jitter   string `json:"jitter,omitempty"`
	Table    string `json:"table"`
	// Last is the time of the newest commit, of the batch with which its run ended; missing before the first one.
	Last    string `json:"last,omitempty"`
	Batch   *int64 `json:"batch,omitempty"`
	Version *int64 `json:"version,omitempty"` // of the table now
	Writer  string `json:"writer,omitempty"`
	Missed  int    `json:"missed,omitempty"` // times since then, which become one run when a scheduler starts
	Next    string `json:"next,omitempty"`
	// LastRun is how the newest run of a scheduler went, also one that made no commit; missing if there was none.
	LastRun *finishedRun `json:"lastRun,omitempty"`
	Error   string       `json:"error,omitempty"` // why the table could not be read
}

// listSchedules prints where pipelines stand, one after the other. One that cannot be read does not keep the others from the list, and makes
// the command fail.
func listSchedules(ctx context.Context, out io.Writer, pipelines []*config.Pipeline, w wire.World, asJSON bool) error {
	var failed error
	for _, p := range pipelines {
		s, err := readScheduled(ctx, p, w)
		if err != nil {
			s.Error, failed = err.Error(), err
		}
		if asJSON {
			printJSON(out, s)
			continue
		}
		fmt.Fprintln(out, scheduledLine(s))
	}
	return failed
}

func readScheduled(ctx context.Context, p *config.Pipeline, w wire.World) (scheduled, error) {
	now := w.Clock.Now()
	s := scheduled{Pipeline: p.Name, Schedule: p.Schedule.String(), Table: p.Sink.Path, Next: stamp(p.Schedule.Next(now))}
	if shift := p.Schedule.Shift(); shift > 0 {
		s.Jitter = shift.String()
	}
	opts, err := wire.CommitterOptions(p, w)
	if err != nil {
		return s, err
	}
	if s.LastRun, err = readRun(ctx, p, w); err != nil {
		return s, err
	}
	r, snap, err := readNewest(ctx, opts)
	if err != nil || r == nil || r.BatchTime == 0 {
		return s, err
	}
	last := time.UnixMilli(r.BatchTime)
	s.Last, s.Batch, s.Version, s.Writer = stamp(last), &r.LastBatch, &snap.Version, r.Writer
	s.Missed = p.Schedule.Between(last, now, 1000)
	return s, nil
}

// stamp is a time in UTC, "" if there is none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func scheduledLine(s scheduled) string {
	line := fmt.Sprintf("%s  [%s]  next %s", s.Pipeline, s.Schedule, s.Next)
	switch {
	case s.Error != "":
		line += "  cannot be read: " + s.Error
	case s.Last == "":
		line += "  no commit yet"
	default:
		line += fmt.Sprintf("  last commit %s, batch %d", s.Last, *s.Batch)
	}
	if run := s.LastRun; run != nil {
		line += fmt.Sprintf("  last run %s: %s", run.Ended, run.Result)
		if run.Error != "" {
			line += " (" + run.Error + ")"
		}
	}
	if s.Missed > 0 {
		line += fmt.Sprintf("  %d times since then: one run at the start of a scheduler", s.Missed)
	}
	return line
}

// finishedRun is a run that a scheduler has made, as JSON.
type finishedRun struct {
	Pipeline string `json:"pipeline"`
	Due      string `json:"due,omitempty"` // missing: a try after a failure
	Missed   int    `json:"missed,omitempty"`
	Started  string `json:"started"`
	Ended    string `json:"ended"`
	Result   string `json:"result"` // "committed", "nothing new", "failed", or "abandoned" by a stop that came to the drain timeout
	// A run that fails may have committed batches before.
	Batches int64  `json:"batches"`
	Rows    int64  `json:"rows"`
	Version *int64 `json:"version,omitempty"` // of the table, if there were batches
	Error   string `json:"error,omitempty"`
	Same    int    `json:"failuresAtTheSameOffsets,omitempty"`
	Next    string `json:"next,omitempty"` // missing: the pipeline has ended in this process
}

func runJSON(job string, r schedule.Result, next time.Time) finishedRun {
	out := finishedRun{Pipeline: job, Due: stamp(r.Due), Missed: r.Missed, Started: stamp(r.Started), Ended: stamp(r.Ended), Result: outcomeOf(r), Batches: r.Batches, Rows: r.Rows, Same: r.Same, Next: stamp(next)}
	if r.Batches > 0 {
		out.Version = &r.Version
	}
	if r.Err != nil {
		out.Error = r.Err.Error()
	}
	return out
}

func outcomeOf(r schedule.Result) string {
	switch {
	case errors.Is(r.Err, microbatch.ErrAbandoned):
		return "abandoned"
	case r.Err != nil:
		return "failed"
	case r.Batches == 0:
		return "nothing new"
	}
	return "committed"
}

func runLine(job string, r schedule.Result, next time.Time) string {
	line := fmt.Sprintf("%s %s: %s", r.Ended.UTC().Format("15:04:05"), job, outcomeOf(r))
	if r.Batches > 0 {
		line += fmt.Sprintf(" %d rows in %d batches and %s, version %d", r.Rows, r.Batches, r.Ended.Sub(r.Started).Round(time.Millisecond), r.Version)
	}
	if r.Missed > 0 {
		line += fmt.Sprintf(", for %d times that passed before", r.Missed)
	}
	if next.IsZero() {
		return line + ", ends in this process"
	}
	return line + ", next " + stamp(next)
}

// printJSON prints a value as a line.
func printJSON(w io.Writer, v any) {
	if b, err := json.Marshal(v); err == nil {
		fmt.Fprintf(w, "%s\n", b)
	}
}
