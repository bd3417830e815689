package javaregex

import (
	"strings"
	"unicode/utf16"
)

// escapeNode reads what follows a backslash outside of classes.
func (p *parser) escapeNode() *node {
	c := p.raw()
	if s := p.escapedSet(c); s != nil {
		return &node{op: opSet, set: s}
	}
	switch c {
	case 'A':
		return &node{op: opAssert, assert: beginText}
	case 'b':
		if p.peek() == '{' {
			p.refuse(`\b{g}`)
		}
		return &node{op: opAssert, assert: wordEdge}
	case 'B':
		return &node{op: opAssert, assert: noWordEdge}
	case 'G':
		return &node{op: opAssert, assert: lastEnd}
	case 'Z':
		return p.dollar(false)
	case 'z':
		return &node{op: opAssert, assert: endAll}
	case 'R':
		pair := &node{op: opCat, subs: []*node{{op: opSet, set: newSet('\r', '\r')}, {op: opSet, set: newSet('\n', '\n')}}}
		return &node{op: opAlt, lineBreak: true, subs: []*node{pair, {op: opSet, set: vertSet}}}
	case 'X':
		p.refuse(`\X`)
	case 'k', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.refuse("a back reference")
	}
	return p.literal(p.escapedRune(c))
}

// escapedSet is the class that an escape stands for, or nil.
func (p *parser) escapedSet(c rune) *set {
	p.wide = p.wide || strings.ContainsRune("DSWHVpP", c)
	switch c {
	case 'd':
		return digitSet
	case 'D':
		return digitSet.negated()
	case 'w':
		return wordSet
	case 'W':
		return wordSet.negated()
	case 's':
		return spaceSet
	case 'S':
		return spaceSet.negated()
	case 'h':
		return horizSet
	case 'H':
		return horizSet.negated()
	case 'v':
		return vertSet
	case 'V':
		return vertSet.negated()
	case 'p':
		return p.property()
	case 'P':
		return p.property().negated()
	case 'N':
		p.refuse(`\N{...}`)
	}
	return nil
}

// controlEscapes are letters that stand for one control character.
var controlEscapes = map[rune]rune{'a': 7, 'e': 27, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapedRune is the character that an escape stands for. Letters without a meaning are
// no escapes.
func (p *parser) escapedRune(c rune) rune {
	if r, ok := controlEscapes[c]; ok {
		return r
	}
	switch c {
	case -1:
		p.fail("Unexpected internal error")
	case '0':
		return p.octal()
	case 'x':
		return p.hexadecimal()
	case 'u':
		return p.unicode()
	case 'c':
		next := p.raw()
		if next < 0 {
			p.fail("Illegal control escape sequence")
		}
		return next ^ 64
	}
	if c|0x20 >= 'a' && c|0x20 <= 'z' && c < 128 || c >= '1' && c <= '9' {
		p.fail("Illegal/unsupported escape sequence")
	}
	return c
}

func (p *parser) octal() rune {
	v, n := rune(0), 0
	for ; n < 3 && p.at < len(p.text); n++ {
		d := p.text[p.at] - '0'
		if d < 0 || d > 7 || n == 2 && v > 31 {
			break
		}
		v = v<<3 | d
		p.at++
	}
	if n == 0 {
		p.fail("Illegal octal escape sequence")
	}
	return v
}

// hexDigits reads so many digits.
func (p *parser) hexDigits(n int, failure string) rune {
	v := rune(0)
	for range n {
		d := hexValue(p.raw())
		if d < 0 {
			p.fail("%s", failure)
		}
		v = v<<4 | d
	}
	return v
}

func hexValue(c rune) rune {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

func (p *parser) hexadecimal() rune {
	const failure = "Illegal hexadecimal escape sequence"
	if p.at >= len(p.text) || p.text[p.at] != '{' {
		return p.hexDigits(2, failure)
	}
	p.at++
	v, n := rune(0), 0
	c := p.raw()
	for ; hexValue(c) >= 0; c = p.raw() {
		if v = v<<4 | hexValue(c); v > 0x10ffff {
			p.fail("Hexadecimal codepoint is too big")
		}
		n++
	}
	if c != '}' || n == 0 {
		p.fail("Unclosed hexadecimal escape sequence")
	}
	return v
}

// unicode reads four digits, and another escape if they are the first half of a pair.
func (p *parser) unicode() rune {
	const failure = "Illegal Unicode escape sequence"
	v := p.hexDigits(4, failure)
	if utf16.IsSurrogate(v) && p.at+1 < len(p.text) && p.text[p.at] == '\\' && p.text[p.at+1] == 'u' {
		from := p.at
		p.at += 2
		if whole := utf16.DecodeRune(v, p.hexDigits(4, failure)); whole != '\uFFFD' {
			return whole
		}
		p.at = from
	}
	if utf16.IsSurrogate(v) {
		p.refuse("half of a UTF-16 pair")
	}
	return v
}
