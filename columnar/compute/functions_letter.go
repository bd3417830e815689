package compute

import (
	"bytes"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

// letterFunctions look at single characters.
var letterFunctions = []function{
	entry("initcap", "initcap(s)", "Every word, as spaces part them, with a capital and then small letters.", "initcap('sPark sql')", 1, 1, bindAppend(columnar.String, appendInitcap, columnar.String)),
	entry("ascii", "ascii(s)", "Code point of the first character; 0 for an empty text.", "ascii('A')", 1, 1, bindTextToInt(codePoint)),
	entry("chr", "chr(n)", "The character of code point n modulo 256; empty below 0.", "chr(65)", 1, 1, bindAppend(columnar.String, appendChr, columnar.BigInt)),
	entry("char", "char(n)", "The character of code point n modulo 256; empty below 0.", "char(65)", 1, 1, bindAppend(columnar.String, appendChr, columnar.BigInt)),
	entry("bit_length", "bit_length(s)", "Bits of a STRING or BINARY.", "bit_length('abc')", 1, 1, bindBitLength),
	entry("soundex", "soundex(s)", "Soundex code of an English word.", "soundex('Miller')", 1, 1, bindAppend(columnar.String, appendSoundex, columnar.String)),
	entry("luhn_check", "luhn_check(s)", "TRUE if digits pass the Luhn check.", "luhn_check('79927398713')", 1, 1, bindLuhn),
	entry("levenshtein", "levenshtein(a, b[, most])", "Edits that make a of b, or -1 if they are more than most.", "levenshtein('kitten', 'sitting')", 2, 3, bindLevenshtein),
	entry("concat_ws", "concat_ws(separator, a, ...)", "All arguments joined by a separator; NULLs are left out.", "concat_ws(',', 'a', 'b')", 1, -1, bindConcatWs),
}

func bindTextToInt(one func([]byte) int32) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		out := slice[int32](f.out)
		for _, i := range f.rows {
			out[i] = one(f.args[0].bytesAt(i))
		}
	}
	return bindSimple(columnar.Int, run, columnar.String)
}

func codePoint(text []byte) int32 {
	if len(text) == 0 {
		return 0
	}
	r, _ := utf8.DecodeRune(text)
	return r
}

func appendInitcap(dst []byte, v *vector, row int32) []byte {
	text := v.bytesAt(row)
	start := true
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if start {
			dst = appendTitle(dst, r, text[at:at+size])
		} else {
			dst = appendLowerRune(dst, r, text, at, size)
		}
		start = r == ' '
		at += size
	}
	return dst
}

func appendChr(dst []byte, v *vector, row int32) []byte {
	n := bigintAt(v, row)
	if n < 0 {
		return dst
	}
	return utf8.AppendRune(dst, rune(n&0xff))
}

func bindBitLength(name string, args []Expr) (Expr, error) {
	want := columnar.String
	if args[0].Type() == columnar.Binary {
		want = columnar.Binary
	}
	run := func(f *frame) {
		out := slice[int32](f.out)
		for _, i := range f.rows {
			out[i] = int32(len(f.args[0].bytesAt(i)) * 8)
		}
	}
	return bindSimple(columnar.Int, run, want)(name, args)
}

// soundexCodes are the groups of A to Z; 7 stands for letters that are skipped.
const soundexCodes = "01230127022455012623017202"

func appendSoundex(dst []byte, v *vector, row int32) []byte {
	text := v.bytesAt(row)
	if len(text) == 0 || letter(text[0]) == 0 {
		return append(dst, text...)
	}
	code := [4]byte{letter(text[0]), '0', '0', '0'}
	last, n := soundexCodes[code[0]-'A'], 1
	for _, c := range text[1:] {
		c = letter(c)
		if c == 0 {
			last = '0'
			continue
		}
		group := soundexCodes[c-'A']
		if group == '7' {
			continue
		}
		if group != '0' && group != last {
			code[n] = group
			if n++; n == len(code) {
				break
			}
		}
		last = group
	}
	return append(dst, code[:]...)
}

// letter is the capital of an ASCII letter, 0 of anything else.
func letter(c byte) byte {
	if c |= 0x20; c >= 'a' && c <= 'z' {
		return c ^ 0x20
	}
	return 0
}

func bindLuhn(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			f.out.data[i] = bit(luhn(f.args[0].bytesAt(i)))
		}
	}
	return bindSimple(columnar.Boolean, run, columnar.String)(name, args)
}

