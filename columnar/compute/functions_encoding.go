package compute

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// encodingFunctions turn bytes into text and back.
var encodingFunctions = []function{
	entry("base64", "base64(b)", "Base64 text in lines of 76 characters.", "base64('abc')", 1, 1, bindAppend(columnar.String, appendBase64, columnar.Binary)),
	entry("unbase64", "unbase64(s)", "The bytes that base64 text denotes; characters of no meaning are skipped.", "unbase64('YWJj')", 1, 1, bindSimple(columnar.Binary, unbase64Rows, columnar.String)),
	entry("encode", "encode(s, charset)", "The bytes of a text in a charset.", "encode('abc', 'UTF-16')", 2, 2, bindSimple(columnar.Binary, encodeRows, columnar.String, columnar.String)),
	entry("to_binary", "to_binary(s[, format])", "The bytes that a text denotes in 'hex' (the default), 'base64' or 'utf-8'.", "to_binary('616263', 'hex')", 1, 2, bindToBinary),
	entry("try_to_binary", "try_to_binary(s[, format])", "to_binary, NULL where it fails.", "try_to_binary('zz', 'hex')", 1, 2, bindTryToBinary),
}

func appendBase64(dst []byte, v *vector, row int32) []byte {
	const line = 57 // bytes that make 76 characters
	b := v.bytesAt(row)
	for ; len(b) > line; b = b[line:] {
		dst = base64.StdEncoding.AppendEncode(dst, b[:line])
		dst = append(dst, "\r\n"...)
	}
	return base64.StdEncoding.AppendEncode(dst, b)
}

func invalidConversion(text []byte, format string) error {
	return &EvalError{"CONVERSION_INVALID_INPUT", fmt.Sprintf("The value '%s' cannot be converted to BINARY as %s. Use `try_to_binary` to tolerate malformed input and return NULL instead.", clipped(text), format)}
}

func unbase64Rows(f *frame) {
	for _, i := range f.rows {
		at := len(f.out.data)
		var ok bool
		if f.out.data, ok = appendUnbase64(f.out.data, f.args[0].bytesAt(i)); !ok {
			f.fail(i, invalidConversion(f.args[0].bytesAt(i), "base64"))
			f.out.data = f.out.data[:at]
		}
		f.close(f.out, i, at)
	}
}

// appendUnbase64 reads base64 as MIME does: only letters, digits, +, / and = count, and
// = may be left out. Nothing that counts may follow the first =.
func appendUnbase64(dst, text []byte) ([]byte, bool) {
	bits, have := uint32(0), 0
	for at, c := range text {
		if c == '=' {
			return endBase64(dst, bits, have, text[at+1:])
		}
		v, ok := base64Value(c)
		if !ok {
			continue
		}
		bits = bits<<6 | uint32(v)
		if have++; have == 4 {
			dst = append(dst, byte(bits>>16), byte(bits>>8), byte(bits))
			bits, have = 0, 0
		}
	}
	return lastBase64(dst, bits, have)
}

// endBase64 checks what follows the first =.
func endBase64(dst []byte, bits uint32, have int, rest []byte) ([]byte, bool) {
	if have < 2 || have == 2 && (len(rest) == 0 || rest[0] != '=') {
		return dst, false
	}
	for _, c := range rest {
		if _, counts := base64Value(c); counts {
			return dst, false
		}
	}
	return lastBase64(dst, bits, have)
}

func lastBase64(dst []byte, bits uint32, have int) ([]byte, bool) {
	switch have {
	case 1:
		return dst, false
	case 2:
		dst = append(dst, byte(bits>>4))
	case 3:
		dst = append(dst, byte(bits>>10), byte(bits>>2))
	}
	return dst, true
}

func base64Value(c byte) (byte, bool) {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A', true
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26, true
	case c >= '0' && c <= '9':
		return c - '0' + 52, true
	case c == '+':
		return 62, true
	case c == '/':
		return 63, true
	}
	return 0, false
}

