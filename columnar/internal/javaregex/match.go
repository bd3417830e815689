package javaregex

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"
)

// ErrTooLarge says that a text is too long for a pattern: the search would need too much memory.
var ErrTooLarge = errors.New("the text is too long for the pattern; use a simpler pattern or cut the text")

const (
	mostStates = 1 << 26 // places of program and text that are remembered
	mostFrames = 1 << 22 // alternatives that are open
)

// Place is a place in a text. Half says that it is between the two UTF-16 units of the
// character at the byte At.
type Place struct {
	At   int
	Half bool
}

// Span is a part of a text.
type Span struct{ From, To Place }

// Empty reports whether a span has no unit.
func (s Span) Empty() bool { return s.From == s.To }

// Append appends a part of text. Half a character is a question mark, as Java prints it.
func (s Span) Append(dst, text []byte) []byte {
	from, to := s.From.At, s.To.At
	if s.From == s.To {
		return dst
	}
	if s.From.Half {
		dst = append(dst, '?')
		_, size := utf8.DecodeRune(text[from:])
		from += size
	}
	dst = append(dst, text[from:max(to, from)]...)
	if s.To.Half {
		dst = append(dst, '?')
	}
	return dst
}

// Of is a part of text, copied only where it has half a character.
func (s Span) Of(text []byte) []byte {
	if s.From.Half || s.To.Half {
		return s.Append(nil, text)
	}
	return text[s.From.At:s.To.At]
}

// Matcher finds the matches of a pattern one after the other. It belongs to one goroutine
// and keeps its memory from text to text.
type Matcher struct {
	re      *Regexp
	text    []byte
	half    int   // the character whose second unit alone is visible at the start, or -1
	resumed Place // where the last match ended
	next    Place
	done    bool
	err     error

	saves   []int // boundaries of groups, -1 where there is none
	mark    int   // where the running iteration of what may be empty began
	stack   []frame
	visited []uint64

	// Parts that are matched on their own.
	base     int     // where the stack of the running part begins
	target   int     // where lookbehind stands
	nested   int     // how many parts are running
	log      []int32 // states that the running parts visited
	repeated int     // states that were forgotten
}

// Matcher returns a matcher without a text. Release gives it back for later use.
func (re *Regexp) Matcher() *Matcher {
	if m, ok := re.idle.Get().(*Matcher); ok {
		return m
	}
	return &Matcher{re: re, saves: make([]int, 2*re.groups+2)}
}

// Release ends the use of a matcher.
func (m *Matcher) Release() {
	m.text = nil
	m.re.idle.Put(m)
}

// Regexp is what the matcher looks for.
func (m *Matcher) Regexp() *Regexp { return m.re }

// Find looks for the first match in text, which the matcher keeps until the next Find.
func (m *Matcher) Find(text []byte) bool {
	m.text, m.next, m.resumed, m.done, m.err = text, Place{}, Place{}, false, nil
	m.repeated = 0
	return m.Next()
}

// Next looks for the next match. Behind an empty match it goes on one UTF-16 unit later.
func (m *Matcher) Next() bool {
	if m.done || !m.search(m.next) {
		m.done = true
		return false
	}
	s := m.Span()
	m.resumed, m.next = s.To, s.To
	if s.Empty() {
		m.advance()
	}
	return true
}

// Err is not nil if the search ended because it needed too much memory.
func (m *Matcher) Err() error { return m.err }

// Forget makes Err nil until the next search.
func (m *Matcher) Forget() { m.err = nil }

func (m *Matcher) advance() {
	r, size := utf8.DecodeRune(m.text[m.next.At:])
	switch {
	case size == 0:
		m.done = true
	case r > 0xffff && !m.next.Half:
		m.next.Half = true
	default:
		m.next = Place{At: m.next.At + size}
	}
}

// Span is the match that was found.
func (m *Matcher) Span() Span { s, _ := m.GroupSpan(0); return s }

// GroupSpan is what a group captured; false if it captured nothing.
func (m *Matcher) GroupSpan(n int) (Span, bool) {
	from, to := m.saves[2*n], m.saves[2*n+1]
	return Span{Place{from, from == m.half}, Place{to, to == m.half}}, from >= 0 && to >= 0
}

// Group is the text that a group captured; false if it captured nothing.
func (m *Matcher) Group(n int) ([]byte, bool) {
	s, ok := m.GroupSpan(n)
	if !ok {
		return nil, false
	}
	return s.Of(m.text), true
}

// search tries every place from one on.
func (m *Matcher) search(from Place) bool {
	m.half = -1
	for k := range m.saves {
		m.saves[k] = -1
	}
	if !m.prepare() {
		return false
	}
	at := from.At
	if from.Half {
		if m.tryHalf(at) {
			return true
		}
		_, size := utf8.DecodeRune(m.text[at:])
		at += size
	}
	if m.re.anchored && at > 0 {
		return false
	}
	if m.re.prefix != nil {
		return m.searchLiteral(at)
	}
	for ; m.err == nil; at++ {
		if first := m.re.first; first != nil {
			for at < len(m.text) && !first[m.text[at]] {
				at++
			}
		}
		if m.try(at) {
			return true
		}
		if at >= len(m.text) || m.re.anchored {
			return false
		}
		if m.text[at] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(m.text[at:])
			if r > 0xffff && !m.re.wide && m.tryHalf(at) {
				return true
			}
			at += size - 1
		}
	}
	return false
}

func (m *Matcher) searchLiteral(at int) bool {
	for m.err == nil {
		k := bytes.Index(m.text[at:], m.re.prefix)
		if k < 0 {
			return false
		}
		if at += k; m.try(at) {
			return true
		}
		at++
	}
	return false
}

// tryHalf tries the place before the second unit of a character.
func (m *Matcher) tryHalf(at int) bool {
	m.half = at
	m.forgetHalf()
	if m.try(at) {
		return true
	}
	m.half = -1
	return false
}

// prepare makes the table of visited states empty: a bit for each step that has
// alternatives and each place, two if the step is in an iteration that may be empty.
func (m *Matcher) prepare() bool {
	states := m.re.alts * m.width()
	if states > mostStates {
		m.err = ErrTooLarge
		return false
	}
	words := (states + 63) / 64
	m.visited = slices.Grow(m.visited[:0], words)[:words]
	clear(m.visited)
	return true
}

// width is the number of states of one step.
func (m *Matcher) width() int {
	if m.re.loops {
		return 2 * (len(m.text) + 2)
	}
	return len(m.text) + 2
}

// place is the number of a place; that between two units has one of its own.
func (m *Matcher) place(at int) int {
	if at == m.half {
		at = len(m.text) + 1
	}
	if !m.re.loops {
		return at
	}
	return 2 * at
}

func (m *Matcher) forgetHalf() {
	for alt := range m.re.alts {
		for state := alt*m.width() + m.place(m.half); state < alt*m.width()+m.place(m.half)+2 && state < m.re.alts*m.width(); state++ {
			m.visited[state>>6] &^= 1 << (state & 63)
		}
	}
}

// visit reports whether a step is new at a place, and remembers it.
func (m *Matcher) visit(alt, at int) bool {
	state := alt*m.width() + m.place(at)
	if m.re.loops && m.mark == at {
		state++
	}
	if m.visited[state>>6]>>(state&63)&1 != 0 {
		return false
	}
	m.visited[state>>6] |= 1 << (state & 63)
	if m.nested > 0 {
		m.log = append(m.log, int32(state))
	}
	return true
}
