package planner

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

func (b *binder) literal(n *literal) compute.Expr {
	switch n.kind {
	case boolLiteral:
		return compute.Bool(n.text == "true")
	case numberLiteral:
		return b.number(n)
	case stringLiteral:
		return compute.Text(n.text)
	case bytesLiteral:
		return b.bytes(n)
	case dateLiteral:
		return b.typed(n, columnar.Date)
	case timestampLiteral:
		return b.typed(n, columnar.Timestamp)
	case timestampNTZLiteral:
		return b.typed(n, columnar.TimestampNTZ)
	}
	return compute.Null()
}

func (b *binder) bytes(n *literal) compute.Expr {
	value, err := hex.DecodeString(n.text)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	return compute.Bytes(value)
}

// typed binds DATE '...' and TIMESTAMP '...', whose text has to be valid.
func (b *binder) typed(n *literal, t columnar.Type) compute.Expr {
	e, err := compute.Cast(compute.Text(n.text), t, false)
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	if e = compute.Fold(e); !compute.Literal(e) {
		b.fail(n.start, "INVALID_TYPED_LITERAL", fmt.Sprintf("'%s' is not a %s", n.text, t), "write "+typedExample[t])
		return nil
	}
	return e
}

var typedExample = map[columnar.Type]string{
	columnar.Date:      "DATE '2026-01-31'",
	columnar.Timestamp: "TIMESTAMP '2026-01-31 12:30:00'",

	columnar.TimestampNTZ: "TIMESTAMP_NTZ '2026-01-31 12:30:00'",
}

// numberSuffix splits 10L into 10 and L.
func numberSuffix(text string) (digits, suffix string) {
	end := len(text)
	for end > 0 && !isDigit(text[end-1]) && text[end-1] != '.' {
		end--
	}
	return text[:end], strings.ToUpper(text[end:])
}

// integralSuffixes are the suffixes that give an integer its type.
var integralSuffixes = map[string]struct {
	typ  columnar.Type
	bits int
}{"Y": {columnar.TinyInt, 8}, "S": {columnar.SmallInt, 16}, "L": {columnar.BigInt, 64}}

// number types a numeric literal as Spark does.
func (b *binder) number(n *literal) compute.Expr {
	digits, suffix := numberSuffix(n.text)
	if s, ok := integralSuffixes[suffix]; ok {
		return b.integral(n, digits, s.typ, s.bits)
	}
	exponent := strings.ContainsAny(digits, "eE")
	switch {
	case suffix == "F":
		return b.double(n, digits, columnar.Float)
	case suffix == "D", suffix == "" && exponent:
		return b.double(n, digits, columnar.Double)
	case suffix == "BD" && exponent:
		return b.plainDecimal(n, digits)
	case suffix == "" && !strings.Contains(digits, "."):
		if v, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return compute.Integer(v, intOrBigInt(v))
		}
	}
	return b.decimal(n, digits)
}

func intOrBigInt(v int64) columnar.Type {
	if v >= math.MinInt32 && v <= math.MaxInt32 {
		return columnar.Int
	}
	return columnar.BigInt
}

func (b *binder) integral(n *literal, digits string, t columnar.Type, bits int) compute.Expr {
	v, err := strconv.ParseInt(digits, 10, bits)
	if err == nil {
		return compute.Integer(v, t)
	}
	if strings.ContainsAny(digits, ".eE") {
		b.fail(n.start, "PARSE_SYNTAX_ERROR", n.text+" is not a number", t.String()+" literals have no fraction and no exponent")
		return nil
	}
	b.outOfRange(n, t)
	return nil
}

func (b *binder) outOfRange(n *literal, t columnar.Type) {
	b.fail(n.start, "INVALID_NUMERIC_LITERAL_RANGE", "the literal "+n.text+" is outside the range of "+t.String(), "")
}

func (b *binder) double(n *literal, digits string, t columnar.Type) compute.Expr {
	bits := 64
	if t == columnar.Float {
		bits = 32
	}
	v, err := strconv.ParseFloat(digits, bits)
	if err != nil {
		b.outOfRange(n, t)
		return nil
	}
	e := b.cast(n, compute.Float64(v), t)
	if e == nil {
		return nil
	}
	return compute.Fold(e)
}

func (b *binder) decimal(n *literal, digits string) compute.Expr {
	e, err := compute.DecimalText(wholeDigits(digits))
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	return e
}

// wholeDigits writes the digits that .5 and 1. leave out.
func wholeDigits(digits string) string {
	digits = strings.TrimSuffix(digits, ".")
	unsigned := strings.TrimPrefix(digits, "-")
	if strings.HasPrefix(unsigned, ".") {
		return digits[:len(digits)-len(unsigned)] + "0" + unsigned
	}
	return digits
}

// plainDecimal binds a decimal with an exponent, 1.5e3BD, written out in digits.
func (b *binder) plainDecimal(n *literal, digits string) compute.Expr {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	shift, err := strconv.Atoi(exponent)
	if err != nil || shift > columnar.MaxDecimalPrecision || shift < -columnar.MaxDecimalPrecision {
		b.outOfRange(n, columnar.Decimal(columnar.MaxDecimalPrecision, 0))
		return nil
	}
	return b.decimal(n, movePoint(mantissa, shift))
}

// movePoint multiplies plain decimal text by ten to the power of shift.
func movePoint(text string, shift int) string {
	unsigned := strings.TrimPrefix(text, "-")
	sign := text[:len(text)-len(unsigned)]
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits, point := whole+fraction, len(whole)+shift
	if point <= 0 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if point >= len(digits) {
		return sign + digits + strings.Repeat("0", point-len(digits))
	}
	return sign + digits[:point] + "." + digits[point:]
}
