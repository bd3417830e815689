package decode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep values may be nested.
const maxDepth = 200

// parser is a position in one document.
type parser struct {
	b       []byte
	at      int
	scratch []byte // a string without its escapes
}

func (p *parser) reset(doc []byte) { p.b, p.at = doc, 0 }

// fail makes an error with the place and a little of what is there.
func (p *parser) fail(format string, args ...any) error {
	what := "the document ends"
	if p.at < len(p.b) {
		what = fmt.Sprintf("got %q", shorten(p.b[p.at:]))
	}
	return fmt.Errorf("%s, %s at byte %d", fmt.Sprintf(format, args...), what, p.at)
}

// shorten keeps error texts small whatever the document is.
func shorten(b []byte) []byte { return b[:min(len(b), 20)] }

func (p *parser) space() {
	for p.at < len(p.b) {
		switch p.b[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) take(c byte) bool {
	if p.at < len(p.b) && p.b[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) peek() byte {
	if p.at < len(p.b) {
		return p.b[p.at]
	}
	return 0
}

// prefix takes the bytes s if they come next.
func (p *parser) prefix(s string) bool {
	if len(p.b)-p.at >= len(s) && string(p.b[p.at:p.at+len(s)]) == s {
		p.at += len(s)
		return true
	}
	return false
}

func (p *parser) literal(s string) bool { return p.peek() == s[0] && p.prefix(s) }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special is the distance to the first byte that ends a plain run of a string: a quote, a backslash, a control
// character or a byte beyond ASCII. Eight bytes are looked at together.
func (p *parser) special() {
	at := p.at
	for at+8 <= len(p.b) {
		x := binary.LittleEndian.Uint64(p.b[at:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		m := ((x - ones*0x20) | x | (quote-ones) & ^quote | (slash-ones) & ^slash) & highs
		if m != 0 {
			p.at = at + bits.TrailingZeros64(m)/8
			return
		}
		at += 8
	}
	for at < len(p.b) && p.b[at] >= 0x20 && p.b[at] < 0x80 && p.b[at] != '"' && p.b[at] != '\\' {
		at++
	}
	p.at = at
}

// text reads a string and returns its value, borrowed until the next call.
func (p *parser) text() ([]byte, error) {
	if !p.take('"') {
		return nil, p.fail("expected a string")
	}
	start, ascii := p.at, true
	for {
		p.special()
		switch c := p.peek(); {
		case p.at >= len(p.b):
			return nil, p.fail("expected the end of a string")
		case c == '"':
			v := p.b[start:p.at]
			if !ascii && !utf8.Valid(v) {
				p.at = start
				return nil, p.fail("expected valid UTF-8")
			}
			p.at++
			return v, nil
		case c == '\\':
			return p.escaped(start)
		case c >= 0x80:
			ascii = false
			p.at++
		case c < 0x20:
			return nil, p.fail("expected no control character in a string")
		default: // a false alarm of the eight-byte test
			p.at++
		}
	}
}

// escaped reads the rest of a string that has escapes.
func (p *parser) escaped(start int) ([]byte, error) {
	out := append(p.scratch[:0], p.b[start:p.at]...)
	for p.at < len(p.b) {
		switch c := p.b[p.at]; {
		case c == '"':
			p.at++
			p.scratch = out
			if !utf8.Valid(out) {
				p.at = start
				return nil, p.fail("expected valid UTF-8")
			}
			return out, nil
		case c == '\\':
			var err error
			if out, err = p.escape(out); err != nil {
				return nil, err
			}
		case c < 0x20:
			return nil, p.fail("expected no control character in a string")
		default:
			out = append(out, c)
			p.at++
		}
	}
	return nil, p.fail("expected the end of a string")
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(out []byte) ([]byte, error) {
	if p.at+1 >= len(p.b) {
		return nil, p.fail("expected an escape")
	}
	c := p.b[p.at+1]
	if c == 'u' {
		r, err := p.unicode()
		return utf8.AppendRune(out, r), err
	}
	if escapes[c] == 0 {
		return nil, p.fail("expected an escape")
	}
	p.at += 2
	return append(out, escapes[c]), nil
}

// unicode reads \uXXXX, or two of them that are a surrogate pair.
func (p *parser) unicode() (rune, error) {
	r, ok := p.hex4(p.at)
	if !ok {
		return 0, p.fail("expected \\u and four hex digits")
	}
	if !utf16.IsSurrogate(r) {
		p.at += 6
		return r, nil
	}
	low, ok := p.hex4(p.at + 6)
	if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
		p.at += 12
		return pair, nil
	}
	return 0, p.fail("expected a pair of surrogates")
}

func (p *parser) hex4(at int) (rune, bool) {
	if at+6 > len(p.b) || p.b[at] != '\\' || p.b[at+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range p.b[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// number reads a number and returns its text.
func (p *parser) number() ([]byte, error) {
	start := p.at
	p.take('-')
	if !p.take('0') && p.digits() == 0 {
		return nil, p.fail("expected a number")
	}
	if p.take('.') && p.digits() == 0 {
		return nil, p.fail("expected a digit")
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if !p.take('-') {
			p.take('+')
		}
		if p.digits() == 0 {
			return nil, p.fail("expected a digit")
		}
	}
	if c := p.peek(); c-'0' < 10 {
		return nil, p.fail("expected no digit behind a leading zero")
	}
	return p.b[start:p.at], nil
}

func (p *parser) digits() int {
	start := p.at
	for p.at < len(p.b) && p.b[p.at]-'0' < 10 {
		p.at++
	}
	return p.at - start
}

// skip reads a value that no one asked for; it must be valid all the same.
func (p *parser) skip(depth int) error {
	if depth > maxDepth {
		return p.fail("expected no more than %d levels", maxDepth)
	}
	switch c := p.peek(); {
	case c == '"':
		_, err := p.text()
		return err
	case c == '{':
		return p.skipObject(depth)
	case c == '[':
		return p.skipArray(depth)
	case p.literal("true"), p.literal("false"), p.literal("null"):
		return nil
	default:
		if p.at >= len(p.b) || c != '-' && c-'0' >= 10 {
			return p.fail("expected a value")
		}
		_, err := p.number()
		return err
	}
}

func (p *parser) skipObject(depth int) error {
	p.at++
	if p.space(); p.take('}') {
		return nil
	}
	for {
		if _, err := p.text(); err != nil {
			return err
		}
		if p.space(); !p.take(':') {
			return p.fail("expected :")
		}
		p.space()
		if err := p.skip(depth + 1); err != nil {
			return err
		}
		if p.space(); p.take('}') {
			return nil
		}
		if !p.take(',') {
			return p.fail("expected , or }")
		}
		p.space()
	}
}

func (p *parser) skipArray(depth int) error {
	p.at++
	if p.space(); p.take(']') {
		return nil
	}
	for {
		if err := p.skip(depth + 1); err != nil {
			return err
		}
		if p.space(); p.take(']') {
			return nil
		}
		if !p.take(',') {
			return p.fail("expected , or ]")
		}
		p.space()
	}
}
