// Command lakewheel fills data lakes from streams, exactly once.
//
// The packages below it do the work; this one reads flags, wires concrete types, owns signals and turns errors into exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // zones by name, also in a container without a time zone database

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/backfill"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// Exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitFenced      = 3
	exitDataLoss    = 4
	exitInterrupted = 130
)

// usageError is a wrong call of the command.
type usageError struct{ error }

// ballast is heap that is never touched and so takes no memory. The collector runs when the heap has doubled: this much
// more room it has before, which matters while the heap is small.
const ballast = 32 << 20

func main() {
	room := make([]byte, ballast)
	code := run(os.Args[1:])
	runtime.KeepAlive(room)
	os.Exit(code)
}

func run(args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "lakewheel:", err)
	}
	return exitCode(err)
}

// exitCode says in a number why the command ended.
func exitCode(err error) int {
	var usage usageError
	var faults config.Faults
	switch {
	case err == nil, errors.Is(err, microbatch.ErrAbandoned):
		return 0
	case errors.As(err, &usage), errors.As(err, &faults), errors.Is(err, backfill.ErrRange), strings.HasPrefix(err.Error(), "unknown command"): // the last is cobra's own
		return exitUsage
	case errors.Is(err, committer.ErrFenced):
		return exitFenced
	case errors.Is(err, committer.ErrPositionLost), errors.Is(err, source.ErrDataLoss):
		return exitDataLoss
	}
	return exitFailed
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "lakewheel",
		Short:         "Fill data lakes from streams, exactly once",
		Long:          "Lakewheel runs SQL over Kafka topics, folders of files and Delta tables in one-second batches and commits Parquet files together with the offsets they came from into a Delta table, or a folder of plain files.",
		SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(demoCommand(), runCommand(), scheduleCommand(), validateCommand(), planCommand(), inferCommand(), statusCommand(), historyCommand(), rewindCommand(), backfillCommand(), stateCommand(),
		catCommand(), compactCommand(), vacuumCommand(), testCommand(), schemaCommand(), functionsCommand(), versionCommand())
	return root
}

// knownCommand refuses what is not the name of a command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return usageError{fmt.Errorf("unknown command %q, did you mean %s?", args[0], near[0])}
	}
	return usageError{fmt.Errorf("unknown command %q; see lakewheel --help", args[0])}
}

// atLeast asks for so many arguments.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("%s needs %s; see lakewheel %s --help", cmd.Name(), what, cmd.Name())}
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s needs %s; see lakewheel %s --help", cmd.Name(), what, cmd.Name())}
		}
		return nil
	}
}

// sameSignal is how long after a signal another one is the same: a terminal and a wrapper may both pass on one Ctrl-C.
const sameSignal = 250 * time.Millisecond

// stopOnSignal returns a channel that closes at the first SIGINT or SIGTERM. The second one ends the process at once: everything
// that is not committed is safe to lose.
func stopOnSignal() <-chan struct{} {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		close(stop)
		time.Sleep(sameSignal)
		for len(signals) > 0 {
			<-signals
		}
		<-signals
		os.Exit(exitInterrupted)
	}()
	return stop
}

// logger writes text to a terminal and JSON elsewhere, both to standard error.
func logger() *slog.Logger { return loggerTo(os.Stderr) }

// loggerTo writes to w what is for standard error, in its form.
func loggerTo(w io.Writer) *slog.Logger {
	if isTerminal(os.Stderr) {
		return slog.New(slog.NewTextHandler(w, nil))
	}
	return slog.New(slog.NewJSONHandler(w, nil))
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
