package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/microbatch/source/files"
)

// Another table lies neither in a table of the pipeline nor around it.
func TestNewTable(t *testing.T) {
	p := &Pipeline{Sink: Sink{Path: "/lake/events"}, DeadLetter: "/lake/events_dead_letter", Late: "s3://bucket/late",
		Sources: []Source{{Name: "in", Files: &Files{Path: "/in", Glob: files.Glob{"**", "*.parquet"}}}, {Name: "json", Files: &Files{Path: "/json", Glob: files.Glob{"*.json"}}},
			{Name: "events", Bootstrap: &Bootstrap{Files: &Files{Path: "/archive", Glob: files.Glob{"**"}}}}}}
	for path, want := range map[string]string{
		"/lake/other": "", "/json/x": "", "/archive/x": "source events reads the files in /archive/x", "/in/x": "source in reads the files in /in/x", "/in": "source in reads the files in /in", "/lake/events2": "", "/lake/events_dead_letter2": "", "relative": "", "s3://bucket/late2": "", "s3://bucket2": "",
		"/lake/events": "lie in each other", "/lake/events/": "lie in each other", "/lake/./events/x/..": "lie in each other", "/lake/events/nested": "lie in each other",
		"/lake": "lie in each other", "/": "lie in each other", "/lake/events_dead_letter": "lie in each other", "s3://bucket/late/x": "lie in each other", "s3://bucket": "lie in each other",
		"": "is empty", "gs://b/x": "gs://b/x is neither a local folder nor s3://bucket/prefix", "s3://": "s3://",
	} {
		err := p.NewTable(path)
		require.Equal(t, want == "", err == nil, "%s: %v", path, err)
		if err != nil {
			require.ErrorContains(t, err, want)
		}
	}
}
