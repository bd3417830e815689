package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/internal/words"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	File         string
	Line, Column int // from 1
	Message      string
}

// Error prints the fault as editors understand it: file:line:column: message.
func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// Faults are all that is wrong with a file, in the order of the text.
type Faults []Fault

// Error prints one fault a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return f
}

// nearest is the known word that is within two edits, and less than the whole word, "" if none is.
func nearest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := words.Distance(word, k); d < least && d < len(word) {
			best, least = k, d
		}
	}
	return best
}

// suggestion is what to write instead of a word that is not known.
func suggestion(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return " (did you mean " + near + "?)"
	}
	return "; known are " + strings.Join(known, ", ")
}
