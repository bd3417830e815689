package javaregex

// class reads a class behind its opening bracket, up to and with the closing one. A ^
// negates all of it. Operands of && are unions of what stands between.
func (p *parser) class() *set {
	p.enter()
	defer func() { p.depth-- }()
	negate := p.accept('^')
	p.wide = p.wide || negate
	result, first := p.operand(true), true
	for p.peek() == '&' {
		p.at += 2
		right := p.operand(false)
		switch {
		case right == nil && result == nil:
			p.fail("Bad class syntax")
		case right == nil:
		case result == nil:
			result = right
		default:
			result = result.intersection(right)
		}
		first = false
	}
	if !p.accept(']') || result == nil && first {
		p.fail("Unclosed character class")
	}
	if result == nil {
		result = emptySet
	}
	if negate {
		return result.negated()
	}
	return result
}

// operand reads the union of what stands before && or the closing bracket, nil if that is
// nothing. At the start of a class a bracket closes nothing.
func (p *parser) operand(start bool) *set {
	var pairs []rune
	found := false
	for {
		c := p.peek()
		switch {
		case c < 0:
			p.fail("Unclosed character class")
		case c == ']' && (found || !start), c == '&' && p.at+1 < len(p.text) && p.text[p.at+1] == '&':
			if !found {
				return nil
			}
			return newSet(pairs...)
		}
		p.at++
		pairs = append(pairs, p.member(c).pairs...)
		found = true
	}
}

// member reads a class within a class, an escape, a character or a range.
func (p *parser) member(c rune) *set {
	switch c {
	case '[':
		return p.class()
	case '\\':
		c = p.raw()
		if s := p.escapedSet(c); s != nil {
			return s
		}
		c = p.escapedRune(c)
	}
	p.wide = p.wide || c > 0xffff
	if p.peek() != '-' {
		return p.flags.foldOne(c)
	}
	return p.rangeFrom(c)
}

// rangeFrom reads the end of a range, if the - is not the last sign before a bracket.
func (p *parser) rangeFrom(lo rune) *set {
	from := p.at
	p.at++
	hi := p.peek()
	if hi == ']' || hi == '[' {
		p.at = from
		return p.flags.foldOne(lo)
	}
	if hi < 0 {
		p.fail("Unclosed character class")
	}
	p.at++
	if hi == '\\' {
		c := p.raw()
		if s := p.escapedSet(c); s != nil {
			p.fail("Illegal character range")
		}
		hi = p.escapedRune(c)
	}
	p.wide = p.wide || hi > 0xffff
	if hi < lo {
		p.fail("Illegal character range")
	}
	return p.flags.foldRange(lo, hi)
}
