package javaregex

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
)

type code uint8

const (
	codeMatch  code = iota
	codeLit         // the bytes lit
	codeSet         // a character of set
	codeRun         // characters of set, as many as there are, then fewer; max of them if possessive
	codeSplit       // x, then y
	codeJump        // x
	codeSave        // a boundary of a group
	codeAssert      // a place in the text
	codeMark        // the start of an iteration that may be empty
	codeCheck       // x if the iteration was empty
	codeApart       // the part at x on its own, then y
)

// inst is a step of a program; the next one follows it unless x and y say otherwise.
type inst struct {
	code   code
	lit    []byte
	set    *set
	x, y   int
	alt    int // number among the steps that have alternatives
	max    int
	assert assertion
	apart  apart
	single bool // possessive
}

// Regexp is a compiled pattern. It may be shared by goroutines.
type Regexp struct {
	insts    []inst
	alts     int
	groups   int
	wide     bool // it looks at whole characters only, as a pattern with some beyond U+FFFF does
	loops    bool // some repetition may be empty
	leaks    bool // what a group captured may stay although its match was given up
	anchored bool
	prefix   []byte
	first    *[256]bool // bytes that a match may begin with; nil: any, or an empty match
	names    map[string]int
	idle     sync.Pool
}

// largest bounds the steps of a program.
const largest = 20_000

// Compile compiles a pattern. The error is a *SyntaxError or an *UnsupportedError.
func Compile(pattern string) (re *Regexp, err error) {
	n, p, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	c := compiler{re: &Regexp{groups: p.groups, names: p.names, wide: p.wide}}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			re, err = nil, f.error
		}
	}()
	c.node(n)
	c.emit(inst{code: codeMatch})
	c.re.study(n)
	return c.re, nil
}

// Groups is the number of capturing groups.
func (re *Regexp) Groups() int { return re.groups }

// Named is the number of the group with a name, or 0.
func (re *Regexp) Named(name string) int { return re.names[name] }

type compiler struct {
	re    *Regexp
	empty int // depth of repetitions of what may be empty
}

func (c *compiler) emit(i inst) int {
	if len(c.re.insts) >= largest {
		panic(fault{&UnsupportedError{fmt.Sprintf("a pattern of more than %d steps is not supported; use smaller counts", largest)}})
	}
	c.re.insts = append(c.re.insts, i)
	return len(c.re.insts) - 1
}

func (c *compiler) here() int { return len(c.re.insts) }

func (c *compiler) node(n *node) {
	switch n.op {
	case opSet:
		c.set(n.set)
	case opAssert:
		c.emit(inst{code: codeAssert, assert: n.assert})
	case opCat:
		for _, sub := range n.subs {
			c.node(sub)
		}
	case opAlt:
		c.alternatives(n.subs)
	case opGroup:
		c.emit(inst{code: codeSave, x: 2 * n.group})
		c.node(n.subs[0])
		c.emit(inst{code: codeSave, x: 2*n.group + 1})
	case opRepeat:
		c.repeat(n)
	case opApart:
		c.apart(n)
	}
}

// set joins single characters to a literal, unless something jumps between them.
func (c *compiler) set(s *set) {
	r, ok := s.single()
	if !ok || !utf8.ValidRune(r) {
		c.emit(inst{code: codeSet, set: s})
		return
	}
	c.emit(inst{code: codeLit, lit: utf8.AppendRune(nil, r)})
}

func (c *compiler) alternatives(subs []*node) {
	var ends []int
	for k, sub := range subs {
		if k == len(subs)-1 {
			c.node(sub)
			break
		}
		split := c.emit(inst{code: codeSplit})
		c.re.insts[split].x = c.here()
		c.node(sub)
		ends = append(ends, c.emit(inst{code: codeJump}))
		c.re.insts[split].y = c.here()
	}
	for _, at := range ends {
		c.re.insts[at].x = c.here()
	}
}

