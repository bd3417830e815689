package compute

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// decimalFormat is a pattern of Java's DecimalFormat: text around digits.
type decimalFormat struct {
	prefix, suffix         string
	minWhole               int
	minFraction, maxDigits int
	group                  int  // digits between commas; 0: no commas
	shift                  int  // the number is printed times 10^shift
	point                  bool // the point stands without decimals too
}

// plainFormat prints with commas and so many decimals.
func plainFormat(decimals int) *decimalFormat {
	return &decimalFormat{minWhole: 1, minFraction: decimals, maxDigits: decimals, group: 3}
}

// parseDecimalFormat reads a pattern; the empty one prints whole numbers with commas.
func parseDecimalFormat(pattern string) (*decimalFormat, error) {
	if pattern == "" {
		return plainFormat(0), nil
	}
	if strings.ContainsAny(pattern, ";'‰¤-") || strings.Contains(pattern, "0E") || strings.Contains(pattern, "#E") {
		return nil, &EvalError{"UNSUPPORTED_FEATURE", fmt.Sprintf("format_number knows the signs # 0 , . and %% around text, not '%s'; use format_string.", clipped([]byte(pattern)))}
	}
	from := strings.IndexAny(pattern, "#0,.")
	if from < 0 {
		from = len(pattern)
	}
	until := from + len(pattern[from:]) - len(strings.TrimLeft(pattern[from:], "#0,."))
	f := &decimalFormat{prefix: pattern[:from], suffix: pattern[until:]}
	if strings.ContainsAny(f.suffix, "#0,.") || !f.digits(pattern[from:until]) {
		return nil, &EvalError{"INVALID_PARAMETER_VALUE.PATTERN", fmt.Sprintf("format_number cannot read the pattern '%s'; use one such as '#,##0.00'.", clipped([]byte(pattern)))}
	}
	f.shift = 2 * strings.Count(f.prefix+f.suffix, "%")
	return f, nil
}

// digits reads the part of # 0 , and . ; zeros follow # before the point and precede it behind.
func (f *decimalFormat) digits(text string) bool {
	if text == "" {
		f.minWhole = 0
		return true
	}
	whole, fraction, point := strings.Cut(text, ".")
	if strings.ContainsAny(fraction, ".,") || len(fraction) > 340 {
		return false
	}
	if k := strings.LastIndexByte(whole, ','); k >= 0 {
		if f.group = len(whole) - k - 1; f.group == 0 {
			return false
		}
		whole = strings.ReplaceAll(whole, ",", "")
	}
	if strings.Contains(whole, "0#") || strings.Contains(fraction, "#0") || strings.Contains(whole, "0") && strings.Contains(whole[strings.Index(whole, "0"):], "#") {
		return false
	}
	f.point = point && fraction == ""
	f.minWhole, f.minFraction, f.maxDigits = strings.Count(whole, "0"), strings.Count(fraction, "0"), len(fraction)
	if f.minWhole == 0 && f.minFraction == 0 && point {
		if len(whole) > 0 {
			f.minWhole = 1
		} else {
			f.minFraction = min(1, len(fraction))
		}
	}
	return true
}

// append prints a number. Half of the last decimal goes to the even one, judged by the
// exact value.
func (f *decimalFormat) append(dst []byte, v *vector, row int32) []byte {
	i := row & v.mask()
	if isFloating(v.typ) {
		x := 0.0
		if v.typ == columnar.Float {
			x = float64(slice[float32](v)[i])
		} else {
			x = slice[float64](v)[i]
		}
		return f.appendFloat(dst, x)
	}
	scale := 0
	var text []byte
	if isDecimal(v.typ) {
		scale = int(v.typ.Scale)
		text = sqltext.AppendDecimal(nil, slice[decimalValue](v)[i], 0)
	} else {
		text = appendText(nil, v, row)
	}
	x, _ := new(big.Int).SetString(string(text), 10)
	return f.appendDigits(dst, x.Sign() < 0, f.rounded(x.Abs(x), scale-f.shift))
}

