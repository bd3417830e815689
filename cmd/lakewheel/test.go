package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/scenario"
)

func testCommand() *cobra.Command {
	rewrite := false
	cmd := &cobra.Command{
		Use:   "test SCRIPT...",
		Short: "Run scenario scripts: rows in, rows out, on the real engine",
		Args:  atLeast(1, "at least one script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			testing.Init()
			if err := flag.CommandLine.Parse(nil); err != nil {
				return err
			}
			if err := flag.Set("rewrite", fmt.Sprint(rewrite)); err != nil {
				return err
			}
			failed := 0
			for _, file := range args {
				if err := checkLines(file); err != nil {
					return err
				}
				if !runScript(cmd.OutOrStdout(), file) {
					failed++
				}
			}
			if failed > 0 {
				return fmt.Errorf("%d of %d scripts failed", failed, len(args))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&rewrite, "rewrite", false, "put the real output in the place of the expected one")
	return cmd
}

// maxScriptLine is the longest line that the script library reads; behind a longer one it
// would see nothing.
const maxScriptLine = 64<<10 - 1

func checkLines(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(b) {
		if n++; len(line) > maxScriptLine {
			return fmt.Errorf("%s:%d: the line has %d bytes, a script takes %d; build long values in the query, such as repeat('x', 100000)", file, n, len(line), maxScriptLine)
		}
	}
	return nil
}

// runScript runs one script and prints how it went.
func runScript(w io.Writer, file string) bool {
	t := &scriptRun{w: w}
	done := make(chan struct{})
	go func() {
		defer close(done)
		e, commands := scenario.New(), 0
		defer func() {
			if commands == 0 && !t.failed {
				t.failed = true
				fmt.Fprintf(w, "%s: no commands in it\n", file)
			}
		}()
		datadriven.RunTestAny(t, file, func(_ testing.TB, d *datadriven.TestData) string {
			commands++
			out, err := e.Handle(d)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			return out
		})
	}()
	<-done
	if t.failed {
		fmt.Fprintf(w, "FAIL %s\n", file)
	} else {
		fmt.Fprintf(w, "ok   %s\n", file)
	}
	return !t.failed
}

// scriptRun is what the script library reports to. Like a test of the testing package it ends its goroutine at the
// first failure.
type scriptRun struct {
	testing.TB
	w      io.Writer
	failed bool
}

func (t *scriptRun) Helper()             {}
func (t *scriptRun) Logf(string, ...any) {}
func (t *scriptRun) Failed() bool        { return t.failed }
func (t *scriptRun) FailNow()            { t.failed = true; runtime.Goexit() }
func (t *scriptRun) Skipped() bool       { return false }

func (t *scriptRun) Fatal(args ...any) {
	fmt.Fprintln(t.w, args...)
	t.FailNow()
}

func (t *scriptRun) Fatalf(format string, args ...any) {
	fmt.Fprintf(t.w, format+"\n", args...)
	t.FailNow()
}
