package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlace: the fault is always the word nosuch, however the query is written.
func TestPlace(t *testing.T) {
	const head = "name: p\nsources: {e: {memory: {}, schema: \"id BIGINT, s STRING\"}}\nsink: {console: {}}\n"
	env := func(name string) (string, bool) {
		return map[string]string{"LONG": "'a long text'"}[name], name == "LONG"
	}
	for _, c := range []struct {
		name, query, at string
	}{
		{"plain", "query: SELECT nosuch FROM e", "p.yaml:4:15: "},
		{"plain, several lines", "query: SELECT id,\n  s,\n  nosuch FROM e", "p.yaml:6:3: "},
		{"single quotes", "query: 'SELECT ''it'' AS a, nosuch FROM e'", "p.yaml:4:29: "},
		{"single quotes, several lines", "query: 'SELECT ''it'' AS a,\n    nosuch FROM e'", "p.yaml:5:5: "},
		{"double quotes", "query: \"SELECT '\\t\\u00e9' AS a, nosuch FROM e\"", "p.yaml:4:33: "},
		{"literal", "query: |\n  SELECT id,\n    nosuch FROM e", "p.yaml:6:5: "},
		{"literal, indentation given", "query: |2\n    SELECT id,\n      nosuch FROM e", "p.yaml:6:7: "},
		{"folded", "query: >-\n  SELECT id,\n  nosuch\n  FROM e", "p.yaml:6:3: "},
		{"variables before it", "query: SELECT ${LONG} AS a, ${X:-'x'} AS b, nosuch FROM e", "p.yaml:4:45: "},
		{"from a variable", "query: SELECT id, ${X:-nosuch} FROM e", "p.yaml:4:19: "},
		{"other letters", "query: SELECT 'é' AS a, nosuch FROM e", "p.yaml:4:25: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("p.yaml", head+c.query+"\n", env)
			require.ErrorContains(t, err, c.at+"query: [UNRESOLVED_COLUMN")
		})
	}
}
