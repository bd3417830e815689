package compute

import (
	"unicode"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

var maskFunctions = []function{
	entry("mask", "mask(s[, upper, lower, digit, other])", "Capitals, small letters, digits and other characters each replaced by one character; NULL keeps them.", "mask('Ab1-')", 1, 5, bindMask),
}

// bindMask fills in Spark's defaults: X, x, n, and other characters stay.
func bindMask(name string, args []Expr) (Expr, error) {
	by := [4]rune{'X', 'x', 'n', -1}
	for i, a := range args {
		if t := a.Type(); t != columnar.String && t != columnar.Null {
			return nil, unexpectedInput(name, i, "STRING", a)
		}
		if i == 0 {
			continue
		}
		r, err := maskCharacter(name, a)
		if err != nil {
			return nil, err
		}
		by[i-1] = r
	}
	text := implicit(args[0], columnar.String)
	list := append([]Expr{text}, args[1:]...)
	return &call{name: name, args: list, typ: columnar.String, lenient: true, nullable: text.Nullable(), run: func(f *frame) { maskRows(f, by) }}, nil
}

// maskCharacter is -1 for NULL.
func maskCharacter(name string, e Expr) (rune, error) {
	if e = Fold(e); e.Nullable() && Literal(e) {
		return -1, nil
	}
	text, ok := textLiteral(e)
	switch r, _ := utf8.DecodeRuneInString(text); {
	case !ok:
		return 0, mismatch("NON_FOLDABLE_INPUT", "%s: a replacement should be a constant STRING, got %s.", name, e)
	case utf8.RuneCountInString(text) != 1:
		return 0, mismatch("INPUT_SIZE_NOT_ONE", "%s: a replacement should be one character, got %s.", name, e)
	case r > 0xffff:
		return 0, mismatch("INPUT_SIZE_NOT_ONE", "%s: a replacement should be one UTF-16 unit, %s has two.", name, e)
	default:
		return r, nil
	}
}

// maskRows replaces a character beyond U+FFFF twice, once for each UTF-16 unit, as Spark does.
func maskRows(f *frame, by [4]rune) {
	for _, i := range f.rows {
		at := len(f.out.data)
		if f.args[0].isNull(i) {
			f.setNull(f.out, i)
		} else {
			f.out.data = appendMasked(f.out.data, f.args[0].bytesAt(i), by)
		}
		f.close(f.out, i, at)
	}
}

func appendMasked(dst, text []byte, by [4]rune) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		to := by[maskClass(r)]
		switch {
		case to < 0:
			dst = append(dst, text[:size]...)
		case r > 0xffff:
			dst = utf8.AppendRune(utf8.AppendRune(dst, to), to)
		default:
			dst = utf8.AppendRune(dst, to)
		}
		text = text[size:]
	}
	return dst
}

func maskClass(r rune) int {
	switch {
	case r > 0xffff:
		return 3
	case unicode.Is(unicode.Lu, r):
		return 0
	case unicode.Is(unicode.Ll, r):
		return 1
	case unicode.Is(unicode.Nd, r):
		return 2
	}
	return 3
}
