package javaregex

import (
	"fmt"
	"strings"
)

// SyntaxError says that Java would not compile a pattern.
type SyntaxError struct{ Message string }

// Error implements error.
func (e *SyntaxError) Error() string { return e.Message }

// UnsupportedError says that a pattern is Java's but not matched by this package.
type UnsupportedError struct{ Message string }

// Error implements error.
func (e *UnsupportedError) Error() string { return e.Message }

type flags uint8

const (
	unixLines flags = 1 << iota
	caseInsensitive
	comments
	multiline
	dotAll
	unicodeCase
)

type op uint8

const (
	opEmpty  op = iota
	opSet       // a character of set
	opAssert    // a place in the text
	opCat       // subs one after the other
	opAlt       // one of subs
	opGroup     // subs[0], which group number captures
	opRepeat    // subs[0] min to max times; max < 0: no limit
	opApart     // subs[0] on its own: an atomic group or lookaround
)

type mode uint8

const (
	greedy mode = iota
	lazy
	possessive
)

type node struct {
	op       op
	set      *set
	assert   assertion
	subs     []*node
	group    int
	min, max int
	mode     mode
	apart    apart

	lineBreak bool // \R
}

// parser reads a pattern once from the left. Faults leave it by panic(fault).
type parser struct {
	text   []rune
	at     int
	flags  flags
	groups int
	names  map[string]int
	depth  int
	wide   bool // a class or character may be beyond U+FFFF
}

type fault struct{ error }

func (p *parser) fail(format string, args ...any) {
	panic(fault{&SyntaxError{fmt.Sprintf(format, args...)}})
}

func (p *parser) refuse(what string) {
	panic(fault{&UnsupportedError{what + " is not supported in patterns"}})
}

// parse returns the tree and the parser, which knows the groups.
func parse(pattern string) (n *node, p *parser, err error) {
	p = &parser{text: unquoted([]rune(strings.ToValidUTF8(pattern, "\uFFFD"))), names: map[string]int{}}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			err = f.error
		}
	}()
	n = p.alternation()
	if p.more() {
		p.fail("Unmatched closing ')'")
	}
	return n, p, nil
}

