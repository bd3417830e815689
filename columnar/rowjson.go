package columnar

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// AppendRowJSON appends a row as a JSON object, columns in schema order.
func AppendRowJSON(dst []byte, b *Batch, row int) []byte {
	dst = append(dst, '{')
	for i, f := range b.schema.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, f.Name), ':')
		dst = AppendValueJSON(dst, b.cols[i], row)
	}
	return append(dst, '}')
}

// AppendValueJSON appends a value as JSON: timestamps as RFC 3339 in UTC with milliseconds, or microseconds if there are
// any; decimals as strings with their scale; floats as the shortest number that reads back the same,
// or "NaN", "Infinity", "-Infinity"; binary as lower-case hex; intervals as SQL with all their
// units; a MAP as pairs, since its keys may be of any type: [["a",1]].
func AppendValueJSON(dst []byte, c Column, row int) []byte {
	if c.IsNull(row) {
		return append(dst, "null"...)
	}
	switch a := c.(type) {
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(row))
	case *array.Int8:
		return strconv.AppendInt(dst, int64(a.Value(row)), 10)
	case *array.Int16:
		return strconv.AppendInt(dst, int64(a.Value(row)), 10)
	case *array.Int32:
		return strconv.AppendInt(dst, int64(a.Value(row)), 10)
	case *array.Int64:
		return strconv.AppendInt(dst, a.Value(row), 10)
	case *array.Float32:
		return appendFloat(dst, float64(a.Value(row)), 32)
	case *array.Float64:
		return appendFloat(dst, a.Value(row), 64)
	case *array.Decimal128:
		v := a.Value(row)
		return append(AppendDecimal(append(dst, '"'), v.BigInt(), scaleOf(a)), '"')
	case *array.String:
		return appendString(dst, a.Value(row))
	case *array.Binary:
		return append(hex.AppendEncode(append(dst, '"'), a.Value(row)), '"')
	case *array.Date32:
		return append(appendDate(append(dst, '"'), int64(a.Value(row))), '"')
	case *array.Timestamp:
		return append(appendTimestamp(append(dst, '"'), int64(a.Value(row)), a.DataType().(*arrow.TimestampType).TimeZone != ""), '"')
	case *array.Duration:
		return append(sqltext.AppendDayTime(append(dst, '"'), int64(a.Value(row)), DayUnit, SecondUnit), '"')
	case *array.MonthInterval:
		return append(sqltext.AppendYearMonth(append(dst, '"'), int32(a.Value(row)), YearUnit, MonthUnit), '"')
	case *array.Map:
		return appendMap(dst, a, row)
	case *array.List:
		return appendList(dst, a, row)
	case *array.Struct:
		return appendStruct(dst, a, row)
	}
	return append(dst, "null"...)
}

func appendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e' // as JSON numbers are printed elsewhere (ECMAScript)
	}
	return strconv.AppendFloat(dst, v, format, -1, bits)
}

// AppendDecimal appends unscaled * 10^-scale in plain digits: "12.50".
func AppendDecimal(dst []byte, unscaled *big.Int, scale int) []byte {
	text := unscaled.Append(nil, 10)
	if text[0] == '-' {
		dst, text = append(dst, '-'), text[1:]
	}
	for len(text) <= scale {
		text = append([]byte{'0'}, text...)
	}
	dst = append(dst, text[:len(text)-scale]...)
	if scale > 0 {
		dst = append(append(dst, '.'), text[len(text)-scale:]...)
	}
	return dst
}

func appendDate(dst []byte, days int64) []byte {
	return time.Unix(days*86400, 0).UTC().AppendFormat(dst, "2006-01-02")
}

func appendTimestamp(dst []byte, micros int64, zoned bool) []byte {
	layout := "2006-01-02T15:04:05.000"
	if micros%1000 != 0 {
		layout = "2006-01-02T15:04:05.000000"
	}
	if zoned {
		layout += "Z"
	}
	return time.UnixMicro(micros).UTC().AppendFormat(dst, layout)
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Only what JSON demands is escaped.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}

func scaleOf(a *array.Decimal128) int { return int(a.DataType().(*arrow.Decimal128Type).Scale) }
