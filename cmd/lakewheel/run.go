package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
)

func runCommand() *cobra.Command {
	var availableNow, acceptLoss, asJSON bool
	var drain string
	var retries int
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run pipelines until they are stopped",
		Long: `Run pipelines until they are stopped, or with --available-now until everything that is there now is in the table.

SIGTERM and Ctrl-C finish the open batch and commit it, within --drain-timeout; a batch that takes longer is abandoned, which loses
nothing. A second signal ends the process at once, which loses nothing either.

Exit codes: 0 done, 1 failed, 2 invalid pipeline, 3 another writer took over, 4 data loss detected, 130 interrupted twice.`,
		Args: atLeast(1, "at least one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			for _, p := range pipelines {
				p.Trigger.AvailableNow = p.Trigger.AvailableNow || availableNow
			}
			if retries < 0 {
				return usageError{fmt.Errorf("--retries %d: at least 0", retries)}
			}
			if err := errors.Join(checkTwice(pipelines), setDrain(pipelines, drain)); err != nil {
				return err
			}
			to, log := reporterFor(pipelines, asJSON)
			w := wire.Real(log)
			w.AcceptLoss = acceptLoss
			return runAll(cmd.Context(), pipelines, w, stopOnSignal(), retries, to)
		},
	}
	cmd.Flags().BoolVar(&availableNow, "available-now", false, "read what is there now, commit it and exit")
	cmd.Flags().BoolVar(&acceptLoss, "accept-loss", false, "go on where the position in the table was lost")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print progress as JSON lines, also on a terminal")
	cmd.Flags().IntVar(&retries, "retries", 0, "how often in a row a pipeline that fails is tried again, after 30s, 1m, 2m and so on up to 1h")
	cmd.Flags().StringVar(&drain, "drain-timeout", "", "how long a stop may take, e.g. 30s")
	return cmd
}

