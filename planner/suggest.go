package planner

import (
	"strings"

	"github.com/lakewheel/lakewheel/internal/words"
)

// closest returns the candidate nearest to word, or "" when none is near enough to be
// a slip of the hand: one edit from two letters on, two from five letters on.
func closest(word string, candidates []string) string {
	best, bestDistance := "", 3
	allowed := 1
	switch {
	case len(word) < 2:
		return ""
	case len(word) >= 5:
		allowed = 2
	}
	for _, c := range candidates {
		d := words.Distance(strings.ToLower(word), strings.ToLower(c))
		if d <= allowed && d < bestDistance && d < len(c) {
			best, bestDistance = c, d
		}
	}
	return best
}

func didYouMean(candidate string) string {
	if candidate == "" {
		return ""
	}
	return "did you mean " + candidate + "?"
}
