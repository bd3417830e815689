package planner

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxTextBytes is the longest query or schema text.
const maxTextBytes = 1 << 20

// lexer cuts a text into tokens. Its first error ends the text.
type lexer struct {
	text   string
	pos    int
	tokens []token
	err    *Error
}

// tokenize returns the tokens of text, an endToken last.
func tokenize(text string) ([]token, *Error) {
	if len(text) > maxTextBytes {
		return nil, newError("", 0, "", fmt.Sprintf("the text is %d bytes long, the limit is %d", len(text), maxTextBytes), "")
	}
	if !utf8.ValidString(text) {
		return nil, newError(text, invalidAt(text), "", "the text is not valid UTF-8", "")
	}
	l := &lexer{text: text, tokens: make([]token, 0, len(text)/4+8)}
	for l.err == nil && l.pos < len(text) {
		l.next()
	}
	return append(l.tokens, token{kind: endToken, start: len(text), end: len(text)}), l.err
}

// invalidAt is the offset of the first byte that is not UTF-8.
func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return len(text)
}

func (l *lexer) fail(offset int, condition, message, hint string) {
	if l.err == nil {
		l.err = newError(l.text, offset, condition, message, hint)
	}
}

func (l *lexer) emit(kind tokenKind, text string, start int) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, start: start, end: l.pos})
}

// peek is the byte at a distance from the position, 0 at the end of the text.
func (l *lexer) peek(ahead int) byte {
	if l.pos+ahead < len(l.text) {
		return l.text[l.pos+ahead]
	}
	return 0
}

func (l *lexer) next() {
	c, following := l.text[l.pos], l.peek(1)
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		l.pos++
	case c == '-' && following == '-':
		l.lineComment()
	case c == '/' && following == '*':
		l.blockComment()
	case c == '\'':
		l.str(l.pos, false)
	case following == '\'' && (c == 'r' || c == 'R'):
		l.pos++
		l.str(l.pos-1, true)
	case following == '\'' && (c == 'x' || c == 'X'):
		l.hex()
	case c == '"':
		l.doubleQuoted()
	case c == '`':
		l.quotedName()
	case isDigit(c) || c == '.' && isDigit(following):
		l.number()
	case isWord(c):
		l.word()
	default:
		l.symbol()
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || isDigit(c)
}

func (l *lexer) lineComment() {
	if i := strings.IndexByte(l.text[l.pos:], '\n'); i >= 0 {
		l.pos += i
		return
	}
	l.pos = len(l.text)
}

// blockComment skips a comment; as in Spark, comments nest.
func (l *lexer) blockComment() {
	start, depth := l.pos, 0
	for l.pos < len(l.text) {
		switch {
		case l.peek(0) == '/' && l.peek(1) == '*':
			depth++
			l.pos += 2
		case l.peek(0) == '*' && l.peek(1) == '/':
			depth--
			l.pos += 2
		default:
			l.pos++
		}
		if depth == 0 {
			return
		}
	}
	l.fail(start, "UNCLOSED_BRACKETED_COMMENT", "the comment is not closed", "end it with */")
}

func (l *lexer) word() {
	start := l.pos
	for l.pos < len(l.text) && isWord(l.text[l.pos]) {
		l.pos++
	}
	l.emit(wordToken, l.text[start:l.pos], start)
}

// symbols, longest first.
var symbols = []string{
	"<=>", "->>", ">>>", "<=", ">=", "<>", "!=", "==", "||", "::", "->", "=>", "<<", ">>", "|>",
	"+", "-", "*", "/", "%", "(", ")", ",", ".", ";", "<", ">", "=", "[", "]", ":", "!", "~", "&", "|", "^",
}

func (l *lexer) symbol() {
	start := l.pos
	for _, s := range symbols {
		if strings.HasPrefix(l.text[start:], s) {
			l.pos += len(s)
			l.emit(symbolToken, s, start)
			return
		}
	}
	r, _ := utf8.DecodeRuneInString(l.text[start:])
	hint := ""
	if r >= utf8.RuneSelf {
		hint = "a name with other characters than a-z, 0-9 and _ needs `backticks`"
	}
	l.fail(start, "PARSE_SYNTAX_ERROR", fmt.Sprintf("unexpected character %q", r), hint)
}
