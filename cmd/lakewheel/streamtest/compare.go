package streamtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/scenario"
	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
)

// Compare runs the stream and says where it first differs from Spark, "" if nowhere.
func (s *Stream) Compare(t *testing.T) string {
	e := scenario.New()
	out := s.do(t, e, "pipeline", s.pipeline())
	if out == "ok" && s.Expect.Error == "" {
		if d := s.compareSchema(e); d != "" {
			return d
		}
	}
	for i := 0; out == "ok" && i < len(s.Steps); i++ {
		if failed := s.step(t, e, i); failed != "" {
			out = failed
		} else if s.Expect.Error == "" {
			if d := s.compareStep(t, e, s.Expect.Steps[i]); d != "" {
				return fmt.Sprintf("step %d: %s", i, d)
			}
		}
	}
	return s.compareError(out)
}

// unnamed is the condition of a stream that fails while Spark plans a batch, for a reason without a condition.
const unnamed = "STREAM_FAILED"

// compareError compares what the first command said that was not ok.
func (s *Stream) compareError(out string) string {
	switch want := s.Expect.Error; {
	case want == "" && out != "ok":
		return out
	case want == "", want == unnamed && out != "ok", strings.Contains(out, "["+want+"]"):
		return ""
	default:
		return fmt.Sprintf("want [%s], got %s", want, out)
	}
}

// step feeds a step and runs it; it returns the error of the run, "" if there is none.
func (s *Stream) step(t *testing.T, e *scenario.Env, i int) string {
	if slices.Contains(s.Restarts, i) {
		s.do(t, e, "restart", "")
	}
	for _, name := range s.sourceNames() {
		s.do(t, e, "input", string(bytes.Join(raw(s.Steps[i][name]), []byte("\n"))), source(name))
	}
	if out := s.do(t, e, "run", ""); strings.HasPrefix(out, "error: ") {
		return fmt.Sprintf("step %d: %s", i, out)
	}
	return ""
}

func (s *Stream) do(t *testing.T, e *scenario.Env, command, input string, args ...datadriven.CmdArg) string {
	out, err := e.Handle(&datadriven.TestData{Cmd: command, CmdArgs: args, Input: input})
	require.NoError(t, err, "seed %d: %s", s.Seed, command)
	return out
}

func raw(rows []json.RawMessage) [][]byte {
	out := make([][]byte, len(rows))
	for i, r := range rows {
		out[i] = r
	}
	return out
}

func (s *Stream) compareSchema(e *scenario.Env) string {
	var columns, types []string
	for _, f := range e.Schema().Fields {
		columns, types = append(columns, f.Name), append(types, sparktest.TypeName(f.Type))
	}
	return differs("columns", slices.Concat(s.Expect.Columns, s.Expect.Types), slices.Concat(columns, types))
}

// compareStep compares the latest run of the environment.
func (s *Stream) compareStep(t *testing.T, e *scenario.Env, want Step) string {
	got := e.Outcome()
	if d := differs("rows", wanted(t, e.Schema(), want.Rows), delivered(t, e.Schema(), got.Rows)); d != "" {
		return d
	}
	if d := differs("state", want.State, got.State) + differs("dropped", want.Dropped, got.Dropped); d != "" {
		return d
	}
	watermark := time.UnixMilli(got.Watermark).UTC().Format("2006-01-02T15:04:05.000Z")
	if want.WatermarkAfter != "" && want.WatermarkAfter != watermark {
		return fmt.Sprintf("watermark: want %s, got %s", want.WatermarkAfter, watermark)
	}
	return ""
}

func differs[T comparable](what string, want, got []T) string {
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("%s:\n    want %v\n    got  %v", what, want, got)
}
