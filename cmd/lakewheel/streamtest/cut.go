package streamtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/scenario"
)

// Cuttable reports whether the table that Uncut gives does not depend on how the input is cut into batches. Update mode puts out each change,
// and a row without a time is forgotten by dropDuplicatesWithinWatermark as soon as the watermark has left 1970.
func (s *Stream) Cuttable() bool {
	return s.Expect.Error == "" && s.Mode != "update" && s.Kind != "dedupw"
}

// allTime is a delay that makes no row late.
const allTime = "6 hours"

// Uncut runs the stream as if no row could be late, all steps at once and a row from the far future after them, in batches of so many rows (0:
// one batch) and with numbers of workers in turns, and returns the rows of its table.
func (s *Stream) Uncut(t *testing.T, rows int64, workers ...int) string {
	e := scenario.New()
	e.RowsPerBatch, e.Workers = rows, workers
	patient := *s
	patient.Sources = map[string]Source{}
	for name, src := range s.Sources {
		if src.Watermark != nil {
			src.Watermark = &struct{ Column, Delay string }{src.Watermark.Column, allTime}
		}
		patient.Sources[name] = src
	}
	require.Equal(t, "ok", patient.do(t, e, "pipeline", patient.pipeline()))
	for _, name := range patient.sourceNames() {
		var docs [][]byte
		for _, step := range s.Steps {
			docs = append(docs, raw(step[name])...)
		}
		patient.do(t, e, "input", string(bytes.Join(docs, []byte("\n"))), source(name))
	}
	patient.do(t, e, "run", "")
	for _, name := range patient.sourceNames() {
		if w := patient.Sources[name].Watermark; w != nil {
			last, err := json.Marshal(map[string]string{w.Column: "2100-01-01T00:00:00Z"})
			require.NoError(t, err)
			patient.do(t, e, "input", string(last), source(name))
		}
	}
	out := patient.do(t, e, "run", "")
	require.NotContains(t, out, "error: ", fmt.Sprintf("seed %d", s.Seed))
	return patient.do(t, e, "table", "")
}

func source(name string) datadriven.CmdArg {
	return datadriven.CmdArg{Key: "source", Vals: []string{name}}
}
