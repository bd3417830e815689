package planner

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// str reads a string in single quotes; in a raw one a backslash means itself. Two quotes
// in it are refused: they are one quote for most systems and nothing for Spark, which
// joins the strings on both sides.
func (l *lexer) str(start int, raw bool) {
	var b strings.Builder
	for l.pos++; l.pos < len(l.text); {
		c := l.text[l.pos]
		switch {
		case c == '\'' && l.peek(1) == '\'' && !raw:
			l.fail(l.pos, "", "two quotes in a string are not accepted", `write \' for a quote, or a space between two strings that are to be joined`)
			return
		case c == '\'':
			l.pos++
			l.emit(stringToken, b.String(), start)
			return
		case c == '\\' && !raw && l.pos+1 < len(l.text):
			l.escape(&b)
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	l.fail(start, "PARSE_SYNTAX_ERROR", "the string is not closed", "end it with '")
}

var escapes = map[byte]string{
	'0': "\x00", 'b': "\b", 'n': "\n", 'r': "\r", 't': "\t", 'Z': "\x1a",
	'%': `\%`, '_': `\_`, // kept for LIKE
}

// escape reads one backslash escape by Spark's rules: \u with four hex digits, \U with eight, \ with three octal ones, the
// letters above; before any other character the backslash is dropped.
func (l *lexer) escape(b *strings.Builder) {
	rest := l.text[l.pos+1:]
	if r, size, ok := codePoint(rest); ok {
		b.WriteRune(r)
		l.pos += 1 + size
		return
	}
	if text, ok := escapes[rest[0]]; ok {
		b.WriteString(text)
		l.pos += 2
		return
	}
	_, size := utf8.DecodeRuneInString(rest)
	b.WriteString(rest[:size])
	l.pos += 1 + size
}

// codePoint reads the escapes that spell a character by its number, and the number of
// bytes after the backslash that they take.
func codePoint(rest string) (r rune, size int, ok bool) {
	digits, base := 3, 8
	switch {
	case rest[0] == 'u':
		digits, base, rest = 4, 16, rest[1:]
	case rest[0] == 'U':
		digits, base, rest = 8, 16, rest[1:]
	case rest[0] != '0' && rest[0] != '1':
		return 0, 0, false
	}
	if len(rest) < digits {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(rest[:digits], base, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, 0, false
	}
	if base == 16 {
		digits++
	}
	return rune(n), digits, true
}

func (l *lexer) hex() {
	start := l.pos
	end := strings.IndexByte(l.text[start+2:], '\'')
	if end < 0 {
		l.fail(start, "PARSE_SYNTAX_ERROR", "the binary literal is not closed", "end it with '")
		return
	}
	digits := l.text[start+2 : start+2+end]
	for i := range len(digits) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(digits[i])) {
			l.fail(start, "INVALID_TYPED_LITERAL", fmt.Sprintf("the value of the typed literal X'%s' is invalid", digits), "only hexadecimal digits may stand in it")
			return
		}
	}
	l.pos = start + 2 + end + 1
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	l.emit(bytesToken, digits, start)
}

// doubleQuoted refuses "x": it is a string for Spark and a name for most others, so
// either reading would surprise someone.
func (l *lexer) doubleQuoted() {
	shown := l.text[l.pos:]
	if end := strings.IndexByte(shown[1:], '"'); end >= 0 {
		shown = shown[:end+2]
	}
	if len(shown) > 40 || strings.Contains(shown, "\n") {
		shown = `"..."`
	}
	l.fail(l.pos, "", "double-quoted text "+shown+" is not accepted", "write 'single quotes' for a string, `backticks` for a name")
}

func (l *lexer) quotedName() {
	start := l.pos
	var b strings.Builder
	for l.pos++; l.pos < len(l.text); l.pos++ {
		if c := l.text[l.pos]; c != '`' {
			b.WriteByte(c)
			continue
		}
		if l.peek(1) != '`' {
			l.pos++
			l.closeName(b.String(), start)
			return
		}
		l.pos++
		b.WriteByte('`')
	}
	l.fail(start, "PARSE_SYNTAX_ERROR", "the name is not closed", "end it with `")
}

func (l *lexer) closeName(name string, start int) {
	if name == "" {
		l.fail(start, "PARSE_SYNTAX_ERROR", "a name in backticks is empty", "")
		return
	}
	l.emit(quotedToken, name, start)
}

// number reads digits, a point, an exponent and a suffix (L, S, Y, D, F, BD).
func (l *lexer) number() {
	start := l.pos
	l.digits()
	if l.peek(0) == '.' {
		l.pos++
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		if ahead := l.peek(1); isDigit(ahead) || (ahead == '-' || ahead == '+') && isDigit(l.peek(2)) {
			l.pos += 2
			l.digits()
		}
	}
	suffix := l.pos
	for l.pos < len(l.text) && isWord(l.text[l.pos]) {
		l.pos++
	}
	switch strings.ToUpper(l.text[suffix:l.pos]) {
	case "", "L", "S", "Y", "D", "F", "BD":
		l.emit(numberToken, l.text[start:l.pos], start)
	default:
		l.fail(start, "PARSE_SYNTAX_ERROR", l.text[start:l.pos]+" is not a number", "a name that begins with a digit needs `backticks`")
	}
}

func (l *lexer) digits() {
	for isDigit(l.peek(0)) {
		l.pos++
	}
}
