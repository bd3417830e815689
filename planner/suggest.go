package planner

import "strings"

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
		d := editDistance(strings.ToLower(word), strings.ToLower(c))
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

// maxSuggestLength bounds the quadratic work; longer words are never close.
const maxSuggestLength = 128

// editDistance counts insertions, deletions, substitutions and swaps of neighbours.
func editDistance(a, b string) int {
	if len(a) > maxSuggestLength || len(b) > maxSuggestLength {
		return maxSuggestLength
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
