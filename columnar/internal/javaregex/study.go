package javaregex

import "unicode/utf8"

// study finds what lets a search skip places: an anchor, a literal or the first bytes.
func (re *Regexp) study(n *node) {
	re.join()
	re.settle()
	re.number()
	re.leaks = re.leaky()
	if first := re.insts[0]; first.code == codeAssert && first.assert == beginText {
		re.anchored = true
	}
	if re.insts[0].code == codeLit {
		re.prefix = re.insts[0].lit
		return
	}
	var bytes [256]bool
	if !re.leaks && !mayBeEmpty(n) && firstBytes(n, &bytes) {
		re.first = &bytes
	}
}

// join makes one literal of neighbours that nothing jumps between.
func (re *Regexp) join() {
	target := make([]bool, len(re.insts)+1)
	for _, i := range re.insts {
		target[i.x], target[i.y] = true, true
	}
	moved := make([]int, len(re.insts)+1)
	out := re.insts[:0:0]
	for at, i := range re.insts {
		if n := len(out); n > 0 && i.code == codeLit && out[n-1].code == codeLit && !target[at] {
			out[n-1].lit = append(out[n-1].lit, i.lit...)
			moved[at] = n - 1
			continue
		}
		moved[at] = len(out)
		out = append(out, i)
	}
	for k := range out {
		switch out[k].code {
		case codeSplit, codeApart:
			out[k].x, out[k].y = moved[out[k].x], moved[out[k].y]
		case codeJump, codeCheck:
			out[k].x = moved[out[k].x]
		}
	}
	re.insts = out
}

// settle makes runs possessive that no shorter run could follow up: what comes next is
// not in their set, or nothing comes.
func (re *Regexp) settle() {
	for at := range re.insts {
		run := &re.insts[at]
		if run.code != codeRun {
			continue
		}
		next := at + 1
		for re.insts[next].code == codeSave {
			next++
		}
		switch i := &re.insts[next]; i.code {
		case codeMatch:
			run.single = true
		case codeLit:
			r, _ := utf8.DecodeRune(i.lit)
			run.single = run.single || !run.set.has(r)
		case codeSet:
			run.single = run.single || len(run.set.intersection(i.set).pairs) == 0
		}
	}
}

// number counts the steps that have alternatives.
func (re *Regexp) number() {
	for at := range re.insts {
		if i := &re.insts[at]; i.code == codeSplit || i.code == codeRun && !i.single {
			i.alt = re.alts
			re.alts++
		}
	}
}

// leaky reports whether a group stands in a part that is matched on its own: what it
// captures stays from place to place, so none must be skipped.
func (re *Regexp) leaky() bool {
	for _, i := range re.insts {
		if i.code != codeApart {
			continue
		}
		for _, inner := range re.insts[i.x:i.y] {
			if inner.code == codeSave {
				return true
			}
		}
	}
	return false
}

// firstBytes adds the bytes that n may begin with; false if n may be empty.
func firstBytes(n *node, to *[256]bool) bool {
	switch n.op {
	case opSet:
		addFirst(n.set, to)
		return true
	case opCat:
		for _, sub := range n.subs {
			if firstBytes(sub, to) {
				return true
			}
		}
		return false
	case opAlt:
		all := true
		for _, sub := range n.subs {
			all = firstBytes(sub, to) && all
		}
		return all
	case opGroup:
		return firstBytes(n.subs[0], to)
	case opApart:
		return n.apart == atomic && firstBytes(n.subs[0], to)
	case opRepeat:
		if n.max == 0 {
			return false
		}
		return firstBytes(n.subs[0], to) && n.min > 0
	}
	return false
}

func addFirst(s *set, to *[256]bool) {
	for r := range rune(utf8.RuneSelf) {
		to[r] = to[r] || s.has(r)
	}
	if len(s.pairs) > 0 && s.pairs[len(s.pairs)-1] >= utf8.RuneSelf {
		for b := utf8.RuneSelf; b < len(to); b++ {
			to[b] = true
		}
	}
}
