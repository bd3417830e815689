package compute

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// append prints the arguments of a row to the output.
func (j *javaFormat) append(f *frame, row int32) error {
	for k := range j.parts {
		p := &j.parts[k]
		var body []byte
		var err error
		switch p.verb {
		case 0:
			f.out.data = append(f.out.data, p.text...)
			continue
		case 'n':
			body = []byte{'\n'}
		case '%':
			body = []byte{'%'}
		default:
			v := f.args[p.argument]
			if p.plain && !v.isNull(row) && (v.typ == columnar.String || v.typ.Integral()) {
				f.out.data = appendText(f.out.data, v, row)
				continue
			}
			body, err = p.body(v, row)
		}
		if err != nil {
			return err
		}
		f.out.data = p.justified(f.out.data, body)
	}
	return nil
}

// justified fills a body to the width, counted in UTF-16 units.
func (p *formatPart) justified(dst, body []byte) []byte {
	missing := p.width - utf16Units(body)
	if missing <= 0 {
		return append(dst, body...)
	}
	blanks := bytes.Repeat([]byte{' '}, missing)
	if p.has('-') {
		return append(append(dst, body...), blanks...)
	}
	return append(append(dst, blanks...), body...)
}

// body prints a value without its width, but with the zeros that fill it.
func (p *formatPart) body(v *vector, row int32) ([]byte, error) {
	if v.isNull(row) || v.typ == columnar.Null {
		if p.verb == 'b' {
			return p.limited("false"), nil
		}
		return p.limited("null"), nil
	}
	switch p.verb {
	case 'b':
		if v.typ == columnar.Boolean {
			return p.limited(strconv.FormatBool(v.data[row&v.mask()] != 0)), nil
		}
		return p.limited("true"), nil
	case 's':
		return p.limited(javaText(v, row)), nil
	case 'c':
		return p.character(v, row)
	case 'd', 'x', 'o':
		return p.integer(v, row)
	}
	return p.float(v, row)
}

// limited cuts a text to the precision and makes capitals of it if asked.
func (p *formatPart) limited(s string) []byte {
	b := []byte(s)
	if p.precision >= 0 {
		if at, inside := unitOffset(b, p.precision); inside {
			_, size := utf8.DecodeLastRune(b[:at])
			b = append(b[:at-size:at-size], '?') // Java prints half a character so
		} else {
			b = b[:at]
		}
	}
	if p.upper {
		b = appendUpper(nil, b)
	}
	return b
}

// javaText is what toString gives for the value inside Spark: days and microseconds for times.
func javaText(v *vector, row int32) string {
	switch {
	case v.typ == columnar.String, v.typ == columnar.Boolean, isFloating(v.typ):
		return string(appendText(nil, v, row))
	case isDecimal(v.typ):
		return bigDecimalText(slice[decimalValue](v)[row&v.mask()], int(v.typ.Scale))
	}
	n, _ := wholeAt(v, row)
	return strconv.FormatInt(n, 10)
}

// bigDecimalText has an exponent where more than six zeros would follow the point.
func bigDecimalText(v decimalValue, scale int) string {
	digits := strings.TrimPrefix(string(sqltext.AppendDecimal(nil, v, 0)), "-")
	exponent := len(digits) - 1 - scale
	if scale == 0 || exponent >= -6 {
		return string(sqltext.AppendDecimal(nil, v, scale))
	}
	text := digits[:1]
	if len(digits) > 1 {
		text += "." + digits[1:]
	}
	if v.Sign() < 0 {
		text = "-" + text
	}
	return text + "E" + strconv.Itoa(exponent)
}

// wholeAt reads a value that is an integer inside Spark, and its size in bits; 0 bits: it is none.
func wholeAt(v *vector, row int32) (n int64, bits int) {
	i := row & v.mask()
	if isFloating(v.typ) || isDecimal(v.typ) || v.typ == columnar.Boolean {
		return 0, 0
	}
	switch width(v.typ) {
	case 1:
		return int64(slice[int8](v)[i]), 8
	case 2:
		return int64(slice[int16](v)[i]), 16
	case 4:
		return int64(slice[int32](v)[i]), 32
	case 8:
		return slice[int64](v)[i], 64
	}
	return 0, 0
}

func (p *formatPart) wrong(v *vector) error {
	return badFormat("the conversion %c does not take %s; cast the argument", p.verb, v.typ)
}

func (p *formatPart) character(v *vector, row int32) ([]byte, error) {
	n, bits := wholeAt(v, row)
	if bits == 0 || bits == 64 || n < 0 || n > utf8.MaxRune {
		return nil, p.wrong(v)
	}
	return p.limited(string(utf8.AppendRune(nil, rune(n)))), nil
}

