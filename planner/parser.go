package planner

import (
	"fmt"
	"strings"
)

// maxDepth bounds how deep expressions and queries may nest, which bounds the stack.
const maxDepth = 200

// maxHeight bounds the syntax tree, chains such as a + b + c + ... included.
const maxHeight = 1000

// maxRepeated bounds by how many nodes binding may make an expression larger.
const maxRepeated = 1 << 15

// parser reads tokens by recursive descent, expressions by operator precedence. The
// first error is kept and moves the parser to the end of the text, so that every loop
// ends and no caller needs to look at it before the end.
type parser struct {
	text   string
	tokens []token
	pos    int
	depth  int
	// source: the text declares the columns of a source, whose NOT NULL is kept.
	source bool
	err    *Error
	// slip is the newest alias written without AS: when the word after it is
	// unexpected, the alias itself was probably a misspelled keyword.
	slip *token
	// lambdas is set within the arguments of a function that takes lambdas.
	lambdas bool
	// keywords are offered for a word that is unexpected.
	keywords []string
}

func newParser(text string) (*parser, *Error) {
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	return &parser{text: text, tokens: tokens, keywords: clauseWords}, nil
}

func (p *parser) peek() token { return p.ahead(0) }

func (p *parser) ahead(n int) token {
	return p.tokens[min(p.pos+n, len(p.tokens)-1)]
}

func (p *parser) next() token {
	t := p.peek()
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

// at reports whether the coming tokens are these symbols or keywords.
func (p *parser) at(words ...string) bool {
	for i, w := range words {
		if !p.ahead(i).is(w) {
			return false
		}
	}
	return true
}

// accept steps over these symbols or keywords if all of them come.
func (p *parser) accept(words ...string) bool {
	if !p.at(words...) {
		return false
	}
	p.pos += len(words)
	return true
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.unexpected(strings.ToUpper(word))
	}
}

// from is the span from an offset to the last token read.
func (p *parser) from(start int) span {
	return span{start: start, end: p.tokens[max(p.pos-1, 0)].end}
}

// fail keeps the first error and ends the text.
func (p *parser) fail(offset int, condition, message, hint string) {
	if p.err == nil {
		p.err = newError(p.text, offset, condition, message, hint)
	}
	p.pos = len(p.tokens) - 1
}

// unexpected reports the coming token, or the alias before it that looks like a
// misspelled keyword.
func (p *parser) unexpected(wanted string) {
	t := p.peek()
	if p.slip != nil && p.tokens[max(p.pos-1, 0)].start == p.slip.start {
		if word := closest(p.slip.text, p.keywords); word != "" {
			p.fail(p.slip.start, "PARSE_SYNTAX_ERROR", fmt.Sprintf("unexpected %s, expected %s", p.slip.text, wanted), didYouMean(word))
			return
		}
	}
	p.fail(t.start, "PARSE_SYNTAX_ERROR", fmt.Sprintf("unexpected %s, expected %s", t.describe(), wanted), p.hintFor(t, wanted))
}

func (p *parser) hintFor(t token, wanted string) string {
	if hint := otherForms[strings.ToUpper(t.text)]; hint != "" && t.kind != stringToken && t.kind != quotedToken {
		return hint
	}
	switch {
	case t.kind != wordToken:
		return ""
	case isReserved(t.text) && strings.Contains(wanted, "name"):
		return "a keyword used as a name needs `backticks`"
	case isReserved(t.text):
		return ""
	}
	return didYouMean(closest(t.text, p.keywords))
}

// enter counts one level of nesting; leave must follow, also when enter fails.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.peek().start, "", fmt.Sprintf("the query nests deeper than %d levels", maxDepth), "")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// atName reports whether the token at a distance can be a bare or quoted name.
func (p *parser) atName(ahead int) bool {
	t := p.ahead(ahead)
	return t.kind == quotedToken || t.kind == wordToken && !isReserved(t.text)
}

func (p *parser) ident(wanted string) ident {
	if !p.atName(0) {
		p.unexpected(wanted)
		return ident{}
	}
	return p.anyWord()
}

// anyWord takes the coming word as a name, keyword or not.
func (p *parser) anyWord() ident {
	t := p.next()
	return ident{span: span{t.start, t.end}, text: t.text, quoted: t.kind == quotedToken}
}

// qualified reads a dotted name; after a dot any word is a name.
func (p *parser) qualified(wanted string) []ident {
	parts := []ident{p.ident(wanted)}
	for p.at(".") && p.isWordAhead(1) {
		p.next()
		parts = append(parts, p.anyWord())
	}
	return parts
}

func (p *parser) isWordAhead(n int) bool {
	k := p.ahead(n).kind
	return k == wordToken || k == quotedToken
}
