package scenario

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/schedule"
)

// path is a way to run a pipeline.
type path struct {
	name string
	env  func() *Env
	// runs says after which commands of the script the engine runs.
	runs func(cmd string) bool
	// moved: what is read comes from other places than in the first way.
	moved bool
}

// scheduled lets a scheduler make a run, which its timetable says is due.
func scheduled(t *testing.T) func(run func() error) error {
	times, err := schedule.Parse("@yearly", time.UTC, 0, "p")
	require.NoError(t, err)
	return func(run func() error) error {
		stop := make(chan struct{})
		var result error
		s := schedule.Scheduler{Clock: microbatch.SystemClock{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Parallel: 1, Pause: schedule.Pause{First: time.Hour, Longest: time.Hour},
			OnResult: func(_ string, r schedule.Result, _ time.Time) { result = r.Err; close(stop) },
			Jobs: []schedule.Job{{Name: "p", Times: times,
				Last: func(context.Context) (time.Time, error) { return time.Now().AddDate(-2, 0, 0), nil },
				Run:  func(context.Context, <-chan struct{}) (schedule.Outcome, error) { return schedule.Outcome{}, run() }}}}
		require.NoError(t, s.Run(t.Context(), stop))
		return result
	}
}

func paths(t *testing.T) []path {
	after := func(cmds ...string) func(string) bool {
		return func(cmd string) bool { return slices.Contains(cmds, cmd) }
	}
	return []path{
		{"catch-ups where the script runs", New, after("run"), false},
		{"a stream in many batches", func() *Env { e := New(); e.Stream, e.RowsPerBatch = true, 1; return e }, after("run"), false},
		{"a stream that never falls behind", func() *Env { e := New(); e.Stream = true; return e }, after("input"), false},
		{"one catch-up", New, after(), false},
		{"scheduled runs", func() *Env { e := New(); e.Around = scheduled(t); return e }, after("input"), false},
		{"an archive of files, then the source", func() *Env { return withArchive(t) }, after(), true},
	}
}

// There is one path: a stream in many batches, one catch-up, scheduled runs and an archive before the source execute the same physical plan and give equal
// tables. TestBackfillIsStreaming has the backfills.
func TestOnePath(t *testing.T) {
	if testing.Short() {
		t.Skip("six ways through each script")
	}
	for _, file := range scripts(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if boundaries(string(text)) || fails(string(text)) {
				return
			}
			want, plan := "", ""
			for i, p := range paths(t) {
				if p.moved && coordinates.Match(text) {
					continue
				}
				e := p.env()
				e.Plans = &[]string{}
				got := tablesAfter(t, file, e, p.runs)
				if i == 0 {
					want, plan = got, printed(*e.Plans)
					t.Log(plan)
				}
				if p.moved {
					want, got = withoutPlaces(want), withoutPlaces(got)
				}
				require.Equal(t, want, got, p.name)
				require.Equal(t, plan, printed(*e.Plans), p.name)
			}
		})
	}
}

// fails reports whether a batch of the script fails: what was committed by then depends on how its rows were cut.
func fails(script string) bool { return strings.Contains(script, "\nerror: batch ") }

// printed are the plans that ran, each once, in their order.
func printed(plans []string) (out string) {
	for i, p := range plans {
		if i == 0 || p != plans[i-1] {
			out += p + "\n"
		}
	}
	return out
}
