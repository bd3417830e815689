package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/planner"
)

const eventTimeHead = `name: q
sources: {e: {memory: {}, schema: "ts TIMESTAMP, id BIGINT", watermark: {column: TS, delay: 1 minute}, dedup: {keys: [ID]}}}
query: SELECT ts FROM e
`

// What a file says nothing about has the defaults; what it says is taken over.
func TestEventTimeSettings(t *testing.T) {
	def := func() Pipeline {
		return Pipeline{NoDataBatches: true, NoDataAtRestart: true, SurvivesRestart: true, State: microbatch.StateLimits{MaxBytes: 2 << 30}}
	}
	for text, change := range map[string]func(*Pipeline){
		"":                                     func(*Pipeline) {},
		"output_mode: append":                  func(*Pipeline) {},
		"watermark_policy: min":                func(*Pipeline) {},
		"watermark_policy: max":                func(p *Pipeline) { p.WatermarkMax = true },
		"no_data_batches: false":               func(p *Pipeline) { p.NoDataBatches = false },
		"no_data_at_restart: false":            func(p *Pipeline) { p.NoDataAtRestart = false },
		"watermark: {survives_restart: false}": func(p *Pipeline) { p.SurvivesRestart = false },
		"compat: spark":                        func(p *Pipeline) { p.SurvivesRestart, p.NoDataAtRestart = false, false },
		"watermark: {survives_restart: true}\ncompat: spark": func(p *Pipeline) { p.NoDataAtRestart = false },
		"late_rows: table": func(p *Pipeline) { p.LateRows, p.Late = TableLate, "/lake/q_late" },
		"late_rows: table\nside_tables: {late: /lake/late}": func(p *Pipeline) { p.LateRows, p.Late = TableLate, "/lake/late" },
		"state: {max_rows: 7, max_bytes: 1GiB}":             func(p *Pipeline) { p.State = microbatch.StateLimits{MaxRows: 7, MaxBytes: 1 << 30} },
		"state: {max_rows: 7}":                              func(p *Pipeline) { p.State = microbatch.StateLimits{MaxRows: 7, MaxBytes: 2 << 30} },
	} {
		p, err := Parse("p.yaml", eventTimeHead+"sink: {delta: {path: /lake/q}}\n"+text, noEnv)
		require.NoError(t, err, text)
		want := def()
		change(&want)
		require.Equal(t, want, Pipeline{Mode: p.Mode, WatermarkMax: p.WatermarkMax, NoDataBatches: p.NoDataBatches, NoDataAtRestart: p.NoDataAtRestart,
			SurvivesRestart: p.SurvivesRestart, LateRows: p.LateRows, Late: p.Late, AllowedLateness: p.AllowedLateness, State: p.State}, text)
	}
}

func TestLateRowsThatUpdate(t *testing.T) {
	p, err := Parse("p.yaml", eventTimeHead+"sink: {console: {}}\noutput_mode: update\nlate_rows: update\nallowed_lateness: 1 minute 30 seconds\n", noEnv)
	require.NoError(t, err)
	require.Equal(t, planner.Update, p.Mode)
	require.Equal(t, UpdateLate, p.LateRows)
	require.Equal(t, 90*time.Second, p.AllowedLateness)
}

// The planner gets event time and duplicates in the spelling of the schema.
func TestEventTimeOfASource(t *testing.T) {
	p, err := Parse("p.yaml", eventTimeHead+"sink: {console: {}}\n", noEnv)
	require.NoError(t, err)
	s := p.Sources[0]
	require.Equal(t, &EventTime{Column: "ts", Delay: time.Minute}, s.EventTime)
	require.Equal(t, &planner.DedupRule{Keys: []string{"id"}}, s.Dedup)
	require.Equal(t, &planner.EventTime{Column: "ts", Delay: 60_000_000}, s.table().EventTime)
	require.Equal(t, s.Dedup, s.table().Dedup)
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]string{
		"1s": "1s", "1m30s": "1m30s", "0s": "0s", "10 seconds": "10s", "1 second": "1s", "1 minute 30 seconds": "1m30s", "INTERVAL 2 Hours": "2h0m0s",
		"1.5 seconds": "1.5s", "1 week 1 day": "192h0m0s", "250 milliseconds 5 microseconds": "250.005ms", "-5 seconds": "-5s",
		"": "", "10": "", "seconds": "", "1 month": "", "1 year": "", "1 minute 30": "", "x seconds": "", "1 fortnight": "", "110000 days": "", "2000000 hours 1000000 hours": "",
	} {
		d, err := ParseDuration(text)
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, d.String(), text)
	}
}
