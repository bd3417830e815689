package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
)

// The windows of page_counts and their watermark.
const (
	windowSize = 10 * time.Second
	delay      = 3 * time.Second
)

const eventsFile = `# Page views from the demo's broker into a Delta table. Try: lakewheel plan %[1]s
name: events
sources:
  events:
    kafka: {brokers: ["%[2]s"], topic: events}
    schema: event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, duration_ms BIGINT, bot BOOLEAN
query: |
  SELECT event_id, ts, user_id, page, country, duration_ms / 1000 AS seconds
  FROM events
  WHERE NOT bot
sink:
  delta: {path: %[3]s}
`

const pageCountsFile = `# Views by page and window of 10 seconds; a window is written once, when it is complete. Try: lakewheel plan %[1]s
name: page_counts
sources:
  events:
    kafka: {brokers: ["%[2]s"], topic: events}
    schema: event_id STRING, ts TIMESTAMP, page STRING, duration_ms BIGINT, bot BOOLEAN
    watermark: {column: ts, delay: 3 seconds, per_partition: true}
    on_bad_record: drop   # pipeline events keeps them
query: |
  SELECT window.start AS window_start, page, count(*) AS views, sum(duration_ms) AS duration_ms
  FROM events
  WHERE NOT bot
  GROUP BY window(ts, '10 seconds'), page
late_rows: table          # there are none, unless the clock is set back
sink:
  delta: {path: %[3]s}
`

// pipelines are the two of the demo.
type pipelines struct{ events, pageCounts *config.Pipeline }

func (p pipelines) all() []*config.Pipeline { return []*config.Pipeline{p.events, p.pageCounts} }

// writePipelines writes the pipeline files, so that they can be looked at and run by hand, and loads them.
func writePipelines(dir, addr string) (p pipelines, err error) {
	if p.events, err = writePipeline(dir, "events", eventsFile, addr); err != nil {
		return p, err
	}
	p.pageCounts, err = writePipeline(dir, "page_counts", pageCountsFile, addr)
	return p, err
}

// writePipeline writes the file of a pipeline, whose table lies beside it under its name.
func writePipeline(dir, name, text, addr string) (*config.Pipeline, error) {
	file := filepath.Join(dir, name+".yaml")
	path, err := json.Marshal(strings.ReplaceAll(filepath.Join(dir, name), "${", "$${"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, text, file, addr, path), 0o644); err != nil {
		return nil, err
	}
	return config.Load(file, os.LookupEnv)
}