func (c *compiler) repeat(n *node) {
	sub := n.subs[0]
	simple := sub.op == opSet
	if n.mode == possessive && !simple {
		free := *n // no iteration is tried in another way either
		free.mode, free.subs = greedy, []*node{{op: opApart, apart: atomic, subs: n.subs}}
		c.apart(&node{op: opApart, apart: atomic, subs: []*node{&free}})
		return
	}
	if n.max >= 0 && sub.op == opEmpty {
		return
	}
	if n.min != 0 || n.max != 1 {
		sub = iteration(sub)
		n = &node{op: opRepeat, subs: []*node{sub}, min: n.min, max: n.max, mode: n.mode}
	}
	switch {
	case simple && n.max < 0 && n.mode != lazy, simple && n.mode == possessive:
		for range n.min {
			c.node(sub)
		}
		c.run(n)
	case n.min == 0 && n.max == 1:
		split := c.emit(inst{code: codeSplit})
		c.node(sub)
		c.branch(split, split+1, n.mode == lazy)
	case mayBeEmpty(sub):
		c.guarded(n)
	default:
		c.copies(n, func() { c.node(sub) })
	}
}

func (c *compiler) run(n *node) {
	most := n.max - n.min
	if n.max < 0 {
		most = -1
	}
	c.emit(inst{code: codeRun, set: n.subs[0].set, max: most, single: n.mode == possessive})
}

// guarded repeats what may be empty. An iteration that matched nothing is the last, as in Java.
func (c *compiler) guarded(n *node) {
	if c.empty++; c.empty > 1 {
		panic(fault{&UnsupportedError{"nested repetition of what may be empty is not supported in patterns"}})
	}
	defer func() { c.empty-- }()
	c.re.loops = true
	var checks []int
	c.copies(n, func() {
		c.emit(inst{code: codeMark})
		c.node(n.subs[0])
		checks = append(checks, c.emit(inst{code: codeCheck}))
	})
	for _, at := range checks {
		c.re.insts[at].x = c.here()
	}
}

// copies emits the least number of copies, then a loop or the copies that may follow.
func (c *compiler) copies(n *node, body func()) {
	for range n.min {
		body()
	}
	if n.max < 0 {
		split := c.emit(inst{code: codeSplit})
		body()
		c.emit(inst{code: codeJump, x: split})
		c.branch(split, split+1, n.mode == lazy)
		return
	}
	var splits []int
	for range n.max - n.min {
		splits = append(splits, c.emit(inst{code: codeSplit}))
		body()
	}
	for _, at := range splits {
		c.branch(at, at+1, n.mode == lazy)
	}
}

// branch lets a split prefer the body, or what follows all that was emitted.
func (c *compiler) branch(split, body int, lazily bool) {
	i := &c.re.insts[split]
	if i.x, i.y = body, c.here(); lazily {
		i.x, i.y = i.y, i.x
	}
}

// iteration is what a repetition repeats. Where there is one way only through a group,
// Java does not give back what groups inside of it captured, and neither does a part on
// its own. Where it is unlike the other dialects beyond that, it is refused.
func iteration(n *node) *node {
	inner := n
	if n.op == opGroup {
		inner = n.subs[0]
		if longest, ok := longestMatch(n); ok && longest == 0 {
			panic(fault{&UnsupportedError{"repetition of a group that matches nothing is not supported in patterns"}})
		}
	}
	if !oneWay(inner) || !captures(inner) {
		return n
	}
	apart := &node{op: opApart, apart: atomic, subs: []*node{inner}}
	if n.op == opGroup {
		return &node{op: opGroup, group: n.group, subs: []*node{apart}}
	}
	return apart
}

func captures(n *node) bool {
	return n.op == opGroup || slices.ContainsFunc(n.subs, captures)
}

// oneWay reports whether there is one way only to match n at a place.
func oneWay(n *node) bool {
	if n.op == opAlt || n.op == opRepeat && n.min != n.max {
		return false
	}
	for _, sub := range n.subs {
		if n.op != opApart && !oneWay(sub) {
			return false
		}
	}
	return true
}

func mayBeEmpty(n *node) bool {
	switch n.op {
	case opSet:
		return false
	case opCat:
		for _, sub := range n.subs {
			if !mayBeEmpty(sub) {
				return false
			}
		}
		return true
	case opAlt:
		for _, sub := range n.subs {
			if mayBeEmpty(sub) {
				return true
			}
		}
		return false
	case opGroup:
		return mayBeEmpty(n.subs[0])
	case opApart:
		return n.apart != atomic || mayBeEmpty(n.subs[0])
	case opRepeat:
		return n.min == 0 || mayBeEmpty(n.subs[0])
	}
	return true
}
