package javaregex

import (
	"sync"
	"unicode"
)

// foldKey is what Java compares of two characters that differ in case.
func foldKey(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// folds lists the characters that have another of the same key, by key.
var folds = sync.OnceValue(func() map[rune][]rune {
	all := map[rune][]rune{}
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			key := foldKey(r)
			all[key] = append(all[key], r)
		}
	}
	return all
})

// foldOne is a character with its case variants under the flags.
func (f flags) foldOne(r rune) *set {
	switch {
	case f&caseInsensitive == 0:
		return newSet(r, r)
	case f&unicodeCase != 0 && unicode.ToUpper(r) == foldKey(r):
		return newSet(r, r) // Java looks for variants of what has two cases only
	case f&unicodeCase != 0:
		pairs := []rune{r, r}
		for _, v := range folds()[foldKey(r)] {
			pairs = append(pairs, v, v)
		}
		return newSet(pairs...)
	case 'a' <= r|0x20 && r|0x20 <= 'z' && r < 128:
		return newSet(r&^0x20, r&^0x20, r|0x20, r|0x20)
	}
	return newSet(r, r)
}

// foldRange is a range with its case variants under the flags.
func (f flags) foldRange(lo, hi rune) *set {
	pairs := []rune{lo, hi}
	in := func(r rune) bool { return lo <= r && r <= hi }
	switch {
	case f&caseInsensitive == 0:
	case f&unicodeCase != 0:
		for _, list := range folds() {
			for _, r := range list {
				if in(unicode.ToUpper(r)) || in(foldKey(r)) {
					pairs = append(pairs, r, r)
				}
			}
		}
	default:
		for r := rune('a'); r <= 'z'; r++ {
			if in(r) || in(r&^0x20) {
				pairs = append(pairs, r, r, r&^0x20, r&^0x20)
			}
		}
	}
	return newSet(pairs...)
}