// loadAll loads pipeline files; the faults of all of them come together.
func loadAll(files []string) ([]*config.Pipeline, error) {
	var out []*config.Pipeline
	var faults config.Faults
	tables := wire.Real(logger()).TableSchema(context.Background())
	for _, file := range files {
		p, err := config.LoadWith(file, os.LookupEnv, tables)
		var some config.Faults
		switch {
		case errors.As(err, &some):
			faults = append(faults, some...)
		case err != nil:
			return nil, usageError{err}
		default:
			out = append(out, p)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return out, nil
}

// checkTwice refuses a pipeline that is named twice: its runs would fence each other.
func checkTwice(pipelines []*config.Pipeline) error {
	seen := map[string]string{}
	for _, p := range pipelines {
		same := p.Name + " " + p.Sink.Path
		if other, ok := seen[same]; ok && !p.Sink.Console {
			return usageError{fmt.Errorf("%s and %s are the same pipeline %s of %s, which cannot run twice", other, p.File, p.Name, p.Sink.Path)}
		}
		seen[same] = p.File
	}
	return nil
}

// runAll runs pipelines side by side. One that fails ends alone; the error of the command is the first one.
func runAll(ctx context.Context, pipelines []*config.Pipeline, w wire.World, stop <-chan struct{}, retries int, to reporter) error {
	debug.SetMemoryLimit(memoryBudget(pipelines))
	var mu sync.Mutex
	var first error
	var group sync.WaitGroup
	for _, p := range pipelines {
		group.Go(func() {
			err := tellStop(runRetried(ctx, p, w, stop, retries, to.batch), p, w, stop)
			to.ended(p.Name, err)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && len(pipelines) > 1 {
				w.Log.Error(err.Error(), "pipeline", p.Name)
			}
			if err != nil && (first == nil || errors.Is(first, committer.ErrFenced)) {
				first = err
			}
		})
	}
	group.Wait()
	return first
}

// memoryBudget is what data in flight and state of pipelines may take, in bytes. The runtime is told so: by itself it lets the heap double
// between collections, and so the state; near the budget it collects more often instead.
func memoryBudget(pipelines []*config.Pipeline) int64 {
	total := stateMemory(pipelines)
	for _, p := range pipelines {
		total += p.Limits.Memory / 8 * 7
	}
	return total
}

// stateMemory is what the state of pipelines may take, in bytes.
func stateMemory(pipelines []*config.Pipeline) (total int64) {
	for _, p := range pipelines {
		if len(statefulOperators(p.Planned.Physical)) > 0 {
			total += p.State.MaxBytes
		}
	}
	return total
}

func runOne(ctx context.Context, p *config.Pipeline, w wire.World, stop <-chan struct{}, onProgress func(microbatch.Progress)) error {
	w.Log = w.Log.With("pipeline", p.Name)
	if !w.Probed {
		if err := wire.Probe(ctx, p, w); err != nil {
			return err
		}
	}
	q, closeSource, err := wire.Build(ctx, p, w)
	if err != nil {
		return err
	}
	defer closeSource()
	q.Stop, q.OnProgress = stop, onProgress
	return microbatch.Run(ctx, q)
}

// tellStop says how a stop went, which is no failure: the open batch is in the table, or was given up.
func tellStop(err error, p *config.Pipeline, w wire.World, stop <-chan struct{}) error {
	select {
	case <-stop:
	default:
		return err
	}
	switch log := w.Log.With("pipeline", p.Name); {
	case errors.Is(err, microbatch.ErrAbandoned):
		log.Warn("stopped after the drain timeout: "+err.Error(), "drain_timeout", p.DrainTimeout.String())
		return nil
	case err == nil:
		log.Info("stopped: the open batch was finished, and everything that was read is committed")
	}
	return err
}

// reporter hears of each committed batch and of the end of each pipeline. Its methods may be called concurrently.
type reporter interface {
	batch(p microbatch.Progress)
	ended(pipeline string, err error)
}

// reporterFor is a bar where people watch bounded runs, and lines everywhere else; with the log that goes with it.
func reporterFor(pipelines []*config.Pipeline, asJSON bool) (reporter, *slog.Logger) {
	lines := &progressLines{w: os.Stdout, asJSON: asJSON || !isTerminal(os.Stdout)}
	for _, p := range pipelines {
		if lines.asJSON || !p.Trigger.AvailableNow || p.Sink.Console {
			return lines, logger()
		}
	}
	b := newBar(os.Stdout, time.Now)
	return b, loggerTo(b.beside(os.Stderr))
}

// progressLines prints each batch, as JSON or for people.
type progressLines struct {
	mu     sync.Mutex
	w      io.Writer
	asJSON bool
}

func (l *progressLines) batch(p microbatch.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asJSON {
		printJSON(l.w, p)
		return
	}
	fmt.Fprintln(l.w, progressLine(p))
}

func (*progressLines) ended(string, error) {}

// progressLine is a batch in a line.
func progressLine(p microbatch.Progress) string {
	line := fmt.Sprintf("%s %s batch %d: %d in, %d out", p.Timestamp[11:19], p.Name, p.BatchID, p.NumInputRows, p.Sink.NumOutputRows)
	if p.BadRows > 0 {
		line += fmt.Sprintf(", %d bad", p.BadRows)
	}
	if p.LateRows > 0 {
		line += fmt.Sprintf(", %d late", p.LateRows)
	}
	for i, op := range p.StateOperators {
		line += fmt.Sprintf("%s%d in state", []string{", ", " + "}[min(i, 1)], op.NumRowsTotal)
	}
	line += fmt.Sprintf(", %d ms", p.BatchDuration)
	if p.Sink.Version >= 0 {
		line += fmt.Sprintf(", version %d", p.Sink.Version)
	}
	if lag := p.Lag(); lag > 0 {
		line += fmt.Sprintf(", lag %d", lag)
	}
	return line
}
