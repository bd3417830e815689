package compute

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// castKernel returns the conversion between two types that castable allows.
func castKernel(from, to columnar.Type) kernel {
	if from.Nested() {
		return castNested(to)
	}
	switch to.Kind {
	case columnar.BooleanKind:
		return castToBoolean(from)
	case columnar.TinyIntKind:
		return castToInteger[int8](from, to)
	case columnar.SmallIntKind:
		return castToInteger[int16](from, to)
	case columnar.IntKind:
		return castToInteger[int32](from, to)
	case columnar.BigIntKind:
		return castToInteger[int64](from, to)
	case columnar.FloatKind:
		return castToFloat[float32](from, to)
	case columnar.DoubleKind:
		return castToFloat[float64](from, to)
	case columnar.DecimalKind:
		return castToDecimal(from, to)
	case columnar.StringKind:
		return castToString(from)
	case columnar.BinaryKind:
		return shareBytes
	case columnar.DateKind:
		return castToDate(from)
	case columnar.TimestampNTZKind:
		return castToTimestampNTZ(from)
	case columnar.DayTimeIntervalKind:
		return castToDayTime(from, to)
	case columnar.YearMonthIntervalKind:
		return castToYearMonth(from, to)
	}
	return castToTimestamp(from)
}

func malformed(value []byte, to columnar.Type) error {
	return &EvalError{"CAST_INVALID_INPUT", fmt.Sprintf("The value '%s' of the type STRING cannot be cast to %s because it is malformed. Correct the value, or use `try_cast` to tolerate malformed input and return NULL instead.", clipped(value), to)}
}

func castOverflow(v *vector, row int32, to columnar.Type) error {
	return &EvalError{"CAST_OVERFLOW", fmt.Sprintf("The value %s of the type %s cannot be cast to %s due to an overflow. Use `try_cast` to tolerate overflow and return NULL instead.", appendText(nil, v, row), v.typ, to)}
}

// clipped keeps messages short.
func clipped(value []byte) []byte {
	const most = 64
	if len(value) > most {
		return append(value[:most:most], "..."...)
	}
	return value
}

// convert loops over fixed-width values; a false result fails the row with what err says.
func convert[F, T fixed](f *frame, one func(F) (T, bool), err func(v *vector, row int32) error) {
	in, m, out := slice[F](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		v, ok := one(in[i&m])
		if !ok {
			f.fail(i, err(f.args[0], i))
			continue
		}
		out[i] = v
	}
}

// parse loops over strings.
func parse[T fixed](f *frame, to columnar.Type, one func([]byte) (T, bool)) {
	out := slice[T](f.out)
	for _, i := range f.rows {
		text := f.args[0].bytesAt(i)
		v, ok := one(text)
		if !ok {
			f.fail(i, malformed(text, to))
			continue
		}
		out[i] = v
	}
}

func castToInteger[T signed](from, to columnar.Type) kernel {
	tooBig := func(v *vector, row int32) error { return castOverflow(v, row, to) }
	switch from.Kind {
	case columnar.BooleanKind:
		return widenIntegers[uint8, T]
	case columnar.TinyIntKind:
		return integerToInteger[int8, T](tooBig)
	case columnar.SmallIntKind:
		return integerToInteger[int16, T](tooBig)
	case columnar.IntKind:
		return integerToInteger[int32, T](tooBig)
	case columnar.BigIntKind:
		return integerToInteger[int64, T](tooBig)
	case columnar.TimestampKind:
		return func(f *frame) { convert(f, secondsAs[T], tooBig) }
	case columnar.FloatKind:
		return func(f *frame) { convert(f, truncated[float32, T], tooBig) }
	case columnar.DoubleKind:
		return func(f *frame) { convert(f, truncated[float64, T], tooBig) }
	case columnar.DecimalKind:
		return func(f *frame) { convert(f, decimalTo[T](from), tooBig) }
	case columnar.DayTimeIntervalKind:
		return func(f *frame) { convert(f, unitsOf[int64, T](dayTimeUnit(from)), tooBig) }
	case columnar.YearMonthIntervalKind:
		return func(f *frame) { convert(f, unitsOf[int32, T](yearMonthUnit(from)), tooBig) }
	}
	return func(f *frame) {
		parse(f, to, func(s []byte) (T, bool) {
			v, ok := sqltext.ParseInt(s)
			return T(v), ok && int64(T(v)) == v
		})
	}
}

