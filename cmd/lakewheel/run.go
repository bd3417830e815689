package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
)

func runCommand() *cobra.Command {
	var availableNow, acceptLoss, asJSON bool
	var drain string
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
				if drain == "" {
					continue
				}
				if p.DrainTimeout, err = config.ParseDuration(drain); err != nil {
					return usageError{fmt.Errorf("--drain-timeout: %w", err)}
				}
			}
			w := wire.Real(logger())
			w.AcceptLoss = acceptLoss
			return runAll(cmd.Context(), pipelines, w, stopOnSignal(), progressPrinter(os.Stdout, asJSON || !isTerminal(os.Stdout)))
		},
	}
	cmd.Flags().BoolVar(&availableNow, "available-now", false, "read what is there now, commit it and exit")
	cmd.Flags().BoolVar(&acceptLoss, "accept-loss", false, "go on where the position in the table was lost")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print progress as JSON lines, also on a terminal")
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

// runAll runs pipelines side by side. One that fails ends alone; the error of the command is the first one.
func runAll(ctx context.Context, pipelines []*config.Pipeline, w wire.World, stop <-chan struct{}, onProgress func(microbatch.Progress)) error {
	debug.SetMemoryLimit(memoryBudget(pipelines))
	var mu sync.Mutex
	var first error
	var group sync.WaitGroup
	for _, p := range pipelines {
		group.Go(func() {
			err := runOne(ctx, p, w, stop, onProgress)
			if errors.Is(err, microbatch.ErrAbandoned) {
				w.Log.Warn(err.Error(), "pipeline", p.Name)
				err = nil
			}
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
func memoryBudget(pipelines []*config.Pipeline) (total int64) {
	for _, p := range pipelines {
		total += p.Limits.Memory / 8 * 7
		if len(statefulOperators(p.Planned.Physical)) > 0 {
			total += p.State.MaxBytes
		}
	}
	return total
}

func runOne(ctx context.Context, p *config.Pipeline, w wire.World, stop <-chan struct{}, onProgress func(microbatch.Progress)) error {
	w.Log = w.Log.With("pipeline", p.Name)
	if err := wire.Probe(ctx, p, w); err != nil {
		return err
	}
	q, closeSource, err := wire.Build(ctx, p, w)
	if err != nil {
		return err
	}
	defer closeSource()
	q.Stop, q.OnProgress = stop, onProgress
	return microbatch.Run(ctx, q)
}

// progressPrinter prints each batch, as JSON or for people.
func progressPrinter(w io.Writer, asJSON bool) func(microbatch.Progress) {
	var mu sync.Mutex
	return func(p microbatch.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if asJSON {
			if b, err := json.Marshal(p); err == nil {
				fmt.Fprintf(w, "%s\n", b)
			}
			return
		}
		fmt.Fprintln(w, progressLine(p))
	}
}

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