// strictBase64 reports whether text holds nothing but base64, white space and the = that
// fill the last group.
func strictBase64(text []byte) bool {
	symbols, fill := 0, 0
	for _, c := range text {
		_, symbol := base64Value(c)
		switch {
		case symbol && fill > 0:
			return false
		case symbol:
			symbols++
		case c == '=':
			fill++
		case c != ' ' && (c < '\t' || c > '\r'):
			return false
		}
	}
	if fill > 0 {
		return fill <= 2 && symbols%4 >= 2 && (symbols+fill)%4 == 0
	}
	return symbols%4 != 1
}

// bindToBinary takes its format at bind time.
func bindToBinary(name string, args []Expr) (Expr, error) {
	format := "hex"
	if len(args) == 2 {
		e := Fold(args[1])
		if Literal(e) && e.Nullable() {
			return typedNull(columnar.Binary), nil
		}
		text, ok := textLiteral(e)
		if !ok {
			return nil, mismatch("NON_FOLDABLE_INPUT", "%s: the format should be a constant STRING, got %s.", name, args[1])
		}
		format = strings.ToLower(text)
	}
	read, ok := binaryFormats[format]
	if !ok {
		return nil, mismatch("INVALID_ARG_VALUE", "%s: the format should be 'hex', 'utf-8', 'utf8' or 'base64', got '%s'.", name, format)
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			if f.out.data, ok = read(f.out.data, f.args[0].bytesAt(i)); !ok {
				f.fail(i, invalidConversion(f.args[0].bytesAt(i), format))
				f.out.data = f.out.data[:at]
			}
			f.close(f.out, i, at)
		}
	}
	return bindSimple(columnar.Binary, run, columnar.String, columnar.String)(name, args)
}

var binaryFormats = map[string]func(dst, text []byte) ([]byte, bool){
	"hex":   appendUnhex,
	"utf-8": func(dst, text []byte) ([]byte, bool) { return append(dst, text...), true },
	"utf8":  func(dst, text []byte) ([]byte, bool) { return append(dst, text...), true },
	"base64": func(dst, text []byte) ([]byte, bool) {
		if !strictBase64(text) {
			return dst, false
		}
		return appendUnbase64(dst, text)
	},
}

// bindTryToBinary is NULL for an unknown format too.
func bindTryToBinary(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		text, ok := textLiteral(Fold(args[1]))
		if ok && binaryFormats[strings.ToLower(text)] == nil {
			return typedNull(columnar.Binary), nil
		}
	}
	return bindTolerant(bindToBinary)(name, args)
}

func encodeRows(f *frame) { convertCharset(f, appendEncoded, "encode") }

func bindDecodeCharset(name string, args []Expr) (Expr, error) {
	run := func(f *frame) { convertCharset(f, appendDecoded, "decode") }
	return bindSimple(columnar.String, run, columnar.Binary, columnar.String)(name, args)
}

// convertCharset looks a charset up again only where its name differs from that of the row before.
func convertCharset(f *frame, convert func(dst, b []byte, c charset) ([]byte, bool), function string) {
	var last []byte
	c, known := noCharset, false
	for n, i := range f.rows {
		name := f.args[1].bytesAt(i)
		if n == 0 || !bytes.Equal(name, last) {
			c, known = charsets[strings.ToUpper(string(name))]
			last = name
		}
		at := len(f.out.data)
		if !known {
			f.fail(i, &EvalError{"INVALID_PARAMETER_VALUE.CHARSET", fmt.Sprintf("%s knows the charsets US-ASCII, ISO-8859-1, UTF-8, UTF-16BE, UTF-16LE, UTF-16 and UTF-32, not '%s'.", function, clipped(name))})
		} else {
			var ok bool
			if f.out.data, ok = convert(f.out.data, f.args[0].bytesAt(i), c); !ok {
				f.fail(i, &EvalError{"MALFORMED_CHARACTER_CODING", fmt.Sprintf("%s met what has no counterpart in %s.", function, name)})
				f.out.data = f.out.data[:at]
			}
		}
		f.close(f.out, i, at)
	}
}
