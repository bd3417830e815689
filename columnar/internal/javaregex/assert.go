package javaregex

import (
	"unicode"
	"unicode/utf8"
)

type assertion uint8

const (
	beginText     assertion = iota
	beginLine               // behind a line terminator, but not at the end
	beginUnixLine           // behind \n, but not at the end
	endText                 // at the end or before a terminator that ends the text
	endUnixText             // at the end or before a \n that ends the text
	endLine                 // at the end or before a terminator
	endUnixLine             // at the end or before a \n
	endAll
	wordEdge
	noWordEdge
	lastEnd    // where the match before ended
	lookedFrom // where lookbehind stands
)

func (m *Matcher) holds(a assertion, at int) bool {
	n := len(m.text)
	switch a {
	case beginText:
		return at == 0 && m.half != 0
	case beginLine:
		return at < n && (at == 0 && m.half != 0 || m.behindTerminator(at))
	case beginUnixLine:
		return at < n && (at == 0 && m.half != 0 || at > 0 && m.text[at-1] == '\n')
	case endText, endLine:
		return at == n || m.beforeTerminator(at, a == endText)
	case endUnixText:
		return at == n || at == n-1 && m.text[at] == '\n'
	case endUnixLine:
		return at == n || m.text[at] == '\n'
	case endAll:
		return at == n
	case lookedFrom:
		return at == m.target
	case lastEnd:
		return at == m.resumed.At && (at == m.half) == m.resumed.Half
	}
	return m.atWordEdge(at) == (a == wordEdge)
}

// behindTerminator takes \r\n for one terminator.
func (m *Matcher) behindTerminator(at int) bool {
	if at == m.half || at == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRune(m.text[:at])
	return lineSet.has(r) && !(r == '\r' && m.text[at] == '\n')
}

// beforeTerminator reports whether a terminator begins at a place, one that ends the text if asked.
func (m *Matcher) beforeTerminator(at int, last bool) bool {
	if at == m.half {
		return false
	}
	r, size := utf8.DecodeRune(m.text[at:])
	if r == '\n' && at > 0 && m.text[at-1] == '\r' || !lineSet.has(r) {
		return false
	}
	if r == '\r' && at+1 < len(m.text) && m.text[at+1] == '\n' {
		size = 2
	}
	return !last || at+size == len(m.text)
}

func (m *Matcher) atWordEdge(at int) bool {
	left := at > 0 && at != m.half && m.wordEnds(at)
	right := false
	if at < len(m.text) && at != m.half {
		r, size := utf8.DecodeRune(m.text[at:])
		right = wordRune(r) || unicode.Is(unicode.Mn, r) && m.wordEnds(at+size)
	}
	return left != right
}

// wordEnds reports whether a character of a word stands before a place; a mark counts as
// the letter that it belongs to.
func (m *Matcher) wordEnds(at int) bool {
	r, size := utf8.DecodeLastRune(m.text[:at])
	if wordRune(r) {
		return true
	}
	for unicode.Is(unicode.Mn, r) {
		at -= size
		if r, size = utf8.DecodeLastRune(m.text[:at]); unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) {
			return true
		}
	}
	return false
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordSet.has(r)
	}
	return unicode.IsLetter(r) || unicode.Is(unicode.Nd, r)
}
