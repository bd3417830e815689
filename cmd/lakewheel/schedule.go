package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/schedule"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// scheduleFlags are those of the command.
type scheduleFlags struct {
	list, asJSON  bool
	parallel      int
	memory, drain string
}

func scheduleCommand() *cobra.Command {
	var flags scheduleFlags
	cmd := &cobra.Command{
		Use:   "schedule FILE...",
		Short: "Run pipelines by the clock, each as a catch-up",
		Long: `Run pipelines at the times of their schedule: each run takes in what is there, as run --available-now does, and ends. Times that
passed while a run went on, or while no scheduler was up, become one run: the newest commit of a pipeline's table says when it ran last.

A pipeline runs once at a time. One that fails is tried again after 30 seconds, then after twice as long each time, up to an hour; the others
go on. All runs share the processors and --memory. SIGTERM and Ctrl-C finish or abandon the open batches within --drain-timeout.

Where another process takes a pipeline over, the pipeline ends in this one. Exit codes are those of run; 3 when no pipeline is left.`,
		Args: atLeast(1, "at least one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadScheduled(args, flags)
			if err != nil {
				return err
			}
			if flags.list {
				return listSchedules(cmd.Context(), cmd.OutOrStdout(), pipelines, wire.Real(logger()), flags.asJSON)
			}
			s, err := newScheduler(pipelines, wire.Real(logger()), flags)
			if err != nil {
				return err
			}
			debug.SetMemoryLimit(memoryLimit(pipelines, flags))
			s.OnResult = resultPrinter(os.Stdout, flags.asJSON || !isTerminal(os.Stdout))
			return s.Run(cmd.Context(), stopOnSignal())
		},
	}
	cmd.Flags().BoolVar(&flags.list, "list", false, "show when the pipelines ran last and run next, and end")
	cmd.Flags().BoolVar(&flags.asJSON, "json", false, "print JSON lines, also on a terminal")
	cmd.Flags().IntVar(&flags.parallel, "parallel", max(2, runtime.GOMAXPROCS(0)), "how many pipelines run at once; others wait")
	cmd.Flags().StringVar(&flags.memory, "memory", "", "memory for data in flight of all runs, e.g. 1GiB (default: the largest limits.memory)")
	cmd.Flags().StringVar(&flags.drain, "drain-timeout", "", "how long a stop may take, e.g. 30s")
	return cmd
}

// loadScheduled loads pipelines, all of which have a schedule.
func loadScheduled(files []string, flags scheduleFlags) ([]*config.Pipeline, error) {
	pipelines, err := loadAll(files)
	if err != nil {
		return nil, err
	}
	for _, p := range pipelines {
		if !p.Schedule.Set() {
			return nil, usageError{fmt.Errorf("%s: schedule is missing, e.g. schedule: \"*/15 * * * *\"", p.File)}
		}
	}
	if err := checkTwice(pipelines); err != nil {
		return nil, err
	}
	return pipelines, setDrain(pipelines, flags.drain)
}

// setDrain is --drain-timeout, which goes before what the files say.
func setDrain(pipelines []*config.Pipeline, drain string) error {
	if drain == "" {
		return nil
	}
	for _, p := range pipelines {
		var err error
		if p.DrainTimeout, err = config.ParseDuration(drain); err != nil {
			return usageError{fmt.Errorf("--drain-timeout: %w", err)}
		}
	}
	return nil
}