func widenIntegers[F integer, T signed](f *frame) {
	in, m, out := slice[F](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = T(in[i&m])
	}
}

func integerToInteger[F, T signed](tooBig func(*vector, int32) error) kernel {
	var narrow F
	var wide T
	if unsafe.Sizeof(wide) >= unsafe.Sizeof(narrow) {
		return widenIntegers[F, T]
	}
	return func(f *frame) {
		convert(f, func(v F) (T, bool) { return T(v), F(T(v)) == v }, tooBig)
	}
}

func secondsAs[T signed](us int64) (T, bool) {
	s := us / sqltext.Second
	if us%sqltext.Second < 0 {
		s--
	}
	return T(s), int64(T(s)) == s
}

// truncated follows Java: the bounds themselves are compared as floating numbers, and
// 2^63 becomes the largest BIGINT.
func truncated[F float, T signed](v F) (T, bool) {
	x := float64(v)
	bound := math.Ldexp(1, int(unsafe.Sizeof(T(0)))*8-1)
	if unsafe.Sizeof(T(0)) == 8 {
		if x == bound {
			most := int64(math.MaxInt64)
			return T(most), true
		}
		return T(x), x >= -bound && x < bound
	}
	return T(int64(x)), math.Floor(x) <= bound-1 && math.Ceil(x) >= -bound
}

func decimalTo[T signed](from columnar.Type) func(decimalValue) (T, bool) {
	ten := decimal128.GetScaleMultiplier(int(from.Scale))
	return func(v decimalValue) (T, bool) {
		q, _ := divide(v, ten)
		n := int64(q.LowBits())
		return T(n), q.HighBits() == n>>63 && int64(T(n)) == n
	}
}

func castToFloat[T float](from, to columnar.Type) kernel {
	switch from.Kind {
	case columnar.BooleanKind:
		return toFloat[uint8, T]
	case columnar.TinyIntKind:
		return toFloat[int8, T]
	case columnar.SmallIntKind:
		return toFloat[int16, T]
	case columnar.IntKind:
		return toFloat[int32, T]
	case columnar.BigIntKind:
		return toFloat[int64, T]
	case columnar.FloatKind:
		return toFloat[float32, T]
	case columnar.DoubleKind:
		return toFloat[float64, T]
	case columnar.TimestampKind:
		return func(f *frame) {
			convert(f, func(us int64) (T, bool) { return T(float64(us) / sqltext.Second), true }, nil)
		}
	case columnar.DecimalKind:
		return func(f *frame) {
			convert(f, func(v decimalValue) (T, bool) { return T(decimalFloat(v, int(from.Scale), sizeBits[T]())), true }, nil)
		}
	}
	return func(f *frame) {
		parse(f, to, func(s []byte) (T, bool) {
			v, ok := sqltext.ParseFloat(s, sizeBits[T]())
			return T(v), ok
		})
	}
}

func sizeBits[T float]() int { return int(unsafe.Sizeof(T(0))) * 8 }

func toFloat[F integer | float, T float](f *frame) {
	in, m, out := slice[F](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = T(in[i&m])
	}
}

// decimalFloat is the nearest floating number: one exact division where that is
// possible, else by way of the digits.
func decimalFloat(v decimalValue, scale, bits int) float64 {
	n := int64(v.LowBits())
	if v.HighBits() == n>>63 && n < 1<<53 && n > -1<<53 && scale <= 22 && bits == 64 {
		return float64(n) / powers[scale]
	}
	var scratch [64]byte
	x, _ := strconv.ParseFloat(string(sqltext.AppendDecimal(scratch[:0], v, scale)), bits)
	return x
}

var powers = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

