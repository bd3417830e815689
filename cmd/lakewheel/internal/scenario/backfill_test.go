package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/backfill"
	"github.com/lakewheel/lakewheel/planner"
)

// A backfill of everything executes the plan of streaming in many batches, and gives its rows: into a new table, and in place, where nothing changes. What cannot be computed
// so is refused, and nothing is changed either. A script with late rows is left out: in a backfill no row is late.
func TestBackfillIsStreaming(t *testing.T) {
	filled := 0
	for _, path := range scripts(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if boundaries(string(text)) {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			e := New()
			e.Plans = &[]string{}
			changed := false
			compare := func() {
				if e.p != nil && !changed && !e.p.Sink.Console && !e.p.Sink.Plain {
					filled += compareBackfill(t, e)
				}
			}
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				switch d.Cmd {
				case "pipeline":
					compare()
					e.p, changed = nil, false
				case "restart":
					changed = changed || d.Input != ""
				case "run":
					d.CmdArgs = nil
					defer func() { changed = changed || late(e) }()
				case "input", "clock":
				default:
					return d.Expected
				}
				if e.p == nil && d.Cmd != "pipeline" {
					return d.Expected
				}
				_, err := e.Handle(d)
				require.NoError(t, err)
				return d.Expected
			})
			if e.p != nil {
				_, err := e.Handle(&datadriven.TestData{Cmd: "run"})
				require.NoError(t, err)
				changed = changed || late(e)
			}
			compare()
		})
	}
	t.Logf("%d pipelines were filled", filled)
	require.Greater(t, filled, 40, "most scripts can be filled")
}

// late reports whether rows were late in the latest run.
func late(e *Env) bool {
	return slices.ContainsFunc(e.progress, func(p microbatch.Progress) bool { return p.LateRows > 0 })
}

// compareBackfill fills everything, and counts what could be filled.
func compareBackfill(t *testing.T, e *Env) (filled int) {
	was := tablesOf(t, e, e.p.Sink.Path, e.p.DeadLetter, e.p.Late)
	all := backfill.Request{From: backfill.Beginning, Until: backfill.End}
	job, closeSources, err := wire.Backfill(t.Context(), e.p, e.world(""))
	require.NoError(t, err)
	defer closeSources()
	other := wire.Into(e.p, "filled")
	into, err := wire.IntoTable(e.p, "filled", e.world(""))
	require.NoError(t, err)
	switch done, err := backfill.Fill(t.Context(), job, all, into); {
	case err == nil:
		require.Equal(t, e.lastPlan(), planner.FormatPhysical(done.Plan), "into another table")
		require.Equal(t, was, tablesOf(t, e, other.Sink.Path, other.DeadLetter, other.Late), "into another table")
		filled++
	default:
		require.True(t, refused(err), "%v", err)
	}
	switch done, err := backfill.Run(t.Context(), job, all); {
	case err == nil:
		require.Equal(t, e.lastPlan(), planner.FormatPhysical(done.Plan), "in place")
	default:
		require.True(t, refused(err), "%v", err)
	}
	require.Equal(t, was, tablesOf(t, e, e.p.Sink.Path, e.p.DeadLetter, e.p.Late), "in place")
	return filled
}

// lastPlan is the physical plan of the latest run.
func (e *Env) lastPlan() string { return (*e.Plans)[len(*e.Plans)-1] }

func refused(err error) bool {
	return errors.Is(err, backfill.ErrInexact) || errors.Is(err, backfill.ErrRange) || errors.Is(err, committer.ErrRefused) || errors.Is(err, microbatch.ErrStateLimit)
}

// tablesOf are the rows of tables, sorted; "" is none.
func tablesOf(t *testing.T, e *Env, paths ...string) (out [][]string) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		lines, err := ReadTable(t.Context(), storeOf(e, path))
		require.NoError(t, err)
		out = append(out, lines)
	}
	return out
}
