package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/microbatch"
)

// report takes what the engine says of a batch.
func (e *Env) report(p microbatch.Progress) {
	e.progress = append(e.progress, p)
	e.operators = p.StateOperators
	if p.HasWatermark {
		e.watermark = p.Watermark
	}
}

// showProgress sums the batches of the latest run. The watermark is the one in force after them.
func (e *Env) showProgress() string {
	var in, out, lateRows, lateGroups int64
	for _, p := range e.progress {
		in, out = in+p.NumInputRows, out+p.Sink.NumOutputRows
		lateRows, lateGroups = lateRows+p.LateRows, lateGroups+p.LateGroups
	}
	watermark := "none"
	if slices.ContainsFunc(e.p.Sources, func(s config.Source) bool { return s.EventTime != nil }) {
		watermark = time.UnixMilli(e.watermark).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return fmt.Sprintf("batches=%d rows_in=%d rows_out=%d late_rows=%d late_groups=%d watermark=%s", len(e.progress), in, out, lateRows, lateGroups, watermark)
}

// showState says what the stateful operators keep after the newest batch, from the sink down.
func (e *Env) showState() string {
	if len(e.operators) == 0 {
		return "(no state)"
	}
	lines := make([]string, len(e.operators))
	for i, o := range e.operators {
		lines[i] = fmt.Sprintf("op=%d kind=%s rows=%d", i, o.OperatorName, o.NumRowsTotal)
	}
	return strings.Join(lines, "\n")
}