func luhn(digits []byte) bool {
	sum := 0
	for k := range digits {
		c := digits[len(digits)-1-k]
		if c < '0' || c > '9' {
			return false
		}
		d := int(c - '0')
		if k%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return len(digits) > 0 && sum%10 == 0
}

func bindLevenshtein(name string, args []Expr) (Expr, error) {
	return bindSimple(columnar.Int, levenshteinRows, columnar.String, columnar.String, columnar.Int)(name, args)
}

// mostSteps bounds the time that one row may take.
const mostSteps = 1 << 28

var errTooManySteps = &EvalError{"COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION", "levenshtein would compare too long texts; cut them with left()."}

func levenshteinRows(f *frame) {
	out := slice[int32](f.out)
	var a, b []rune
	var costs []int32
	for _, i := range f.rows {
		a, b = appendRunes(a[:0], f.args[0].bytesAt(i)), appendRunes(b[:0], f.args[1].bytesAt(i))
		if int64(len(a))*int64(len(b)) > mostSteps {
			f.fail(i, errTooManySteps)
			continue
		}
		costs = costs[:0]
		for k := range len(b) + 1 {
			costs = append(costs, int32(k))
		}
		out[i] = distance(a, b, costs)
		if len(f.args) == 3 && out[i] > intAt(f.args[2], i) {
			out[i] = -1
		}
	}
}

func appendRunes(dst []rune, text []byte) []rune {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst = append(dst, r)
		text = text[size:]
	}
	return dst
}

// distance keeps one row of the table; costs begins as 0, 1, 2, ...
func distance(a, b []rune, costs []int32) int32 {
	for n, r := range a {
		diagonal := costs[0]
		costs[0] = int32(n) + 1
		for k, q := range b {
			change := diagonal
			if r != q {
				change++
			}
			diagonal = costs[k+1]
			costs[k+1] = min(change, diagonal+1, costs[k]+1)
		}
	}
	return costs[len(b)]
}

// bindConcatWs sees NULLs: only a NULL separator makes the result NULL.
func bindConcatWs(name string, args []Expr) (Expr, error) {
	list := make([]Expr, len(args))
	for i, a := range args {
		want := columnar.String
		if i > 0 && a.Type().Kind == columnar.ArrayKind && !a.Type().Elem().Nested() {
			want = columnar.Array(columnar.String)
			a = implicit(a, want)
		}
		e, err := parameter(name, i, a, want)
		if err != nil {
			return nil, err
		}
		list[i] = e
	}
	return &call{name: name, args: list, typ: columnar.String, lenient: true, nullable: list[0].Nullable(), run: concatWsRows}, nil
}

func concatWsRows(f *frame) {
	for _, i := range f.rows {
		at := len(f.out.data)
		if f.args[0].isNull(i) {
			f.setNull(f.out, i)
			f.close(f.out, i, at)
			continue
		}
		separator := f.args[0].bytesAt(i)
		first := true
		for _, a := range f.args[1:] {
			from, until, texts := i, i+1, a
			if a.typ.Kind == columnar.ArrayKind {
				from, until = a.rangeAt(i)
				texts = a.kids[0]
			}
			if a.isNull(i) {
				continue
			}
			for k := from; k < until && !f.overlong(f.out, at); k++ {
				if texts.isNull(k) {
					continue
				}
				if !first {
					f.out.data = append(f.out.data, separator...)
				}
				f.out.data = append(f.out.data, texts.bytesAt(k)...)
				first = false
			}
		}
		f.close(f.out, i, at)
	}
}

// replacementSize is the length of the bytes at the start of text that are one fault of
// UTF-8, or 0 if a character begins there. Faults are as long as a character that was cut.
func replacementSize(text []byte) int {
	if r, size := utf8.DecodeRune(text); r != utf8.RuneError || size != 1 {
		return 0
	}
	low, high, want := byte(0x80), byte(0xbf), 1
	switch c := text[0]; {
	case c >= 0xc2 && c <= 0xdf:
	case c >= 0xe0 && c <= 0xef:
		want = 2
	case c >= 0xf0 && c <= 0xf4:
		want = 3
	default:
		return 1
	}
	switch text[0] {
	case 0xe0:
		low = 0xa0
	case 0xed:
		high = 0x9f
	case 0xf0:
		low = 0x90
	case 0xf4:
		high = 0x8f
	}
	n := 1
	for n <= want && n < len(text) && text[n] >= low && text[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}

// appendValid appends text with every fault of UTF-8 replaced by U+FFFD.
func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		n := replacementSize(text)
		if n > 0 {
			dst = append(dst, "\uFFFD"...)
		} else {
			_, n = utf8.DecodeRune(text)
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// validText is text itself where it is UTF-8.
func validText(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return appendValid(nil, bytes.Clone(text))
}
