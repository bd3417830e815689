package decode

import (
	"strconv"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// compact appends the value at i, which skip has checked, as Spark's JSON generator
// writes it: no white space, strings escaped anew, numbers with a fraction or an exponent
// as DOUBLE. It returns the position after it.
func (d *JSON) compact(dst, s []byte, i int) ([]byte, int) {
	switch c := s[i]; {
	case c == '"':
		text, end := d.quoted(s, i)
		return AppendString(dst, text), end
	case c == '{' || c == '[':
		return d.compactNested(dst, s, i)
	case c == '-' || c >= '0' && c <= '9':
		return compactNumber(dst, s, i)
	}
	end := d.skip(s, i, 0)
	return append(dst, s[i:end]...), end
}

func (d *JSON) compactNested(dst, s []byte, i int) ([]byte, int) {
	dst = append(dst, s[i])
	i = space(s, i+1)
	for s[i] != '}' && s[i] != ']' {
		switch s[i] {
		case ',', ':':
			dst = append(dst, s[i])
			i++
		default:
			dst, i = d.compact(dst, s, i)
		}
		i = space(s, i)
	}
	return append(dst, s[i]), i + 1
}

func compactNumber(dst, s []byte, i int) ([]byte, int) {
	var n number
	n.scan(s, i)
	if n.whole {
		if n.mantissa == 0 {
			return append(dst, '0'), n.end
		}
		return append(dst, s[i:n.end]...), n.end
	}
	v, err := strconv.ParseFloat(string(s[i:n.end]), 64)
	if err != nil {
		return append(append(append(dst, '"'), sqltext.AppendFloat(nil, v, 64)...), '"'), n.end
	}
	return sqltext.AppendFloat(dst, v, 64), n.end
}

const hexDigits = "0123456789ABCDEF"

// AppendString appends text as a JSON string; only what JSON demands is escaped.
func AppendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for i, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ' && c < utf8.RuneSelf || c >= utf8.RuneSelf:
			dst = append(dst, text[i])
		case escapeNames[c] != 0:
			dst = append(dst, '\\', escapeNames[c])
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, '"')
}

var escapeNames = [' ']byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
