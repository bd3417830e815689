package compute

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// numberTextFunctions read and print numbers by a format of 9 and 0.
var numberTextFunctions = []function{
	entry("to_number", "to_number(s, format)", "The DECIMAL that a text denotes in a format of 9, 0, ',', '.', '$', S, MI and PR.", "to_number('-12.5', 'S99.9')", 2, 2, bindToNumber),
	entry("try_to_number", "try_to_number(s, format)", "to_number, NULL where the text does not fit.", "try_to_number('x', '99')", 2, 2, bindTolerant(bindToNumber)),
	entry("to_char", "to_char(a, format)", "A number in a format of 9 and 0, a time in a pattern, or a BINARY in 'base64', 'hex' or 'utf-8'.", "to_char(12454, '99,999')", 2, 2, bindToChar),
	entry("to_varchar", "to_varchar(a, format)", "The same as to_char.", "to_varchar(12454, '99,999')", 2, 2, bindToChar),
}

// constantText returns the value of a constant STRING; null says that it is NULL.
func constantText(name string, e Expr) (text string, null bool, err error) {
	folded := Fold(e)
	if Literal(folded) && folded.Nullable() {
		return "", true, nil
	}
	text, ok := textLiteral(folded)
	if !ok {
		return "", false, mismatch("NON_FOLDABLE_INPUT", "%s: the format should be a constant STRING, got %s.", name, e)
	}
	return text, false, nil
}

func bindToNumber(name string, args []Expr) (Expr, error) {
	text, null, err := constantText(name, args[1])
	if err != nil || null {
		return typedNull(columnar.Decimal(10, 0)), err
	}
	format, err := parseNumberFormat(name, text)
	if err != nil {
		return nil, err
	}
	t, err := format.decimal(name)
	if err != nil {
		return nil, err
	}
	value, err := parameter(name, 0, args[0], columnar.String)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) { toNumberRows(f, format, text) }
	return &call{name: name, args: []Expr{value, args[1]}, typ: t, run: run}, nil
}

// toNumberRows fails for a text without digits even in try_to_number, as Spark does.
func toNumberRows(f *frame, format *numberFormat, text string) {
	out := slice[decimalValue](f.out)
	var digits []byte
	for _, i := range f.rows {
		s := f.args[0].bytesAt(i)
		var ok bool
		digits, ok = format.parse(digits[:0], s)
		switch {
		case !ok:
			f.fail(i, notOfFormat(s, text))
		case !bytes.ContainsAny(digits, "0123456789"):
			f.setNull(f.out, i)
			f.report(i, notOfFormat(s, text))
		default:
			out[i], _ = sqltext.ParseDecimal(digits, int(f.out.typ.Precision), int(f.out.typ.Scale))
		}
	}
}

func notOfFormat(s []byte, format string) error {
	return &EvalError{"INVALID_FORMAT.MISMATCH_INPUT", fmt.Sprintf("The text '%s' does not fit the format '%s'. Use `try_to_number` to return NULL instead.", clipped(s), format)}
}

// bindToChar chooses by the type of the value.
func bindToChar(name string, args []Expr) (Expr, error) {
	t := args[0].Type()
	switch t.Kind {
	case columnar.DateKind, columnar.TimestampKind, columnar.TimestampNTZKind:
		return bindDateFormat("date_format", args)
	case columnar.BinaryKind:
		return bindBinaryText(name, args)
	case columnar.NullKind:
		args = []Expr{typedNull(columnar.Decimal(maxDigits, 18)), args[1]}
	case columnar.StringKind:
		args = []Expr{implicit(args[0], columnar.Decimal(maxDigits, 18)), args[1]}
	default:
		if !t.Numeric() {
			return nil, unexpectedInput(name, 0, "DECIMAL", args[0])
		}
		args = []Expr{implicit(args[0], decimalFor(t)), args[1]}
	}
	text, null, err := constantText(name, args[1])
	if err != nil || null {
		return typedNull(columnar.String), err
	}
	format, err := parseNumberFormat(name, text)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) { toCharRows(f, format) }
	return &call{name: name, args: args, typ: columnar.String, run: run}, nil
}

func toCharRows(f *frame, format *numberFormat) {
	in, m, scale := slice[decimalValue](f.args[0]), f.args[0].mask(), int(f.args[0].typ.Scale)
	var scratch []byte
	for _, i := range f.rows {
		at, v := len(f.out.data), in[i&m]
		scratch = sqltext.AppendDecimal(scratch[:0], magnitude(v), scale)
		whole, fraction, _ := strings.Cut(string(scratch), ".")
		f.out.data = format.print(f.out.data, v.Sign() < 0, strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0"))
		f.close(f.out, i, at)
	}
}

// bindBinaryText prints a BINARY.
func bindBinaryText(name string, args []Expr) (Expr, error) {
	text, null, err := constantText(name, args[1])
	if err != nil || null {
		return nil, &TypeError{"NON_FOLDABLE_ARGUMENT", fmt.Sprintf("%s: the format of a BINARY should be a constant STRING, got %s.", name, args[1])}
	}
	switch strings.ToLower(text) {
	case "base64":
		return bindAppend(columnar.String, appendBase64, columnar.Binary)("base64", args[:1])
	case "hex":
		return bindHex("hex", args[:1])
	case "utf-8":
		return bindDecodeCharset("decode", []Expr{args[0], Text("UTF-8")})
	}
	return nil, &TypeError{"INVALID_PARAMETER_VALUE.BINARY_FORMAT", fmt.Sprintf("%s expects 'base64', 'hex' or 'utf-8' as the format of a BINARY, got '%s'.", name, clipped([]byte(text)))}
}
