package javaregex

// apart says what a part of a pattern that is matched on its own is for. Once it matched,
// no other way through it is tried.
type apart uint8

const (
	atomic apart = iota
	ahead
	notAhead
	behind
	notBehind
)

// apartNode reads a group up to its closing parenthesis.
func (p *parser) apartNode(kind apart) *node {
	saved := p.flags
	n := &node{op: opApart, apart: kind, subs: []*node{p.alternation()}}
	if !p.accept(')') {
		p.fail("Unclosed group")
	}
	p.flags = saved
	if kind == behind || kind == notBehind {
		var ok bool
		if n.max, ok = longestMatch(n.subs[0]); !ok {
			p.fail("Look-behind group does not have an obvious maximum length")
		}
	}
	return n
}

// mostBehind bounds the characters that are counted.
const mostBehind = 1 << 30

// longestMatch is the most characters that n matches, if Java finds a limit. A class that
// is repeated greedily counts as endless, which Java allows once.
func longestMatch(n *node) (most int, ok bool) {
	switch {
	case n.op == opSet:
		return 1, true
	case n.op == opRepeat && n.max < 0:
		return mostBehind, n.subs[0].op == opSet && n.mode == greedy
	case n.op == opApart && n.apart != atomic:
		return 0, true
	}
	for _, sub := range n.subs {
		m, ok := longestMatch(sub)
		switch {
		case !ok:
			return 0, false
		case n.op == opCat && most >= mostBehind && m >= mostBehind:
			panic(fault{&UnsupportedError{"lookbehind over two endless repetitions is not supported"}})
		case n.op == opCat:
			most = min(most+m, mostBehind)
		default:
			most = max(most, m)
		}
	}
	if n.op == opRepeat {
		most = min(most*min(n.max, mostBehind), mostBehind)
	}
	return most, true
}

// apart compiles a part with an end of its own.
func (c *compiler) apart(n *node) {
	start := c.emit(inst{code: codeApart, apart: n.apart, max: n.max})
	c.re.insts[start].x = c.here()
	c.node(n.subs[0])
	if n.apart == behind || n.apart == notBehind {
		c.emit(inst{code: codeAssert, assert: lookedFrom})
	}
	c.emit(inst{code: codeMatch})
	c.re.insts[start].y = c.here()
}

// mostRepeated bounds the parts that are matched and the states that are forgotten in a
// search, and so the time of lookaround.
const mostRepeated = 1 << 26

// alone matches a part that begins at a step, and reports where it ends.
func (m *Matcher) alone(i *inst, at int) (end int, ok bool) {
	switch i.apart {
	case atomic:
		return m.inner(i.x, at, false)
	case ahead, notAhead:
		_, ok = m.inner(i.x, at, i.apart == notAhead)
		return at, ok == (i.apart == ahead)
	}
	target := m.target
	m.target = at
	from := at
	for n := 0; ; n++ {
		if _, ok = m.inner(i.x, from, true); ok || n == i.max || from == 0 {
			break
		}
		from = m.before(0, from)
	}
	m.target = target
	return at, ok == (i.apart == behind)
}

// inner runs the program from a step to its next end. Where it fails, the states that it
// tried would fail again, unless they depend on the place that was looked from; where it
// succeeds, they may not, and are forgotten. What groups captured then stays, even if the
// pattern goes back behind the part, as in Java.
func (m *Matcher) inner(step, at int, forget bool) (end int, ok bool) {
	base, logged, mark := m.base, len(m.log), m.mark
	m.base, m.mark = len(m.stack), -1
	m.nested++
	m.repeated++
	for more := true; more && !ok && m.err == nil; {
		if ok = m.forward(step, at); !ok {
			step, at, more = m.back()
		}
	}
	end = m.saves[1]
	if ok || forget {
		m.forget(logged)
	}
	m.log = m.log[:logged]
	m.stack, m.base, m.mark = m.stack[:m.base], base, mark
	m.nested--
	return end, ok && m.err == nil
}

func (m *Matcher) forget(from int) {
	for _, state := range m.log[from:] {
		m.visited[state>>6] &^= 1 << (state & 63)
	}
	if m.repeated += len(m.log) - from; m.repeated > mostRepeated {
		m.err = ErrTooLarge
	}
}
