package compute

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// charset is one of those that encode and decode know.
type charset int

const (
	noCharset charset = iota
	asciiCharset
	latinCharset
	utf8Charset
	utf16Charset // big-endian with a mark when written
	utf16Big
	utf16Little
	utf32Charset
)

var charsets = map[string]charset{"US-ASCII": asciiCharset, "ISO-8859-1": latinCharset, "UTF-8": utf8Charset,
	"UTF-16": utf16Charset, "UTF-16BE": utf16Big, "UTF-16LE": utf16Little, "UTF-32": utf32Charset}

// appendEncoded appends the bytes of text in a charset; false if a character is not in it.
func appendEncoded(dst, text []byte, c charset) ([]byte, bool) {
	if c == utf16Charset && len(text) > 0 {
		dst = append(dst, 0xfe, 0xff)
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if n := replacementSize(text); n > 0 {
			size = n
		}
		text = text[size:]
		switch c {
		case asciiCharset, latinCharset:
			if r > 0xff || c == asciiCharset && r > 0x7f {
				return dst, false
			}
			dst = append(dst, byte(r))
		case utf8Charset:
			dst = utf8.AppendRune(dst, r)
		case utf32Charset:
			dst = binary.BigEndian.AppendUint32(dst, uint32(r))
		default:
			dst = appendUTF16(dst, r, c)
		}
	}
	return dst, true
}

func appendUTF16(dst []byte, r rune, c charset) []byte {
	units := [2]rune{r}
	n := 1
	if r > 0xffff {
		units[0], units[1] = utf16.EncodeRune(r)
		n = 2
	}
	for _, u := range units[:n] {
		if c == utf16Little {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(u))
		} else {
			dst = binary.BigEndian.AppendUint16(dst, uint16(u))
		}
	}
	return dst
}

// appendDecoded appends the text of bytes in a charset; false if they are not of it.
func appendDecoded(dst, b []byte, c charset) ([]byte, bool) {
	switch c {
	case utf8Charset:
		return append(dst, b...), utf8.Valid(b)
	case asciiCharset:
		return append(dst, b...), ascii(b)
	case latinCharset:
		for _, v := range b {
			dst = utf8.AppendRune(dst, rune(v))
		}
		return dst, true
	case utf32Charset:
		return appendFromUTF32(dst, b)
	}
	return appendFromUTF16(dst, b, c)
}

func appendFromUTF16(dst, b []byte, c charset) ([]byte, bool) {
	var order binary.ByteOrder = binary.BigEndian
	if c == utf16Little {
		order = binary.LittleEndian
	}
	if c == utf16Charset && len(b) >= 2 {
		switch mark := binary.BigEndian.Uint16(b); mark {
		case 0xfffe:
			order = binary.LittleEndian
			b = b[2:]
		case 0xfeff:
			b = b[2:]
		}
	}
	for len(b) >= 2 {
		r := rune(order.Uint16(b))
		b = b[2:]
		if utf16.IsSurrogate(r) {
			if len(b) < 2 {
				return dst, false
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(b))); r == utf8.RuneError {
				return dst, false
			}
			b = b[2:]
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, len(b) == 0
}

// appendFromUTF32 makes ? of half a pair, which is what Java prints for it.
func appendFromUTF32(dst, b []byte) ([]byte, bool) {
	var order binary.ByteOrder = binary.BigEndian
	if len(b) >= 4 {
		switch binary.BigEndian.Uint32(b) {
		case 0xfffe0000:
			order = binary.LittleEndian
			b = b[4:]
		case 0xfeff:
			b = b[4:]
		}
	}
	high := rune(0)
	for ; len(b) >= 4; b = b[4:] {
		r := order.Uint32(b)
		if r > utf8.MaxRune {
			return dst, false
		}
		whole := utf16.DecodeRune(high, rune(r))
		switch {
		case whole != utf8.RuneError:
			dst = utf8.AppendRune(dst[:len(dst)-1], whole)
		case utf16.IsSurrogate(rune(r)):
			dst = append(dst, '?')
		default:
			dst = utf8.AppendRune(dst, rune(r))
		}
		if high = rune(r); whole != utf8.RuneError {
			high = 0
		}
	}
	return dst, len(b) == 0
}
