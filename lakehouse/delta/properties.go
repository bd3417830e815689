package delta

import (
	"slices"
	"strconv"
	"strings"
)

// statsRule says which columns have statistics, by the properties of the table.
type statsRule struct {
	leaves int        // how many leaves, from the left; negative for all
	only   [][]string // if it is not nil: the columns and fields that have them, with all below
}

// defaultStats is the rule of a table that says nothing.
var defaultStats = statsRule{leaves: 32}

func statsRuleOf(properties map[string]string) statsRule {
	if text, ok := properties["delta.dataSkippingStatsColumns"]; ok {
		return statsRule{only: columnPaths(text)}
	}
	if n, err := strconv.Atoi(properties["delta.dataSkippingNumIndexedCols"]); err == nil {
		return statsRule{leaves: n}
	}
	return defaultStats
}

// allows reports whether a leaf, the n-th from 0, has statistics.
func (r statsRule) allows(path []string, n int) bool {
	if r.only == nil {
		return r.leaves < 0 || n < r.leaves
	}
	return slices.ContainsFunc(r.only, func(o []string) bool {
		return len(o) <= len(path) && slices.EqualFunc(o, path[:len(o)], strings.EqualFold)
	})
}

// columnPaths reads "a, b.c, `d.e`": names with dots or commas stand in backticks.
func columnPaths(text string) [][]string {
	out := [][]string{}
	var path []string
	var name strings.Builder
	quoted := false
	endName := func() {
		path = append(path, name.String())
		name.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`' && quoted && i+1 < len(text) && text[i+1] == '`':
			name.WriteByte(c)
			i++
		case c == '`':
			quoted = !quoted
		case quoted:
			name.WriteByte(c)
		case c == '.':
			endName()
		case c == ',':
			endName()
			out, path = append(out, path), nil
		case c != ' ':
			name.WriteByte(c)
		}
	}
	if endName(); len(path) > 1 || path[0] != "" {
		out = append(out, path)
	}
	return out
}

// targetFileSize is delta.targetFileSize in bytes ("134217728", "128mb"), 0 if it is not set or cannot be read.
func targetFileSize(properties map[string]string) int64 {
	text := strings.ToLower(strings.TrimSpace(properties["delta.targetFileSize"]))
	digits := strings.TrimRight(text, "bkmgt")
	unit, ok := map[string]int64{"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}[text[len(digits):]]
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || !ok || n <= 0 || n > (1<<40)/unit {
		return 0
	}
	return n * unit
}
