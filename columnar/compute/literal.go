package compute

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// literal is a constant; its vector is shared and never written.
type literal struct {
	typ   columnar.Type
	value *vector
}

func (l *literal) Type() columnar.Type              { return l.typ }
func (l *literal) Nullable() bool                   { return l.value.allNull() }
func (l *literal) inputs() []Expr                   { return nil }
func (l *literal) with([]Expr) Expr                 { return l }
func (l *literal) eval(*Evaluator, []int32) *vector { return l.value }

// Null is the bare NULL, which fits every type.
func Null() Expr { return typedNull(columnar.Null) }

func typedNull(t columnar.Type) Expr { return &literal{typ: t, value: constantNull(t)} }

// Bool is TRUE or FALSE.
func Bool(v bool) Expr { return fixedLiteral(columnar.Boolean, bit(v)) }

// Integer is a literal of an integral type that v fits.
func Integer(v int64, t columnar.Type) Expr {
	switch t.Kind {
	case columnar.TinyIntKind:
		return fixedLiteral(t, int8(v))
	case columnar.SmallIntKind:
		return fixedLiteral(t, int16(v))
	case columnar.IntKind:
		return fixedLiteral(t, int32(v))
	case columnar.BigIntKind:
		return fixedLiteral(t, v)
	}
	panic("compute: Integer of type " + t.String())
}

// Float64 is a DOUBLE.
func Float64(v float64) Expr { return fixedLiteral(columnar.Double, v) }

// Text is a STRING.
func Text(s string) Expr {
	return &literal{typ: columnar.String, value: constantBytes(columnar.String, []byte(s))}
}

// Bytes is a BINARY; b must not change afterwards.
func Bytes(b []byte) Expr {
	return &literal{typ: columnar.Binary, value: constantBytes(columnar.Binary, b)}
}

// DecimalText is the DECIMAL that plain digits denote, of the smallest precision and
// scale: 1.50 is DECIMAL(3,2). More than 38 digits are an error.
func DecimalText(digits string) (Expr, error) {
	d, precision, scale, err := sqltext.ParseDecimalLiteral(digits)
	if err != nil {
		return nil, &TypeError{Condition: "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", Message: fmt.Sprintf("%s is no DECIMAL of at most %d digits.", digits, columnar.MaxDecimalPrecision)}
	}
	return fixedLiteral(columnar.Decimal(precision, scale), d), nil
}

// DateValue is a DATE, in days since 1970-01-01.
func DateValue(days int32) Expr { return fixedLiteral(columnar.Date, days) }

// TimestampValue is a TIMESTAMP, in microseconds since 1970-01-01 UTC.
func TimestampValue(us int64) Expr { return fixedLiteral(columnar.Timestamp, us) }

// TimestampNTZValue is a TIMESTAMP_NTZ, in microseconds since 1970-01-01.
func TimestampNTZValue(us int64) Expr { return fixedLiteral(columnar.TimestampNTZ, us) }

// DayTimeValue is a day-time interval of type t, in microseconds.
func DayTimeValue(us int64, t columnar.Type) Expr { return fixedLiteral(t, us) }

// YearMonthValue is a year-month interval of type t, in months.
func YearMonthValue(months int32, t columnar.Type) Expr { return fixedLiteral(t, months) }

func fixedLiteral[T fixed](t columnar.Type, v T) Expr {
	return &literal{typ: t, value: constant(t, v)}
}

// Literal reports whether e is a constant.
func Literal(e Expr) bool {
	_, ok := e.(*literal)
	return ok
}

// ConstantText returns the value of a STRING that reads no column and is not NULL.
func ConstantText(e Expr) (string, bool) { return textLiteral(Fold(e)) }

// ConstantMap returns the entries of a MAP<STRING, STRING> that reads no column.
func ConstantMap(e Expr) (map[string]string, bool) {
	l, ok := Fold(e).(*literal)
	if !ok || l.typ != columnar.Map(columnar.String, columnar.String) || l.value.allNull() {
		return nil, false
	}
	out := map[string]string{}
	for k := l.value.start[0]; k < l.value.end[0]; k++ {
		out[string(l.value.kids[0].bytesAt(k))] = string(l.value.kids[1].bytesAt(k))
	}
	return out, true
}

// textLiteral returns the value of a STRING constant that is not NULL.
func textLiteral(e Expr) (string, bool) {
	l, ok := e.(*literal)
	if !ok || l.typ != columnar.String || l.value.allNull() {
		return "", false
	}
	return string(l.value.bytesAt(0)), true
}

// integerLiteral returns the value of a constant integer that is not NULL.
func integerLiteral(e Expr) (int64, bool) {
	l, ok := e.(*literal)
	if !ok || !l.typ.Integral() || l.value.allNull() {
		return 0, false
	}
	return integerAt(l.value), true
}

// integerAt reads the value of a constant of an integral type.
func integerAt(v *vector) int64 {
	switch v.typ.Kind {
	case columnar.TinyIntKind:
		return int64(slice[int8](v)[0])
	case columnar.SmallIntKind:
		return int64(slice[int16](v)[0])
	case columnar.IntKind:
		return int64(slice[int32](v)[0])
	}
	return slice[int64](v)[0]
}

// String prints the constant as SQL.
func (l *literal) String() string {
	if l.value.allNull() {
		if l.typ == columnar.Null {
			return "NULL"
		}
		return "CAST(NULL AS " + l.typ.String() + ")"
	}
	if l.typ.Nested() {
		return l.nestedText()
	}
	switch l.typ.Kind {
	case columnar.BooleanKind:
		return strings.ToUpper(strconv.FormatBool(slice[uint8](l.value)[0] != 0))
	case columnar.StringKind:
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(string(l.value.data)) + "'"
	case columnar.BinaryKind:
		return fmt.Sprintf("X'%X'", l.value.data)
	case columnar.DateKind, columnar.TimestampKind, columnar.TimestampNTZKind:
		return l.typ.String() + " '" + string(appendText(nil, l.value, 0)) + "'"
	case columnar.DoubleKind:
		return string(appendText(nil, l.value, 0)) + "D"
	}
	return string(appendText(nil, l.value, 0))
}

// nestedText prints a constant as the call that makes it.
func (l *literal) nestedText() string {
	var parts []string
	v := l.value
	switch l.typ.Kind {
	case columnar.StructKind:
		for k, f := range l.typ.Parts() {
			parts = append(parts, Text(f.Name).String(), partText(v.kids[k], 0))
		}
		return "named_struct(" + strings.Join(parts, ", ") + ")"
	case columnar.MapKind:
		for k := v.start[0]; k < v.end[0]; k++ {
			parts = append(parts, partText(v.kids[0], k), partText(v.kids[1], k))
		}
		return "map(" + strings.Join(parts, ", ") + ")"
	}
	for k := v.start[0]; k < v.end[0]; k++ {
		parts = append(parts, partText(v.kids[0], k))
	}
	return "array(" + strings.Join(parts, ", ") + ")"
}

// partText prints value row of a part of a constant.
func partText(v *vector, row int32) string {
	one := grown(v.typ)
	one.push(v, row)
	return (&literal{typ: v.typ, value: single(one)}).String()
}
