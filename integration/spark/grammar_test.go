//go:build integration

package spark

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

// grammar has the rules of testdata/grammar.txt by kind.
type grammar map[string]*rules

type rules struct{ ends, grow []string }

func loadGrammar(t *testing.T) grammar {
	text, err := os.ReadFile("testdata/grammar.txt")
	require.NoError(t, err)
	g := grammar{}
	var r *rules
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutSuffix(line, ":"); ok {
			r = &rules{}
			g[name] = r
			continue
		}
		if ends, ok := strings.CutPrefix(line, "= "); ok {
			r.ends = append(r.ends, strings.Split(ends, " ;; ")...)
		} else {
			r.grow = append(r.grow, strings.Split(line, " ;; ")...)
		}
	}
	return g
}

// make returns an expression of a kind; deep ones end in columns and constants.
func (g grammar) make(r *rand.Rand, kind string, depth int) string {
	rules := g[kind]
	if rules == nil {
		panic("no rules for " + kind)
	}
	if rules.grow == nil || rules.ends != nil && (depth <= 0 || r.IntN(8) == 0) {
		return pick(r, rules.ends)
	}
	return g.fill(r, pick(r, rules.grow), depth-1)
}

// fill replaces what stands in braces.
func (g grammar) fill(r *rand.Rand, rule string, depth int) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(rule, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		kind, after, _ := strings.Cut(rest, "}")
		if g[kind] == nil {
			b.WriteString("{")
			rule = rest
			continue
		}
		b.WriteString(g.make(r, kind, depth))
		rule = after
	}
}

// apart are the functions that no rule names, each with its reason.
var apart = map[string][]string{
	"reads the clock":                     {"now", "curdate", "current_date", "current_timestamp", "localtimestamp"},
	"the same for every row":              {"current_timezone"},
	"fails in every row":                  {"raise_error"},
	"no function of Spark 4.0.1":          {"any_match", "starts_with"},
	"takes a constant and gives a schema": {"schema_of_json", "schema_of_csv"},
}

// TestGrammarKnowsFunctions: every function stands in a rule, or apart with a reason.
func TestGrammarKnowsFunctions(t *testing.T) {
	text, err := os.ReadFile("testdata/grammar.txt")
	require.NoError(t, err)
	var known []string
	for _, names := range apart {
		known = append(known, names...)
	}
	for _, f := range compute.Functions() {
		if slices.Contains(known, f.Name) || !strings.Contains(f.Signature, f.Name+"(") {
			continue
		}
		if !strings.Contains(string(text), f.Name+"(") {
			t.Errorf("testdata/grammar.txt has no rule for %s", f.Name)
		}
	}
}
