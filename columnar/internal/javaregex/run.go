package javaregex

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

type frameKind uint8

const (
	frameStep frameKind = iota // go on with a step at place a
	frameRun                   // go on behind a run that is shorter: from b down to a
	frameSave                  // the boundary that step numbers was a
	frameMark                  // the iteration began at a
)

// frame is what to do when the way taken fails.
type frame struct {
	kind frameKind
	step int32
	a, b int32
}

// try matches at one place and sets the boundaries if that succeeds.
func (m *Matcher) try(at int) bool {
	m.stack, m.mark, m.base, m.log = m.stack[:0], -1, 0, m.log[:0]
	m.saves[0] = at
	for step, ok := 0, true; ok; step, at, ok = m.back() {
		if m.forward(step, at) {
			return true
		}
		if m.err != nil {
			return false
		}
	}
	return false
}

// forward runs steps until one fails or the program ends.
func (m *Matcher) forward(step, at int) bool {
	for {
		i := &m.re.insts[step]
		ok := true
		step++
		switch i.code {
		case codeMatch:
			m.saves[1] = at
			return true
		case codeLit:
			if ok = at != m.half && bytes.HasPrefix(m.text[at:], i.lit); ok {
				at += len(i.lit)
			}
		case codeSet:
			r, size := m.decode(at)
			ok = size > 0 && i.set.has(r)
			at += size
		case codeRun:
			at, ok = m.runSet(i, step, at)
		case codeSplit:
			if ok = m.visit(i.alt, at); ok {
				m.push(frame{frameStep, int32(i.y), int32(at), 0})
				step = i.x
			}
		case codeJump:
			step = i.x
		case codeSave:
			m.push(frame{frameSave, int32(i.x), int32(m.saves[i.x]), 0})
			m.saves[i.x] = at
		case codeAssert:
			ok = m.holds(i.assert, at)
		case codeApart:
			at, ok = m.alone(i, at)
			step = i.y
		case codeMark:
			m.push(frame{frameMark, 0, int32(m.mark), 0})
			m.mark = at
		case codeCheck:
			if at == m.mark {
				step = i.x
			}
		}
		if !ok || m.err != nil {
			return false
		}
	}
}

func (m *Matcher) push(f frame) {
	if len(m.stack) >= mostFrames {
		m.err = ErrTooLarge
		return
	}
	m.stack = append(m.stack, f)
}

// decode is the character at a place; size 0 at the end.
func (m *Matcher) decode(at int) (r rune, size int) {
	if at < len(m.text) && m.text[at] < utf8.RuneSelf {
		return rune(m.text[at]), 1
	}
	r, size = utf8.DecodeRune(m.text[at:])
	if at == m.half {
		_, r = utf16.EncodeRune(r)
	}
	return r, size
}

// runSet takes as many characters as it can. What was already tried behind a longer run is
// not tried again.
func (m *Matcher) runSet(i *inst, next, at int) (int, bool) {
	from := at
	if !i.single && !m.visit(i.alt, at) {
		return at, false
	}
	for n := 0; i.max < 0 || n < i.max; n++ {
		r, size := m.decode(at)
		if size == 0 || !i.set.has(r) || !i.single && !m.visit(i.alt, at+size) {
			break
		}
		at += size
	}
	if !i.single && at > from {
		m.push(frame{frameRun, int32(next), int32(from), int32(m.before(from, at))})
	}
	return at, true
}

// before is where the last character of a run begins.
func (m *Matcher) before(from, to int) int {
	_, size := utf8.DecodeLastRune(m.text[:to])
	return max(to-size, from)
}

// back takes the last way that is open.
func (m *Matcher) back() (step, at int, ok bool) {
	for len(m.stack) > m.base {
		top := len(m.stack) - 1
		f := &m.stack[top]
		switch f.kind {
		case frameSave:
			m.saves[f.step] = int(f.a)
		case frameMark:
			m.mark = int(f.a)
		case frameStep:
			m.stack = m.stack[:top]
			return int(f.step), int(f.a), true
		case frameRun:
			step, at = int(f.step), int(f.b)
			if f.a == f.b {
				m.stack = m.stack[:top]
			} else {
				f.b = int32(m.before(int(f.a), at))
			}
			return step, at, true
		}
		m.stack = m.stack[:top]
	}
	return 0, 0, false
}