// unquoted puts a backslash before each special character between \Q and \E.
func unquoted(text []rune) []rune {
	out := make([]rune, 0, len(text))
	quoting := false
	for k := 0; k < len(text); k++ {
		c := text[k]
		next := rune(-1)
		if k+1 < len(text) {
			next = text[k+1]
		}
		switch {
		case c == '\\' && !quoting && next == 'Q', c == '\\' && quoting && next == 'E':
			quoting = !quoting
			k++
		case c == '\\' && !quoting && next >= 0:
			out = append(out, c, next)
			k++
		case quoting && c < 128 && wordSet.has(c) && c != '_':
			out = append(out, []rune(fmt.Sprintf(`\x%02x`, c))...)
		case quoting:
			out = append(out, '\\', c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// blanks skips white space and comments where the flag says so.
func (p *parser) blanks() {
	for p.flags&comments != 0 && p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case spaceSet.has(c):
			p.at++
		case c == '#':
			for p.at < len(p.text) && !p.endsLine(p.text[p.at]) {
				p.at++
			}
		default:
			return
		}
	}
}

func (p *parser) endsLine(c rune) bool {
	if p.flags&unixLines != 0 {
		return c == '\n'
	}
	return lineSet.has(c)
}

func (p *parser) more() bool { p.blanks(); return p.at < len(p.text) }

// peek is the next character, or -1.
func (p *parser) peek() rune {
	if !p.more() {
		return -1
	}
	return p.text[p.at]
}

// raw reads the next character whatever it is, or -1.
func (p *parser) raw() rune {
	if p.at >= len(p.text) {
		return -1
	}
	p.at++
	return p.text[p.at-1]
}

func (p *parser) accept(c rune) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

// deepest bounds the nesting of groups and classes.
const deepest = 250

func (p *parser) enter() {
	if p.depth++; p.depth > deepest {
		p.refuse(fmt.Sprintf("nesting of more than %d groups", deepest))
	}
}

func (p *parser) alternation() *node {
	p.enter()
	defer func() { p.depth-- }()
	list := []*node{p.sequence()}
	for p.accept('|') {
		list = append(list, p.sequence())
	}
	if len(list) == 1 {
		return list[0]
	}
	return &node{op: opAlt, subs: list}
}

func (p *parser) sequence() *node {
	n := &node{op: opCat}
	for {
		switch c := p.peek(); c {
		case -1, '|', ')':
			return n
		case '?', '*', '+':
			p.fail("Dangling meta character '%c'", c)
		}
		if sub := p.atom(); sub != nil {
			n.subs = append(n.subs, p.quantified(sub))
		}
	}
}

// atom reads one character, class, assertion or group; nil if it only changes flags.
func (p *parser) atom() *node {
	c := p.peek()
	if c == '{' {
		return &node{op: opEmpty} // Java reads the braces as repeating nothing
	}
	p.at++
	switch c {
	case '(':
		return p.groupNode()
	case '[':
		return &node{op: opSet, set: p.class()}
	case '\\':
		return p.escapeNode()
	case '^':
		return p.assertion(beginText, beginLine, beginUnixLine)
	case '$':
		return p.dollar(p.flags&multiline != 0)
	case '.':
		return &node{op: opSet, set: p.dot()}
	}
	return p.literal(c)
}

func (p *parser) literal(c rune) *node {
	p.wide = p.wide || c > 0xffff
	return &node{op: opSet, set: p.flags.foldOne(c)}
}

func (p *parser) dot() *set {
	switch {
	case p.flags&dotAll != 0:
		return anySet
	case p.flags&unixLines != 0:
		return dotNLSet
	}
	return dotSet
}

func (p *parser) assertion(plain, line, unixLine assertion) *node {
	switch {
	case p.flags&multiline == 0:
		return &node{op: opAssert, assert: plain}
	case p.flags&unixLines != 0:
		return &node{op: opAssert, assert: unixLine}
	}
	return &node{op: opAssert, assert: line}
}

func (p *parser) dollar(everyLine bool) *node {
	kinds := [2][2]assertion{{endText, endUnixText}, {endLine, endUnixLine}}
	row, column := 0, 0
	if everyLine {
		row = 1
	}
	if p.flags&unixLines != 0 {
		column = 1
	}
	return &node{op: opAssert, assert: kinds[row][column]}
}

// quantified reads what may follow an atom: ? * + {n,m}, and then ? or +.
func (p *parser) quantified(sub *node) *node {
	n := &node{op: opRepeat, subs: []*node{sub}, max: -1}
	if sub.op == opAlt && sub.lineBreak {
		n.subs[0] = &node{op: opApart, apart: atomic, subs: []*node{sub}} // a repeated \R does not part \r\n
	}
	switch p.peek() {
	case '?':
		n.max = 1
	case '*':
	case '+':
		n.min = 1
	case '{':
		p.at++
		p.counts(n)
	default:
		return sub
	}
	p.at++
	switch p.peek() {
	case '?':
		n.mode = lazy
		p.at++
	case '+':
		n.mode = possessive
		p.at++
	}
	return n
}

// counts reads n,m up to the closing brace.
func (p *parser) counts(n *node) {
	if c := p.peek(); c < '0' || c > '9' {
		p.fail("Illegal repetition")
	}
	n.min = p.number()
	n.max = n.min
	if p.peek() == ',' {
		p.at++
		n.max = -1
		if c := p.peek(); c != '}' {
			n.max = p.number()
		}
	}
	if p.peek() != '}' {
		p.fail("Unclosed counted closure")
	}
	if n.max >= 0 && n.max < n.min {
		p.fail("Illegal repetition range")
	}
}

func (p *parser) number() int {
	v := 0
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		if v = 10*v + int(c-'0'); v > 1<<31-1 {
			p.fail("Illegal repetition range")
		}
		p.at++
	}
	return v
}

// groupNode reads what follows an opening parenthesis. Flags that are set inside end with it.
func (p *parser) groupNode() *node {
	saved := p.flags
	number := 0
	if p.peek() == '?' {
		p.at++
		switch c := p.raw(); c {
		case ':':
		case '=':
			return p.apartNode(ahead)
		case '!':
			return p.apartNode(notAhead)
		case '>':
			return p.apartNode(atomic)
		case '<':
			if c := p.peek(); c == '=' || c == '!' {
				p.at++
				return p.apartNode(map[rune]apart{'=': behind, '!': notBehind}[c])
			}
			p.groups++
			number = p.groups
			p.groupName()
		default:
			if p.inlineFlags(c) {
				return nil
			}
		}
	} else {
		p.groups++
		number = p.groups
	}
	n := p.alternation()
	if !p.accept(')') {
		p.fail("Unclosed group")
	}
	p.flags = saved
	if number == 0 {
		return n
	}
	return &node{op: opGroup, group: number, subs: []*node{n}}
}

func (p *parser) groupName() {
	from := p.at
	c := p.raw()
	for ; c != '>'; c = p.raw() {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' && c < 128
		digit := c >= '0' && c <= '9' && p.at > from+1
		if !letter && !digit {
			p.fail("A name of a group has letters and digits only and begins with a letter")
		}
	}
	name := string(p.text[from : p.at-1])
	if name == "" || p.names[name] > 0 {
		p.fail("The group <%s> has no name, or one that exists already", name)
	}
	p.names[name] = p.groups
}

// flagOf are the inline flags; 0 is one that is not supported.
var flagOf = map[rune]flags{'i': caseInsensitive, 'm': multiline, 's': dotAll, 'd': unixLines, 'u': unicodeCase, 'x': comments, 'U': 0, 'c': 0}

// inlineFlags reads flags; true if the group ends with them, so that they stay.
func (p *parser) inlineFlags(c rune) bool {
	negate := false
	for ; ; c = p.raw() {
		f, known := flagOf[c]
		switch {
		case known && f == 0:
			p.refuse("the flag " + string(c))
		case known && negate:
			p.flags &^= f
		case known:
			p.flags |= f
		case c == '-' && !negate:
			negate = true
		case c == ')':
			return true
		case c == ':':
			return false
		default:
			p.fail("Unknown inline modifier")
		}
	}
}
