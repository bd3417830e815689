package decode

import (
	"bytes"
	"encoding/base64"
	"math"
	"unicode"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// value decodes the value at i into the field and returns the position after it, or -1.
func (d *JSON) value(f *field, s []byte, i int) int {
	if s[i] == 'n' {
		if i = d.word(s, i, "null"); i >= 0 {
			if !f.nullable {
				return d.fail(i-4, "a value is needed (NOT NULL), got null")
			}
			f.setNull(d.row)
		}
		return i
	}
	switch f.typ.Kind {
	case columnar.StringKind:
		return d.stringValue(f, s, i)
	case columnar.BigIntKind:
		if v, end := shortInteger(s, i); end > 0 {
			set(f, d.row, v)
			return end
		}
	case columnar.TimestampKind:
		return d.timestampValue(f, s, i)
	case columnar.BooleanKind:
		return d.booleanValue(f, s, i)
	case columnar.DateKind:
		return d.dateValue(f, s, i)
	case columnar.BinaryKind:
		return d.binaryValue(f, s, i)
	case columnar.TimestampNTZKind:
		return d.localValue(f, s, i)
	case columnar.ArrayKind, columnar.MapKind, columnar.StructKind:
		return d.nestedValue(f, s, i)
	}
	if s[i] == '"' {
		return d.quotedNumber(f, s, i)
	}
	var n number
	if !n.scan(s, i) || !d.numberValue(f, s, &n) {
		return d.failType(f, s, i)
	}
	return n.end
}

// numberValue stores a number if it fits the field.
func (d *JSON) numberValue(f *field, s []byte, n *number) bool {
	row := d.row
	switch f.typ.Kind {
	case columnar.DoubleKind:
		v, ok := n.double(s)
		set(f, row, v)
		return ok || d.lenient
	case columnar.FloatKind:
		v, ok := n.float(s)
		set(f, row, v)
		return ok || d.lenient
	case columnar.DecimalKind:
		v, ok := n.decimal(s, f.typ)
		set(f, row, v)
		return ok
	}
	v, ok := n.integer()
	if !ok {
		return false
	}
	switch f.typ.Kind {
	case columnar.TinyIntKind:
		set(f, row, int8(v))
		return v == int64(int8(v)) || d.lenient && v == int64(uint8(v))
	case columnar.SmallIntKind:
		set(f, row, int16(v))
		return v == int64(int16(v))
	case columnar.IntKind:
		set(f, row, int32(v))
		return v == int64(int32(v))
	}
	set(f, row, v)
	return true
}

// decimal is the unscaled value for a DECIMAL, rounded half up.
func (n *number) decimal(s []byte, t columnar.Type) (decimal128.Num, bool) {
	shift := int(t.Scale) + n.exponent
	if shift >= 0 && n.digits+shift <= 18 {
		v := int64(n.mantissa * tens[shift])
		if n.negative {
			v = -v
		}
		return decimal128.FromI64(v), n.digits+shift <= int(t.Precision)
	}
	v, err := sqltext.ParseDecimal(s[n.start:n.end], int(t.Precision), int(t.Scale))
	return v, err == nil
}

var tens = func() (p [19]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// quotedNumber takes a DECIMAL in quotes, and NaN and infinities for DOUBLE and FLOAT.
func (d *JSON) quotedNumber(f *field, s []byte, i int) int {
	text, end := d.quoted(s, i)
	if end < 0 {
		return -1
	}
	switch f.typ.Kind {
	case columnar.DecimalKind:
		v, err := sqltext.ParseDecimal(text, int(f.typ.Precision), int(f.typ.Scale))
		if err != nil {
			return d.failType(f, s, i)
		}
		set(f, d.row, v)
		return end
	case columnar.DoubleKind, columnar.FloatKind:
		v, ok := nonNumeric[string(text)]
		if !ok {
			return d.failType(f, s, i)
		}
		if f.typ.Kind == columnar.FloatKind {
			set(f, d.row, float32(v))
		} else {
			set(f, d.row, v)
		}
		return end
	}
	return d.failType(f, s, i)
}

// nonNumeric are the strings that Spark's JSON reader takes for a floating number.
var nonNumeric = map[string]float64{
	"NaN": math.NaN(), "Infinity": math.Inf(1), "+Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	"INF": math.Inf(1), "+INF": math.Inf(1), "-INF": math.Inf(-1),
}

// quoted returns the content of the string at i and the position after it, or -1.
func (d *JSON) quoted(s []byte, i int) (text []byte, after int) {
	end, escaped := d.scan(s, i+1)
	if end < 0 {
		return nil, -1
	}
	text = s[i+1 : end]
	if escaped {
		text = d.unescape(text)
	}
	return text, end + 1
}

// stringValue keeps the text of a value that is no string.
func (d *JSON) stringValue(f *field, s []byte, i int) int {
	if s[i] == '"' {
		if end := plain(s, i+1); end < len(s) && s[end] == '"' {
			f.put(s[i+1 : end])
			return end + 1
		}
		text, end := d.quoted(s, i)
		if end >= 0 {
			f.put(text)
		}
		return end
	}
	end := d.skip(s, i, 1)
	switch {
	case end >= 0 && d.lenient:
		text, _ := d.compact(nil, s, i)
		f.put(text)
	case end >= 0:
		f.put(s[i:end])
	}
	return end
}

func (d *JSON) booleanValue(f *field, s []byte, i int) int {
	switch {
	case len(s)-i >= 4 && string(s[i:i+4]) == "true":
		f.values[d.row/8] |= 1 << (d.row % 8)
		return i + 4
	case len(s)-i >= 5 && string(s[i:i+5]) == "false":
		return i + 5
	}
	return d.failType(f, s, i)
}

// timestampValue takes text as CAST does, or whole seconds since 1970.
func (d *JSON) timestampValue(f *field, s []byte, i int) int {
	if s[i] != '"' {
		return d.secondsValue(f, s, i)
	}
	if us, end := d.day.parse(s, i+1); end > 0 {
		set(f, d.row, us)
		return end
	}
	text, end := d.quoted(s, i)
	if end < 0 {
		return -1
	}
	us, ok := sqltext.ParseTimestamp(text)
	if !ok {
		return d.failType(f, s, i)
	}
	set(f, d.row, us)
	return end
}

// localValue takes a timestamp without a zone.
func (d *JSON) localValue(f *field, s []byte, i int) int {
	if s[i] != '"' {
		return d.failType(f, s, i)
	}
	text, end := d.quoted(s, i)
	if end < 0 {
		return -1
	}
	us, ok := sqltext.ParseTimestamp(text)
	if !ok || hasZone(text) {
		return d.failType(f, s, i)
	}
	set(f, d.row, us)
	return end
}

// hasZone reports whether the text of a timestamp ends in a zone: letters or an offset
// after the time.
func hasZone(text []byte) bool {
	clock := bytes.IndexByte(text, ':')
	if clock < 0 {
		return false
	}
	return bytes.ContainsFunc(text[clock:], func(r rune) bool { return r == '+' || r == '-' || unicode.IsLetter(r) })
}

func (d *JSON) secondsValue(f *field, s []byte, i int) int {
	var n number
	if !n.scan(s, i) {
		return d.failType(f, s, i)
	}
	v, ok := n.integer()
	if !ok || v > math.MaxInt64/sqltext.Second || v < math.MinInt64/sqltext.Second {
		return d.failType(f, s, i)
	}
	set(f, d.row, v*sqltext.Second)
	return n.end
}

func (d *JSON) dateValue(f *field, s []byte, i int) int {
	if s[i] != '"' {
		return d.failType(f, s, i)
	}
	text, end := d.quoted(s, i)
	if end < 0 {
		return -1
	}
	days, ok := sqltext.ParseDate(text)
	if !ok {
		return d.failType(f, s, i)
	}
	set(f, d.row, days)
	return end
}

func (d *JSON) binaryValue(f *field, s []byte, i int) int {
	if s[i] != '"' {
		return d.failType(f, s, i)
	}
	text, end := d.quoted(s, i)
	if end < 0 {
		return -1
	}
	f.reserve(base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(f.data[f.used:], text)
	if err != nil {
		return d.failType(f, s, i)
	}
	f.used += n
	return end
}