// newScheduler makes a scheduler whose runs share one pool of workers and one memory budget.
func newScheduler(pipelines []*config.Pipeline, w wire.World, flags scheduleFlags) (*schedule.Scheduler, error) {
	memory, err := sharedMemory(pipelines, flags.memory)
	if err != nil {
		return nil, err
	}
	if flags.parallel < 1 {
		return nil, usageError{fmt.Errorf("--parallel %d: at least 1", flags.parallel)}
	}
	if w.Workers == 0 {
		w.Workers = runtime.GOMAXPROCS(0)
	}
	w.Pool, w.Memory = microbatch.NewPool(w.Workers), source.NewBudget(wire.FetchShare(memory), nil)
	s := &schedule.Scheduler{Clock: w.Clock, Log: w.Log, Parallel: flags.parallel, Pause: retryPause}
	for _, p := range pipelines {
		warnDaylight(p, w)
		s.Jobs = append(s.Jobs, newJob(p, w))
	}
	return s, nil
}

// sharedMemory is what data in flight of all runs may take together.
func sharedMemory(pipelines []*config.Pipeline, flag string) (int64, error) {
	if flag != "" {
		bytes, err := config.ParseSize(flag)
		if err != nil || bytes < 64<<20 {
			return 0, usageError{fmt.Errorf("--memory: expected a size such as 1GiB, at least 64MiB, got %q", flag)}
		}
		return bytes, nil
	}
	var most int64
	for _, p := range pipelines {
		most = max(most, p.Limits.Memory)
	}
	return most, nil
}

// memoryLimit is what the runtime is told; see memoryBudget.
func memoryLimit(pipelines []*config.Pipeline, flags scheduleFlags) int64 {
	memory, _ := sharedMemory(pipelines, flags.memory) // newScheduler has looked at its error
	return memory/8*7 + stateMemory(pipelines)
}

// warnDaylight warns of times within a year that the clock leaves out or shows twice.
func warnDaylight(p *config.Pipeline, w wire.World) {
	for _, text := range daylight(p, w.Clock.Now()) {
		w.Log.Warn("schedule: "+text, "pipeline", p.Name, "schedule", p.Schedule.String())
	}
}

func daylight(p *config.Pipeline, now time.Time) []string {
	return p.Schedule.Daylight(now, now.AddDate(1, 0, 0))
}

// newJob is a pipeline as the scheduler runs it.
func newJob(p *config.Pipeline, w wire.World) schedule.Job {
	bounded, probed := *p, false
	bounded.Trigger.AvailableNow = true
	return schedule.Job{
		Name: p.Name, Times: p.Schedule,
		Last: func(ctx context.Context) (time.Time, error) { return lastRun(ctx, p, w) },
		Run: func(ctx context.Context, stop <-chan struct{}) (schedule.Outcome, error) {
			var out schedule.Outcome
			w := w
			w.Probed = probed
			started := w.Clock.Now()
			err := runOne(ctx, &bounded, w, stop, func(b microbatch.Progress) {
				out.Batches, out.Rows, out.Version = out.Batches+1, out.Rows+b.Sink.NumOutputRows, b.Sink.Version
			})
			probed = probed || err == nil
			noteRun(ctx, p, w, runJSON(p.Name, schedule.Result{Started: started, Ended: w.Clock.Now(), Outcome: out, Err: err}, time.Time{}))
			told := tellStop(err, p, w, stop)
			if errors.Is(err, microbatch.ErrAbandoned) { // no failure of the process, but of the run
				return out, err
			}
			return out, told
		},
	}
}

// lastRun is the batch time of the newest commit of a pipeline; zero: there is none.
func lastRun(ctx context.Context, p *config.Pipeline, w wire.World) (time.Time, error) {
	opts, err := wire.CommitterOptions(p, w)
	if err != nil {
		return time.Time{}, err
	}
	r, _, err := readNewest(ctx, opts)
	if err != nil || r == nil || r.BatchTime == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(r.BatchTime).UTC(), nil
}

// resultPrinter prints each run, as JSON or for people.
func resultPrinter(w io.Writer, asJSON bool) func(string, schedule.Result, time.Time) {
	return func(job string, r schedule.Result, next time.Time) {
		if asJSON {
			printJSON(w, runJSON(job, r, next))
			return
		}
		fmt.Fprintln(w, runLine(job, r, next))
	}
}