// rounded gives the digits of x / 10^scale with maxDigits decimals.
func (f *decimalFormat) rounded(x *big.Int, scale int) string {
	if up := f.maxDigits - scale; up >= 0 {
		return x.Mul(x, tenTo(up)).String()
	}
	unit := tenTo(scale - f.maxDigits)
	q := roundBig(x, unit, true)
	return q.Quo(q, unit).String()
}

func (f *decimalFormat) appendFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 0):
		if x < 0 {
			dst = append(dst, '-')
		}
		return append(append(append(dst, f.prefix...), "∞"...), f.suffix...)
	}
	if f.shift > 0 {
		x *= math.Pow10(f.shift)
	}
	return f.appendDigits(dst, math.Signbit(x), f.floatDigits(math.Abs(x)))
}

// floatDigits are the shortest digits that read back as x, with zeros behind them, or
// its exact value rounded where those are too many.
func (f *decimalFormat) floatDigits(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if missing := f.maxDigits - len(fraction); missing >= 0 {
		return whole + fraction + strings.Repeat("0", missing)
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', f.maxDigits, 64), ".", "", 1)
}

// appendDigits prints the digits of a number whose last maxDigits are decimals.
func (f *decimalFormat) appendDigits(dst []byte, negative bool, digits string) []byte {
	if missing := f.maxDigits + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, fraction := digits[:len(digits)-f.maxDigits], digits[len(digits)-f.maxDigits:]
	for len(fraction) > f.minFraction && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	whole = strings.TrimLeft(whole, "0")
	if missing := f.minWhole - len(whole); missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	if whole == "" && fraction == "" {
		whole = "0"
	}
	if negative {
		dst = append(dst, '-')
	}
	dst = append(dst, f.prefix...)
	for k := range len(whole) {
		if k > 0 && f.group > 0 && (len(whole)-k)%f.group == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, whole[k])
	}
	if fraction != "" || f.point {
		dst = append(append(dst, '.'), fraction...)
	}
	return append(dst, f.suffix...)
}

// bindFormatNumber takes decimals as INT, or a pattern as STRING.
func bindFormatNumber(name string, args []Expr) (Expr, error) {
	a := args[0]
	if a.Type() == columnar.Null {
		a = typedNull(columnar.Double)
	}
	if !a.Type().Numeric() {
		return nil, unexpectedInput(name, 0, "NUMERIC", a)
	}
	want, run := columnar.Int, formatDecimals
	switch args[1].Type().Kind {
	case columnar.StringKind:
		want, run = columnar.String, formatPatterns
	case columnar.NullKind, columnar.TinyIntKind, columnar.SmallIntKind, columnar.IntKind:
	default:
		return nil, unexpectedInput(name, 1, `("INT" or "STRING")`, args[1])
	}
	format, err := parameter(name, 1, args[1], want)
	if err != nil {
		return nil, err
	}
	return &call{name: name, args: []Expr{a, format}, typ: columnar.String, nullable: true, run: run}, nil
}

// mostDecimals bounds what format_number prints; a DOUBLE has no more.
const mostDecimals = 1100

func formatDecimals(f *frame) {
	for _, i := range f.rows {
		at, decimals := len(f.out.data), intAt(f.args[1], i)
		switch {
		case decimals < 0:
			f.setNull(f.out, i)
		case decimals > mostDecimals:
			f.fail(i, errTooLong)
		default:
			f.out.data = plainFormat(int(decimals)).append(f.out.data, f.args[0], i)
		}
		f.close(f.out, i, at)
	}
}

// formatPatterns reads a pattern again only where it differs from that of the row before.
func formatPatterns(f *frame) {
	var last []byte
	var format *decimalFormat
	var bad error
	for _, i := range f.rows {
		at, pattern := len(f.out.data), f.args[1].bytesAt(i)
		if format == nil && bad == nil || !bytes.Equal(pattern, last) {
			format, bad = parseDecimalFormat(string(pattern))
			last = pattern
		}
		if bad != nil {
			f.fail(i, bad)
		} else {
			f.out.data = format.append(f.out.data, f.args[0], i)
		}
		f.close(f.out, i, at)
	}
}
