package compute

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// literal is a constant: a vector of one value.
type literal struct {
	v *vector
}

func constant(t columnar.Type) *literal {
	v := newVector(t, 1)
	v.mask = 0
	return &literal{v}
}

// Null is the untyped NULL.
func Null() Expr { return constant(columnar.Null) }

func typedNull(t columnar.Type) Expr {
	l := constant(t)
	l.v.nulls = []bool{true}
	return l
}

// Bool is TRUE or FALSE.
func Bool(v bool) Expr { l := constant(columnar.Boolean); l.v.bools[0] = v; return l }

// Integer is a number of an integral type, which it must fit.
func Integer(v int64, t columnar.Type) Expr { l := constant(t); l.v.ints[0] = v; return l }

// Float64 is a DOUBLE.
func Float64(v float64) Expr { l := constant(columnar.Double); l.v.floats[0] = v; return l }

// Text is a STRING.
func Text(s string) Expr { l := constant(columnar.String); l.v.texts[0] = s; return l }

// Bytes is a BINARY.
func Bytes(b []byte) Expr { l := constant(columnar.Binary); l.v.texts[0] = string(b); return l }

// DateValue is a DATE, in days since 1970.
func DateValue(days int32) Expr { return Integer(int64(days), columnar.Date) }

// TimestampValue is a TIMESTAMP, in microseconds since 1970.
func TimestampValue(us int64) Expr { return Integer(us, columnar.Timestamp) }

// DecimalText is a DECIMAL just wide enough for its digits: 1.50 is DECIMAL(3,2).
func DecimalText(digits string) (Expr, error) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(digits, "-"), ".")
	whole = strings.TrimLeft(whole, "0")
	precision := max(1, len(whole)+len(fraction))
	if precision > columnar.MaxDecimalPrecision {
		return nil, &TypeError{Condition: "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", Message: "a DECIMAL has at most 38 digits, and " + digits + " has " + strconv.Itoa(precision)}
	}
	l := constant(columnar.Decimal(precision, len(fraction)))
	v, ok := columnar.ParseDecimal([]byte(digits), l.v.typ)
	if !ok {
		return nil, &TypeError{Condition: "INVALID_NUMERIC_LITERAL_RANGE", Message: digits + " is not a DECIMAL"}
	}
	l.v.decimals[0] = v
	return l, nil
}

// Literal reports whether e is a constant.
func Literal(e Expr) bool { _, ok := e.(*literal); return ok }

func (l *literal) Type() columnar.Type              { return l.v.typ }
func (l *literal) Nullable() bool                   { return l.v.isNull(0) }
func (l *literal) inputs() []Expr                   { return nil }
func (l *literal) with([]Expr) Expr                 { return l }
func (l *literal) eval(*Evaluator, []int32) *vector { return l.v }

func (l *literal) String() string {
	v := l.v
	switch {
	case v.isNull(0):
		return "NULL"
	case v.typ == columnar.Boolean:
		return strconv.FormatBool(v.bools[0])
	case isFloating(v.typ):
		return formatFloat(v.floats[0], v.typ)
	case isDecimal(v.typ):
		return formatDecimal(v.decimals[0], v.typ)
	case v.typ == columnar.String:
		return "'" + strings.ReplaceAll(strings.ReplaceAll(v.texts[0], `\`, `\\`), "'", `\'`) + "'"
	case v.typ == columnar.Binary:
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(v.texts[0]))) + "'"
	case v.typ == columnar.Date:
		return "DATE '" + string(columnar.AppendDateText(nil, v.ints[0])) + "'"
	case v.typ == columnar.Timestamp:
		return "TIMESTAMP '" + string(columnar.AppendTimestampText(nil, v.ints[0])) + "'"
	}
	return strconv.FormatInt(v.ints[0], 10)
}

func formatDecimal(n decimal128.Num, t columnar.Type) string {
	return string(columnar.AppendDecimal(nil, n.BigInt(), int(t.Scale)))
}

// formatFloat prints as Java's Double.toString and Float.toString do: "1.0", "1.0E10", "NaN".
func formatFloat(v float64, t columnar.Type) string {
	bits := 64
	if t.Kind == columnar.FloatKind {
		bits = 32
	}
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0 || abs >= 1e-3 && abs < 1e7:
		text := strconv.FormatFloat(v, 'f', -1, bits)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, bits), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}