func castToBoolean(from columnar.Type) kernel {
	switch from.Kind {
	case columnar.TinyIntKind:
		return nonZero[int8]
	case columnar.SmallIntKind:
		return nonZero[int16]
	case columnar.IntKind:
		return nonZero[int32]
	case columnar.BigIntKind:
		return nonZero[int64]
	case columnar.FloatKind:
		return nonZero[float32]
	case columnar.DoubleKind:
		return nonZero[float64]
	case columnar.DecimalKind:
		return nonZero[decimalValue]
	}
	return func(f *frame) {
		parse(f, columnar.Boolean, func(s []byte) (uint8, bool) {
			v, ok := sqltext.ParseBool(s)
			return bit(v), ok
		})
	}
}

func nonZero[T fixed](f *frame) {
	var zero T
	in, m := slice[T](f.args[0]), f.args[0].mask()
	for _, i := range f.rows {
		f.out.data[i] = bit(in[i&m] != zero)
	}
}

// fromSeconds saturates, as Spark does.
func fromSeconds[T signed](v T) (int64, bool) {
	s := int64(v)
	switch {
	case s > math.MaxInt64/sqltext.Second:
		return math.MaxInt64, true
	case s < math.MinInt64/sqltext.Second:
		return math.MinInt64, true
	}
	return s * sqltext.Second, true
}

func fromFloatSeconds[T float](v T) (int64, bool) {
	return truncated[float64, int64](float64(v) * sqltext.Second)
}

func floatNoTime(v *vector, row int32) error {
	text := appendText(nil, v, row)
	if last := text[len(text)-1]; last == 'N' || last == 'y' {
		return &EvalError{"CAST_INVALID_INPUT", fmt.Sprintf("The value %s of the type %s cannot be cast to TIMESTAMP. Use `try_cast` to return NULL instead.", text, v.typ)}
	}
	return castOverflow(v, row, columnar.Timestamp)
}

func castToDecimal(from, to columnar.Type) kernel {
	tooBig := func(v *vector, row int32) error { return outOfRange(string(appendText(nil, v, row)), to) }
	switch from.Kind {
	case columnar.BooleanKind:
		return func(f *frame) { convert(f, integerToDecimal[uint8](to), tooBig) }
	case columnar.TinyIntKind:
		return func(f *frame) { convert(f, integerToDecimal[int8](to), tooBig) }
	case columnar.SmallIntKind:
		return func(f *frame) { convert(f, integerToDecimal[int16](to), tooBig) }
	case columnar.IntKind:
		return func(f *frame) { convert(f, integerToDecimal[int32](to), tooBig) }
	case columnar.BigIntKind:
		return func(f *frame) { convert(f, integerToDecimal[int64](to), tooBig) }
	case columnar.FloatKind:
		return floatToDecimal[float32](to, tooBig)
	case columnar.DoubleKind:
		return floatToDecimal[float64](to, tooBig)
	case columnar.TimestampKind:
		return func(f *frame) {
			convert(f, func(us int64) (decimalValue, bool) { return decimalOfFloat(float64(us)/sqltext.Second, to) }, tooBig)
		}
	case columnar.DecimalKind:
		return func(f *frame) {
			convert(f, func(v decimalValue) (decimalValue, bool) { return rescale(v, from, to) }, tooBig)
		}
	case columnar.DayTimeIntervalKind:
		return func(f *frame) { convert(f, dayTimeDecimal(from, to), tooBig) }
	case columnar.YearMonthIntervalKind:
		return func(f *frame) {
			whole, unit := columnar.Decimal(maxDigits, 0), yearMonthUnit(from)
			convert(f, func(v int32) (decimalValue, bool) { return rescale(decimal128.FromI64(int64(v/unit)), whole, to) }, tooBig)
		}
	}
	return func(f *frame) { stringToDecimal(f, to) }
}

func integerToDecimal[T integer](to columnar.Type) func(T) (decimalValue, bool) {
	whole := columnar.Decimal(maxDigits, 0)
	return func(v T) (decimalValue, bool) { return rescale(decimal128.FromI64(int64(v)), whole, to) }
}

