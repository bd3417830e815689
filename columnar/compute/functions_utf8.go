package compute

import (
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

// utf8Functions treat STRINGs whose bytes may be no UTF-8.
var utf8Functions = []function{
	entry("is_valid_utf8", "is_valid_utf8(s)", "TRUE if the bytes are UTF-8.", "is_valid_utf8('é')", 1, 1, bindIsValid),
	entry("make_valid_utf8", "make_valid_utf8(s)", "What is no UTF-8 replaced by U+FFFD.", "make_valid_utf8('é')", 1, 1, bindAppend(columnar.String, appendValidAt, columnar.String)),
	entry("validate_utf8", "validate_utf8(s)", "s; an error if it is no UTF-8.", "validate_utf8('é')", 1, 1, bindSimple(columnar.String, validateRows, columnar.String)),
	entry("try_validate_utf8", "try_validate_utf8(s)", "s; NULL if it is no UTF-8.", "try_validate_utf8('é')", 1, 1, bindTolerant(bindSimple(columnar.String, validateRows, columnar.String))),
}

// bindTolerant makes failures NULL.
func bindTolerant(bind func(string, []Expr) (Expr, error)) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		e, err := bind(name, args)
		if c, ok := e.(*call); ok {
			c.try = true
		}
		return e, err
	}
}

func bindIsValid(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			f.out.data[i] = bit(utf8.Valid(f.args[0].bytesAt(i)))
		}
	}
	return bindSimple(columnar.Boolean, run, columnar.String)(name, args)
}

func appendValidAt(dst []byte, v *vector, row int32) []byte { return appendValid(dst, v.bytesAt(row)) }

// ErrInvalidText is that of a STRING whose bytes are no UTF-8.
var ErrInvalidText = &EvalError{"INVALID_UTF8_STRING", "the text is no valid UTF-8; use make_valid_utf8 or try_validate_utf8."}

func validateRows(f *frame) {
	f.view(f.args[0], func(row int32, s []byte) (int, int) {
		if !utf8.Valid(s) {
			f.fail(row, ErrInvalidText)
		}
		return 0, len(s)
	})
}