func (p *formatPart) integer(v *vector, row int32) ([]byte, error) {
	n, bits := wholeAt(v, row)
	if bits == 0 {
		return nil, p.wrong(v)
	}
	if p.verb == 'd' {
		digits := strings.TrimPrefix(strconv.FormatInt(n, 10), "-")
		return p.signed(n < 0, digits, ""), nil
	}
	if bytes.ContainsAny([]byte(p.flags), "+ (") {
		return nil, badFormat("the flags of %%%c do not take a sign", p.verb)
	}
	base, prefix := 16, "0x"
	if p.verb == 'o' {
		base, prefix = 8, "0"
	}
	if !p.has('#') {
		prefix = ""
	}
	digits := strconv.FormatUint(uint64(n)&(1<<bits-1), base)
	if missing := p.width - len(prefix) - len(digits); p.has('0') && missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return p.limited(prefix + digits), nil
}

// signed puts the sign, the commas and the zeros around the digits of a number.
func (p *formatPart) signed(negative bool, whole, rest string) []byte {
	sign, end := "", ""
	switch {
	case negative && p.has('('):
		sign, end = "(", ")"
	case negative:
		sign = "-"
	case p.has('+'):
		sign = "+"
	case p.has(' '):
		sign = " "
	}
	if p.has(',') {
		whole = commas(whole)
	}
	if missing := p.width - len(sign) - len(whole) - len(rest) - len(end); p.has('0') && missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	return []byte(sign + whole + rest + end)
}

func commas(digits string) string {
	out := make([]byte, 0, len(digits)*4/3)
	for k := range len(digits) {
		if k > 0 && (len(digits)-k)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[k])
	}
	return string(out)
}

func (p *formatPart) float(v *vector, row int32) ([]byte, error) {
	if !isFloating(v.typ) {
		return nil, p.wrong(v)
	}
	x := 0.0
	if v.typ == columnar.Float {
		x = float64(slice[float32](v)[row&v.mask()])
	} else {
		x = slice[float64](v)[row&v.mask()]
	}
	negative := math.Signbit(x)
	switch {
	case x != x:
		return p.capitals([]byte("NaN")), nil
	case math.IsInf(x, 0):
		plain := *p
		plain.flags = strings.NewReplacer("0", "", ",", "").Replace(p.flags)
		return p.capitals(plain.signed(negative, "Infinity", "")), nil
	}
	whole, rest := p.decimals(math.Abs(x))
	return p.capitals(p.signed(negative, whole, rest)), nil
}

func (p *formatPart) capitals(b []byte) []byte {
	if p.upper {
		return bytes.ToUpper(b)
	}
	return b
}

// decimals prints a number that is not negative: what stands before the point, and the rest.
func (p *formatPart) decimals(x float64) (whole, rest string) {
	precision := p.precision
	if precision < 0 {
		precision = 6
	}
	d := shortestDigits(x)
	switch p.verb {
	case 'f':
		return d.fixed(precision, p.has('#'))
	case 'e':
		return d.scientific(precision, p.has('#'))
	}
	precision = max(precision, 1)
	if x == 0 {
		return d.fixed(precision-1, false)
	}
	if rounded := d.rounded(precision); rounded.exponent < -4 || rounded.exponent >= precision {
		return d.scientific(precision-1, false)
	} else {
		return rounded.fixed(precision-1-rounded.exponent, false)
	}
}

// decimalDigits is d.ddd times 10^exponent.
type decimalDigits struct {
	digits   string
	exponent int
}

// shortestDigits are the fewest that read back as the number; Java rounds those, not the
// binary value.
func shortestDigits(x float64) decimalDigits {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	return decimalDigits{strings.Replace(mantissa, ".", "", 1), e}
}

// rounded keeps so many digits; half rounds up.
func (d decimalDigits) rounded(keep int) decimalDigits {
	if keep < 0 {
		return decimalDigits{"0", 0}
	}
	if keep >= len(d.digits) {
		return d
	}
	up := d.digits[keep] >= '5'
	digits := []byte(d.digits[:keep])
	for k := keep - 1; up && k >= 0; k-- {
		if up = digits[k] == '9'; up {
			digits[k] = '0'
		} else {
			digits[k]++
		}
	}
	if up {
		return decimalDigits{"1" + string(digits), d.exponent + 1}
	}
	return decimalDigits{string(digits), d.exponent}
}

func (d decimalDigits) fixed(precision int, point bool) (whole, rest string) {
	d = d.rounded(d.exponent + 1 + precision)
	digits := d.digits
	if d.exponent < 0 && digits != "" {
		digits = strings.Repeat("0", -d.exponent) + digits
	}
	before := max(d.exponent, 0) + 1
	if missing := before + precision - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	rest = digits[before : before+precision]
	if precision > 0 || point {
		rest = "." + rest
	}
	return digits[:before], rest
}

func (d decimalDigits) scientific(precision int, point bool) (whole, rest string) {
	d = d.rounded(precision + 1)
	digits := d.digits + strings.Repeat("0", max(0, precision+1-len(d.digits)))
	if precision > 0 || point {
		rest = "." + digits[1:precision+1]
	}
	sign, exponent := "+", d.exponent
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	text := strconv.Itoa(exponent)
	if len(text) < 2 {
		text = "0" + text
	}
	return digits[:1], rest + "e" + sign + text
}
