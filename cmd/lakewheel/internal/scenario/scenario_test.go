package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripts are the semantics.
func TestScripts(t *testing.T) {
	for _, path := range scripts(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			e := New()
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				out, err := e.Handle(d)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return out
			})
		})
	}
}

// tables runs a script without its own crashes and returns the tables after each pipeline, together with the
// environment's crash if one is set.
func tables(t *testing.T, path string, e *Env) string {
	return tablesAfter(t, path, e, func(cmd string) bool { return cmd == "run" })
}

// tablesAfter runs a script and lets the engine run after the commands for which runs says so, and at the end of a pipeline; not where the
// script does.
func tablesAfter(t *testing.T, path string, e *Env, runs func(cmd string) bool) string {
	var out strings.Builder
	run := func() {
		_, err := e.Handle(&datadriven.TestData{Cmd: "run"})
		require.NoError(t, err)
	}
	flush := func() {
		if e.p == nil {
			return
		}
		if !runs("run") {
			run()
		}
		for _, table := range []string{e.p.Sink.Path, e.p.DeadLetter, e.p.Late} {
			if table == "" {
				continue
			}
			lines, err := ReadTable(t.Context(), storeOf(e, table))
			require.NoError(t, err)
			out.WriteString(strings.Join(lines, "\n") + "\n--\n")
		}
	}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "pipeline":
			flush()
			e.p = nil
			_, err := e.Handle(d)
			require.NoError(t, err)
		case "restart": // where the process ends is the sweep's to say; what the pipeline is from then on is the script's
			if e.p != nil && d.Input != "" {
				if !runs("run") {
					run() // what came before is for the pipeline as it was
				}
				_, err := e.Handle(d)
				require.NoError(t, err)
			}
		case "input", "clock":
			if e.p != nil {
				_, err := e.Handle(d)
				require.NoError(t, err)
			}
		}
		if e.p != nil && runs(d.Cmd) {
			run()
		}
		return d.Expected
	})
	if e.p != nil && runs("run") {
		run()
	}
	flush()
	return out.String()
}

// A crash after the k-th durable write, for every k until none fires, and another number of shards after each restart: the tables are
// those of the uninterrupted run.
func TestCrashSweep(t *testing.T) {
	for _, path := range scripts(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			want := tables(t, path, New())
			fired := 0
			for k := 0; ; k++ {
				e := New()
				e.CrashAfter, e.Workers = k, []int{2, 5, 1, 8, 3}
				require.Equal(t, want, tables(t, path, e), "crash after %d writes", k)
				if !e.Fired {
					break
				}
				fired++
			}
			require.True(t, fired > 0 || want == "", "no crash ever fired")
		})
	}
}

// Plain Parquet files hold what a Delta table does, wherever the process dies.
func TestPlainCrashSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("the crash sweep of Delta tables goes the same ways")
	}
	for _, name := range []string{"crash", "dead_letters", "partitions", "evolution", "eventtime_append", "eventtime_late_table", "records"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name+".txt")
			want, fired := tables(t, path, New()), true
			for k := 0; fired; k++ {
				e := New()
				e.Plain, e.CrashAfter = true, k
				require.Equal(t, want, tables(t, path, e), "crash after %d writes", k)
				fired = e.Fired
			}
		})
	}
}

// Other numbers of workers and other batch cuts give the same tables.
func TestShapeSweep(t *testing.T) {
	for _, path := range scripts(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			want := tables(t, path, New())
			shapes := [][]int{{1}, {3}, {8}, {4, 1, 7, 2, 6, 5}}
			if testing.Short() { // as under the race detector
				shapes = shapes[3:]
			}
			for _, workers := range shapes {
				for _, rows := range []int64{0, 1, 2, 1000} {
					if rows != 0 && boundaries(string(text)) {
						continue
					}
					e := New()
					e.Workers, e.RowsPerBatch = workers, rows
					require.Equal(t, want, tables(t, path, e), "%v workers, %d rows a batch", workers, rows)
				}
			}
		})
	}
}

func scripts(t *testing.T) []string {
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// boundaries reports whether a script says that other batch cuts change its result.
func boundaries(script string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(script), "\n\n")
	return strings.HasPrefix(first, "#") && strings.Contains(first, "boundaries=matter")
}

// Most scripts come out the same however their input is cut into batches; those that do not are few, and say why.
func TestFewScriptsDependOnTheCuts(t *testing.T) {
	all, marked := scripts(t), 0
	for _, path := range all {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if boundaries(string(text)) {
			marked++
		}
	}
	require.LessOrEqual(t, marked, len(all)/3)
}
