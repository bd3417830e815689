package javaregex

import (
	"slices"
	"sort"
	"unicode"
)

// set is a set of code points: pairs of first and last, ascending, that neither touch
// nor overlap. low has the ASCII ones as bits.
type set struct {
	pairs []rune
	low   [2]uint64
}

func newSet(pairs ...rune) *set {
	s := &set{pairs: merged(pairs)}
	for r := range rune(128) {
		if s.search(r) {
			s.low[r>>6] |= 1 << (r & 63)
		}
	}
	return s
}

// merged sorts pairs and joins those that touch.
func merged(pairs []rune) []rune {
	order := make([][2]rune, 0, len(pairs)/2)
	for k := 0; k < len(pairs); k += 2 {
		order = append(order, [2]rune{pairs[k], pairs[k+1]})
	}
	slices.SortFunc(order, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var out []rune
	for _, p := range order {
		if n := len(out); n > 0 && p[0] <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p[1])
			continue
		}
		out = append(out, p[0], p[1])
	}
	return out
}

func (s *set) has(r rune) bool {
	if r < 128 {
		return s.low[r>>6]>>(r&63)&1 != 0
	}
	return s.search(r)
}

func (s *set) search(r rune) bool {
	k := sort.Search(len(s.pairs)/2, func(k int) bool { return s.pairs[2*k+1] >= r })
	return 2*k < len(s.pairs) && s.pairs[2*k] <= r
}

func (s *set) union(other *set) *set {
	return newSet(append(slices.Clone(s.pairs), other.pairs...)...)
}

func (s *set) negated() *set {
	var out []rune
	next := rune(0)
	for k := 0; k < len(s.pairs); k += 2 {
		if s.pairs[k] > next {
			out = append(out, next, s.pairs[k]-1)
		}
		next = s.pairs[k+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return newSet(out...)
}

func (s *set) intersection(other *set) *set {
	return s.negated().union(other.negated()).negated()
}

// single returns the only code point of a set that has one.
func (s *set) single() (rune, bool) {
	if len(s.pairs) == 2 && s.pairs[0] == s.pairs[1] {
		return s.pairs[0], true
	}
	return 0, false
}

// tables is the union of Unicode's tables.
func tables(list ...*unicode.RangeTable) *set {
	var pairs []rune
	for _, t := range list {
		for _, r := range t.R16 {
			pairs = appendStrided(pairs, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			pairs = appendStrided(pairs, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newSet(pairs...)
}

func appendStrided(pairs []rune, lo, hi, stride rune) []rune {
	if stride == 1 {
		return append(pairs, lo, hi)
	}
	for r := lo; r <= hi; r += stride {
		pairs = append(pairs, r, r)
	}
	return pairs
}

// The classes that escapes and dots stand for.
var (
	digitSet  = newSet('0', '9')
	wordSet   = newSet('0', '9', 'A', 'Z', '_', '_', 'a', 'z')
	spaceSet  = newSet('\t', '\r', ' ', ' ')
	horizSet  = newSet('\t', '\t', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000)
	vertSet   = newSet('\n', '\r', 0x85, 0x85, 0x2028, 0x2029)
	anySet    = newSet(0, unicode.MaxRune)
	lineSet   = newSet('\n', '\n', '\r', '\r', 0x85, 0x85, 0x2028, 0x2029)
	dotSet    = lineSet.negated()
	dotNLSet  = newSet('\n', '\n').negated()
	emptySet  = newSet()
	letterSet = tables(unicode.L)
)
