package scenario

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
)

// stream is a pipeline with what Spark 4.0.1 did at each step: a batch of the rows of the step, one partition a source, and the batches
// without data that follow it.
type stream struct {
	Seed        int
	Kind        string
	Sources     map[string]streamSource
	Query, Mode string
	Steps       []map[string][]json.RawMessage
	Expect      struct {
		Error          string // the condition, if Spark refuses the query
		Columns, Types []string
		Steps          []streamStep
	}
}

type streamSource struct {
	Schema    string
	Watermark *struct{ Column, Delay string }
	Dedup     *struct {
		Keys            []string
		WithinWatermark bool `json:"within_watermark"`
	}
}

// streamStep is what Spark did in a step. State and Dropped are by stateful operator, from the sink down.
type streamStep struct {
	Rows           [][]any // in complete mode the newest result
	State, Dropped []int64
	WatermarkAfter string `json:"watermark_after"` // "": not known
}

// knownStreams are the seeds of which Lakewheel answers otherwise, each with its reason.
var knownStreams = map[int]string{}

// TestSparkStreams compares rows, state, drops and watermark of random pipelines with Spark's, step by step.
func TestSparkStreams(t *testing.T) {
	var kinds []string
	all, agree := map[string]int{}, map[string]int{}
	for _, s := range readStreams(t) {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
		all[s.Kind]++
		difference := s.compare(t)
		reason, known := knownStreams[s.Seed]
		switch {
		case difference == "":
			agree[s.Kind]++
			require.False(t, known, "seed %d agrees, but is listed as known to differ: %s", s.Seed, reason)
		case known:
			t.Logf("seed %d (%s) differs: %s", s.Seed, s.Kind, reason)
		default:
			t.Errorf("seed %d (%s, %s): %s\n  %s", s.Seed, s.Kind, s.Mode, difference, s.Query)
		}
	}
	for _, kind := range kinds {
		t.Logf("%-10s %d of %d agree", kind, agree[kind], all[kind])
	}
}

func readStreams(t *testing.T) (out []stream) {
	f, err := os.Open("testdata/spark/spark_streams.jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	d := json.NewDecoder(unzipped)
	d.UseNumber()
	for {
		var s stream
		err := d.Decode(&s)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, s)
	}
}

// pipeline is the file of the stream.
func (s *stream) pipeline() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: seed_%d\ncompat: spark\noutput_mode: %s\nquery: %q\nsources:\n", s.Seed, s.Mode, s.Query)
	for _, name := range s.sourceNames() {
		src := s.Sources[name]
		fmt.Fprintf(&b, "  %s:\n    memory: {}\n    schema: %q\n", name, src.Schema)
		if w := src.Watermark; w != nil {
			fmt.Fprintf(&b, "    watermark: {column: %s, delay: %s}\n", w.Column, w.Delay)
		}
		if d := src.Dedup; d != nil {
			fmt.Fprintf(&b, "    dedup: {keys: [%s], within_watermark: %v}\n", strings.Join(d.Keys, ", "), d.WithinWatermark)
		}
	}
	return b.String()
}

func (s *stream) sourceNames() (names []string) {
	for name := range s.Sources {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compare runs the stream and says where it first differs from Spark, "" if nowhere.
func (s *stream) compare(t *testing.T) string {
	e := New()
	out := s.do(t, e, "pipeline", s.pipeline())
	switch want := s.Expect.Error; {
	case want != "" && !strings.Contains(out, "["+want+"]"):
		return fmt.Sprintf("want [%s], got %s", want, out)
	case want != "":
		return ""
	case out != "ok":
		return out
	}
	if d := s.compareSchema(e); d != "" {
		return d
	}
	for i, step := range s.Steps {
		for _, name := range s.sourceNames() {
			s.do(t, e, "input", string(bytes.Join(raw(step[name]), []byte("\n"))), datadriven.CmdArg{Key: "source", Vals: []string{name}})
		}
		if out := s.do(t, e, "run", ""); strings.HasPrefix(out, "error: ") {
			return fmt.Sprintf("step %d: %s", i, out)
		}
		if d := s.compareStep(t, e, s.Expect.Steps[i]); d != "" {
			return fmt.Sprintf("step %d: %s", i, d)
		}
	}
	return ""
}

func (s *stream) do(t *testing.T, e *Env, command, input string, args ...datadriven.CmdArg) string {
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

func (s *stream) compareSchema(e *Env) string {
	var columns, types []string
	for _, f := range e.p.Planned.Physical.Schema().Fields {
		columns, types = append(columns, f.Name), append(types, sparktest.TypeName(f.Type))
	}
	return differs("columns", slices.Concat(s.Expect.Columns, s.Expect.Types), slices.Concat(columns, types))
}

// compareStep compares the latest run of the environment.
func (s *stream) compareStep(t *testing.T, e *Env, want streamStep) string {
	if d := differs("rows", s.wanted(t, want.Rows), s.delivered(t, e)); d != "" {
		return d
	}
	var state []int64
	for _, o := range e.operators {
		state = append(state, o.NumRowsTotal)
	}
	dropped := make([]int64, len(state))
	for _, p := range e.progress {
		for i, o := range p.StateOperators {
			dropped[i] += o.NumRowsDroppedByWatermark
		}
	}
	if d := differs("state", want.State, state) + differs("dropped", want.Dropped, dropped); d != "" {
		return d
	}
	watermark := time.UnixMilli(e.watermark).UTC().Format("2006-01-02T15:04:05.000Z")
	if want.WatermarkAfter != "" && want.WatermarkAfter != watermark {
		return fmt.Sprintf("watermark: want %s, got %s", want.WatermarkAfter, watermark)
	}
	return ""
}

func differs[T comparable](what string, want, got []T) string {
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("%s: want %v, got %v", what, want, got)
}

// wanted and delivered are rows in a form in which they can be compared, sorted.
func (s *stream) wanted(t *testing.T, rows [][]any) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = s.line(t, func(column int) any { return row[column] })
	}
	slices.Sort(lines)
	return lines
}

func (s *stream) delivered(t *testing.T, e *Env) []string {
	lines := make([]string, len(e.delivered))
	for i, text := range e.delivered {
		var row map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		require.NoError(t, d.Decode(&row))
		lines[i] = s.line(t, func(column int) any { return row[s.Expect.Columns[column]] })
	}
	slices.Sort(lines)
	return lines
}

func (s *stream) line(t *testing.T, at func(column int) any) string {
	parts := make([]string, len(s.Expect.Types))
	for i, typ := range s.Expect.Types {
		parts[i] = canonical(t, at(i), typ)
	}
	return strings.Join(parts, " ")
}

// canonical is a value in the form that Spark's and ours have in common: times in six digits, doubles in the shortest form.
func canonical(t *testing.T, v any, typ string) string {
	switch {
	case v == nil:
	case typ == "timestamp":
		at, err := time.Parse(time.RFC3339Nano, v.(string))
		require.NoError(t, err)
		return at.Format("2006-01-02T15:04:05.000000Z")
	case typ == "double":
		f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		require.NoError(t, err)
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
