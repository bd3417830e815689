// Package streamtest runs pipelines on the engine and compares what they do, step by step, with what Spark did: for tests that have
// its answers recorded and for those that ask it.
package streamtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Stream is a pipeline with what Spark did at each step: a batch of the rows of the step, one partition a source, and the batches
// without data that follow it.
type Stream struct {
	Seed        int
	Kind        string
	Sources     map[string]Source
	Query, Mode string
	Settings    Settings
	Steps       []map[string][]json.RawMessage // documents by source
	Restarts    []int                          // the steps before which the pipeline ends and is started again
	Expect      struct {
		Error          string // the condition, if Spark refuses the query or it fails
		Columns, Types []string
		Steps          []Step
	}
}

// Source is an input. A Watermark or Dedup of nil: it has none.
type Source struct {
	Schema    string
	Watermark *struct{ Column, Delay string }
	Dedup     *struct {
		Keys            []string
		WithinWatermark bool `json:"within_watermark"`
	}
}

// Settings are those of the pipeline that are not the defaults.
type Settings struct {
	NoDataBatches   *bool  `json:"no_data_batches"`
	WatermarkPolicy string `json:"watermark_policy"`
}

// Step is what Spark did in a step. State and Dropped are by stateful operator, from the sink down.
type Step struct {
	Rows           [][]json.RawMessage // in complete mode the newest result
	State, Dropped []int64
	WatermarkAfter string `json:"watermark_after"` // "": not known
}

// pipeline is the file of the stream.
func (s *Stream) pipeline() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: seed_%d\noutput_mode: %s\nquery: %q\ncompat: spark\n", s.Seed, s.Mode, s.Query)
	if on := s.Settings.NoDataBatches; on != nil {
		fmt.Fprintf(&b, "no_data_batches: %v\n", *on)
	}
	if policy := s.Settings.WatermarkPolicy; policy != "" {
		fmt.Fprintf(&b, "watermark_policy: %s\n", policy)
	}
	b.WriteString("sources:\n")
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

func (s *Stream) sourceNames() (names []string) {
	for name := range s.Sources {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
