package planner

import (
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// statements are the queries in testdata.
func statements(f *testing.F, dir string) []string {
	f.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(f, err)
	var out []string
	between := regexp.MustCompile(`(?ms)^(?:plan|columns|steps|names|statement|schema)[^\n]*\n(.*?)\n----$`)
	for _, e := range entries {
		text, err := os.ReadFile(dir + "/" + e.Name())
		require.NoError(f, err)
		for _, m := range between.FindAllSubmatch(text, -1) {
			out = append(out, string(m[1]))
		}
	}
	return out
}

// Any text is planned, with all that holds for plans, or refused at a place in it.
func FuzzPlan(f *testing.F) {
	for _, dir := range []string{"testdata/logical", "testdata/physical", "testdata/errors", "testdata/statements"} {
		for _, s := range statements(f, dir) {
			f.Add(s)
		}
	}
	s, err := ParseSchema("a INT, b BIGINT, c STRING, d DECIMAL(12,2), e DOUBLE, f BOOLEAN, ts TIMESTAMP, dt DATE, bin BINARY")
	require.NoError(f, err)
	once := Table{Schema: s, EventTime: &EventTime{Column: "ts", Delay: 1}, Dedup: &DedupRule{Keys: []string{"a", "ts"}}}
	cat := Catalog{"t": {Schema: s}, "events": {Schema: s, EventTime: once.EventTime}, "once": once}
	f.Fuzz(func(t *testing.T, text string) {
		mode := OutputMode(len(text) % 3)
		p, err := Plan(text, cat, Options{Mode: mode})
		if err == nil {
			checkPlanned(t, text, cat, mode, p)
			return
		}
		var all Errors
		require.True(t, errors.As(err, &all))
		for _, e := range all {
			require.NotEmpty(t, e.Message)
			require.LessOrEqual(t, e.Offset, len(text))
			require.Positive(t, e.Line)
			require.Positive(t, e.Column)
			require.NotEmpty(t, e.Pretty())
		}
	})
}

// A schema that is accepted prints as DDL that declares the same schema.
func FuzzParseSchema(f *testing.F) {
	for _, s := range statements(f, "testdata/schema") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ddl string) {
		s, err := ParseSchema(ddl)
		if err != nil {
			var fault *Error
			require.True(t, errors.As(err, &fault))
			require.NotEmpty(t, fault.Pretty())
			return
		}
		require.NotEmpty(t, s.Fields)
		printed := ""
		for i, field := range s.Fields {
			if i > 0 {
				printed += ", "
			}
			printed += columnar.QuoteName(field.Name) + " " + field.Type.String()
			if !field.Nullable {
				printed += " NOT NULL"
			}
		}
		again, err := ParseSchema(printed)
		require.NoError(t, err)
		require.True(t, s.Equal(again))
	})
}