// floatToDecimal takes the digits that the number prints with. NaN and
// infinities have none: NULL, as in Spark.
func floatToDecimal[T float](to columnar.Type, tooBig func(*vector, int32) error) kernel {
	return func(f *frame) {
		in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[decimalValue](f.out)
		for _, i := range f.rows {
			x := float64(in[i&m])
			if math.IsNaN(x) || math.IsInf(x, 0) {
				f.setNull(f.out, i)
				continue
			}
			v, ok := decimalOfFloat(x, to)
			if !ok {
				f.fail(i, tooBig(f.args[0], i))
				continue
			}
			out[i] = v
		}
	}
}

func decimalOfFloat(x float64, to columnar.Type) (decimalValue, bool) {
	var scratch [32]byte
	v, err := sqltext.ParseDecimal(sqltext.AppendFloat(scratch[:0], x, 64), int(to.Precision), int(to.Scale))
	return v, err == nil
}

func stringToDecimal(f *frame, to columnar.Type) {
	out := slice[decimalValue](f.out)
	for _, i := range f.rows {
		text := f.args[0].bytesAt(i)
		v, err := sqltext.ParseDecimal(sqltext.Trim(text), int(to.Precision), int(to.Scale))
		if err == sqltext.ErrSyntax {
			if plain, ok := sqltext.PlainDigits(sqltext.Trim(text)); ok {
				v, err = sqltext.ParseDecimal(plain, int(to.Precision), int(to.Scale))
			}
		}
		switch err {
		case nil:
			out[i] = v
		case sqltext.ErrRange:
			f.fail(i, outOfRange(string(clipped(text)), to))
		default:
			f.fail(i, malformed(text, to))
		}
	}
}

// castToString shares the bytes of a BINARY and prints everything else.
func castToString(from columnar.Type) kernel {
	if from == columnar.Binary {
		return shareBytes
	}
	return func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			f.out.data = appendText(f.out.data, f.args[0], i)
			f.close(f.out, i, at)
		}
	}
}

// shareBytes views the values of the argument without copying.
func shareBytes(f *frame) {
	in := f.args[0]
	m := in.mask()
	f.out.data = in.data
	for _, i := range f.rows {
		f.out.start[i], f.out.end[i] = in.start[i&m], in.end[i&m]
	}
}

// appendText prints a value that is not NULL as CAST to STRING does.
func appendText(dst []byte, v *vector, row int32) []byte {
	if v.typ.Nested() {
		return appendNestedText(dst, v, row)
	}
	i := row & v.mask()
	switch v.typ.Kind {
	case columnar.BooleanKind:
		return strconv.AppendBool(dst, v.data[i] != 0)
	case columnar.TinyIntKind:
		return strconv.AppendInt(dst, int64(slice[int8](v)[i]), 10)
	case columnar.SmallIntKind:
		return strconv.AppendInt(dst, int64(slice[int16](v)[i]), 10)
	case columnar.IntKind:
		return strconv.AppendInt(dst, int64(slice[int32](v)[i]), 10)
	case columnar.BigIntKind:
		return strconv.AppendInt(dst, slice[int64](v)[i], 10)
	case columnar.FloatKind:
		return sqltext.AppendFloat(dst, float64(slice[float32](v)[i]), 32)
	case columnar.DoubleKind:
		return sqltext.AppendFloat(dst, slice[float64](v)[i], 64)
	case columnar.DecimalKind:
		return sqltext.AppendDecimal(dst, slice[decimalValue](v)[i], int(v.typ.Scale))
	case columnar.DateKind:
		return sqltext.AppendDate(dst, int64(slice[int32](v)[i]))
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		return sqltext.AppendTimestamp(dst, slice[int64](v)[i])
	case columnar.DayTimeIntervalKind:
		return sqltext.AppendDayTime(dst, slice[int64](v)[i], v.typ.Precision, v.typ.Scale)
	case columnar.YearMonthIntervalKind:
		return sqltext.AppendYearMonth(dst, slice[int32](v)[i], v.typ.Precision, v.typ.Scale)
	}
	return append(dst, v.bytesAt(row)...)
}
