package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/planner"
)

// Another table lies neither in a table of the pipeline nor around it.
func TestNewTable(t *testing.T) {
	p := &Pipeline{Sink: Sink{Path: "/lake/events"}, DeadLetter: "/lake/events_dead_letter", Late: "s3://bucket/late",
		Sources: []Source{{Name: "in", Files: &Files{Path: "/in", Glob: files.Glob{"**", "*.parquet"}}}, {Name: "json", Files: &Files{Path: "/json", Glob: files.Glob{"*.json"}}}}}
	for path, want := range map[string]string{
		"/lake/other": "", "/json/x": "", "/in/x": "source in reads the files in /in/x", "/in": "source in reads the files in /in", "/lake/events2": "", "/lake/events_dead_letter2": "", "relative": "", "s3://bucket/late2": "", "s3://bucket2": "",
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

// A query takes a new column of a table by a * over it, wherever it stands, and by no other way.
func TestTakesNew(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "g", Type: columnar.String, Nullable: true})
	s, other := &Source{Name: "e", Schema: schema}, &Source{Name: "f", Schema: schema}
	catalog := planner.Catalog{"e": s.table(), "f": other.table()}
	for query, want := range map[string]bool{
		"SELECT * FROM e":                               true,
		"SELECT x.* FROM e AS x":                        true,
		"SELECT * EXCEPT (g) FROM e":                    true,
		"SELECT id FROM (SELECT * FROM e)":              false,
		"SELECT * FROM (SELECT * EXCEPT (g) FROM e)":    true,
		"SELECT * FROM (SELECT id FROM e)":              false,
		"SELECT id, g FROM e":                           false,
		"SELECT * FROM f UNION ALL SELECT id, g FROM e": false,
		"SELECT * FROM e UNION ALL SELECT id, g FROM f": true,
	} {
		require.Equal(t, want, takesNew(query, catalog, s, planner.Options{}), query)
	}
	require.False(t, takesNew("SELECT count(*) FROM e", catalog, s, planner.Options{Mode: planner.Complete}))
}
