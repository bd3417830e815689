package decode

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxDepth bounds the nesting of values that are skipped or kept as text.
const maxDepth = 1000

// space returns the first position from i on that holds no white space.
func space(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the first position from i on that is not printable ASCII other than
// " and \, eight bytes at a time.
func plain(s []byte, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote, slash := w^(lows*'"'), w^(lows*'\\')
		stop := ((quote-lows)&^quote | (slash-lows)&^slash | (w-lows*' ')&^w | w) & highs
		if stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// scan checks the string that begins behind a quote at i-1 and returns the position
// of the closing quote, or -1.
func (d *JSON) scan(s []byte, i int) (end int, escaped bool) {
	start, wide := i, false
	for {
		i = plain(s, i)
		if i >= len(s) {
			return d.fail(i, "the document ends within a string"), false
		}
		switch c := s[i]; {
		case c == '"':
			if wide && !utf8.Valid(s[start:i]) {
				return d.fail(start, "the string is not UTF-8"), false
			}
			return i, escaped
		case c == '\\':
			n := escapeLength(s[i:])
			if n == 0 {
				return d.failValue(s, i, "expected an escape sequence"), false
			}
			i += n
			escaped = true
		case c < ' ':
			return d.fail(i, "the string holds a control character that is not escaped"), false
		default:
			wide = true
			i++
		}
	}
}

// escapeLength is the length of the escape sequence that s begins with, 0 if it is
// none. A surrogate counts only together with its other half.
func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r, ok := hex4(s[2:])
		switch {
		case !ok || r >= 0xdc00 && r < 0xe000:
			return 0
		case r < 0xd800 || r >= 0xe000:
			return 6
		}
		if len(s) < 12 || s[6] != '\\' || s[7] != 'u' {
			return 0
		}
		if low, ok := hex4(s[8:]); ok && low >= 0xdc00 && low < 0xe000 {
			return 12
		}
	}
	return 0
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
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

// unescape replaces the escape sequences of a string that scan has checked. The
// result lives until the next call.
func (d *JSON) unescape(s []byte) []byte {
	out := d.text[:0]
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			end := i
			for end < len(s) && s[end] != '\\' {
				end++
			}
			out = append(out, s[i:end]...)
			i = end
			continue
		}
		if s[i+1] != 'u' {
			out = append(out, simpleEscape(s[i+1]))
			i += 2
			continue
		}
		r, _ := hex4(s[i+2:])
		i += 6
		if r >= 0xd800 && r < 0xe000 {
			low, _ := hex4(s[i+2:])
			r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
			i += 6
		}
		out = utf8.AppendRune(out, r)
	}
	d.text = out
	return out
}

func simpleEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// skip checks a value of any kind and returns the position after it, or -1.
func (d *JSON) skip(s []byte, i, depth int) int {
	switch c := s[i]; {
	case c == '"':
		end, _ := d.scan(s, i+1)
		if end < 0 {
			return -1
		}
		return end + 1
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return d.fail(i, "the value is nested too deep")
		}
		return d.skipNested(s, i, depth)
	case c == 't':
		return d.word(s, i, "true")
	case c == 'f':
		return d.word(s, i, "false")
	case c == 'n':
		return d.word(s, i, "null")
	}
	var n number
	if !n.scan(s, i) {
		return d.failValue(s, i, "expected a value")
	}
	return n.end
}

func (d *JSON) word(s []byte, i int, want string) int {
	if len(s)-i >= len(want) && string(s[i:i+len(want)]) == want {
		return i + len(want)
	}
	return d.failValue(s, i, "expected "+want)
}

// skipNested checks an object or an array.
func (d *JSON) skipNested(s []byte, i, depth int) int {
	object := s[i] == '{'
	last := byte(']')
	if object {
		last = '}'
	}
	if i = space(s, i+1); i < len(s) && s[i] == last {
		return i + 1
	}
	for {
		if object {
			if i = d.skipKey(s, i); i < 0 {
				return -1
			}
		}
		if i >= len(s) {
			return d.fail(i, "the document ends within a value")
		}
		if i = d.skip(s, i, depth+1); i < 0 {
			return -1
		}
		i = space(s, i)
		if i >= len(s) {
			return d.fail(i, "the document ends within a value")
		}
		switch s[i] {
		case last:
			return i + 1
		case ',':
			i = space(s, i+1)
		default:
			return d.failValue(s, i, "expected , or "+string(last))
		}
	}
}

func (d *JSON) skipKey(s []byte, i int) int {
	if i >= len(s) || s[i] != '"' {
		return d.failValue(s, i, "expected a key in double quotes")
	}
	end, _ := d.scan(s, i+1)
	if end < 0 {
		return -1
	}
	return d.colon(s, end+1)
}
