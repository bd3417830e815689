package compute

import (
	"bytes"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// urlFunctions take URLs apart and escape text for them.
var urlFunctions = []function{
	entry("url_encode", "url_encode(s)", "Text as application/x-www-form-urlencoded.", "url_encode('a b')", 1, 1, bindAppend(columnar.String, appendURLEncoded, columnar.String)),
	entry("url_decode", "url_decode(s)", "Text of application/x-www-form-urlencoded.", "url_decode('a+b')", 1, 1, bindSimple(columnar.String, urlDecodeRows, columnar.String)),
	entry("try_url_decode", "try_url_decode(s)", "url_decode, NULL where it fails.", "try_url_decode('%zz')", 1, 1, bindTolerant(bindSimple(columnar.String, urlDecodeRows, columnar.String))),
	entry("parse_url", "parse_url(url, part[, key])", "HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO of a URL, or what the query has for a key.", "parse_url('http://h/p?a=1', 'QUERY', 'a')", 2, 3, bindParseURL),
	entry("try_parse_url", "try_parse_url(url, part[, key])", "parse_url, NULL where it fails.", "try_parse_url('http://h/p', 'HOST')", 2, 3, bindTolerant(bindParseURL)),
}

func appendURLEncoded(dst []byte, v *vector, row int32) []byte {
	for _, c := range validText(v.bytesAt(row)) {
		switch {
		case digitValue(c) < 36, c == '-', c == '_', c == '.', c == '*':
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

func urlDecodeRows(f *frame) {
	var scratch []byte
	for _, i := range f.rows {
		at := len(f.out.data)
		var ok bool
		if scratch, ok = appendURLDecoded(scratch[:0], f.args[0].bytesAt(i)); ok {
			f.out.data = appendValid(f.out.data, scratch)
		} else {
			f.fail(i, &EvalError{"CANNOT_DECODE_URL", fmt.Sprintf("The text '%s' is not URL-encoded: a %% stands before what are not two hexadecimal digits. Use `try_url_decode` to return NULL instead.", clipped(f.args[0].bytesAt(i)))})
		}
		f.close(f.out, i, at)
	}
}

// appendURLDecoded takes a + before the second digit for nothing, as Java's parseInt does.
func appendURLDecoded(dst, text []byte) ([]byte, bool) {
	for at := 0; at < len(text); at++ {
		c := text[at]
		switch c {
		case '+':
			c = ' '
		case '%':
			if at+3 > len(text) {
				return dst, false
			}
			high, low := digitValue(text[at+1]), digitValue(text[at+2])
			if text[at+1] == '+' {
				high = 0
			}
			if high > 15 || low > 15 {
				return dst, false
			}
			c = byte(high<<4 | low)
			at += 2
		}
		dst = append(dst, c)
	}
	return dst, true
}

// bindParseURL works for URLs as java.net.URI reads them.
func bindParseURL(name string, args []Expr) (Expr, error) {
	for i, a := range args {
		if t := a.Type(); t != columnar.String && t != columnar.Null {
			return nil, unexpectedInput(name, i, "STRING", a)
		}
	}
	return &call{name: name, args: castAll(args, columnar.String), typ: columnar.String, nullable: true, run: parseURLRows}, nil
}

func parseURLRows(f *frame) {
	keys := patternCache{function: "parse_url", wrap: func(key []byte) []byte { return fmt.Appendf(nil, "(&|^)%s=([^&]*)", key) }}
	var u uri
	for _, i := range f.rows {
		f.out.start[i], f.out.end[i] = 0, 0
		text, part := f.args[0].bytesAt(i), f.args[1].bytesAt(i)
		if !u.parse(text) {
			f.fail(i, &EvalError{"INVALID_URL", fmt.Sprintf("The text '%s' is no valid URL. Use `try_parse_url` to return NULL instead.", clipped(text))})
			continue
		}
		value, ok := u.part(string(part))
		if ok && len(f.args) == 3 {
			if value, ok = f.queryValue(i, &keys, part, value); !ok && f.out.isNull(i) {
				continue
			}
		}
		if !ok {
			f.setNull(f.out, i)
			continue
		}
		f.put(f.out, i, value)
	}
}

// queryValue finds what a query has for a key. The key is a pattern, as in Spark.
func (f *frame) queryValue(row int32, keys *patternCache, part, query []byte) ([]byte, bool) {
	if !bytes.Equal(part, []byte("QUERY")) {
		return nil, false
	}
	m, err := keys.get(f.args[2].bytesAt(row))
	if err != nil {
		f.fail(row, err)
		return nil, false
	}
	if !m.Find(query) {
		return nil, false
	}
	return m.Group(2)
}
