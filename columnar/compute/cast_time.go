package compute

import (
	"errors"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

func castToDate(from columnar.Type) kernel {
	if from == columnar.String {
		return func(f *frame) { parse(f, columnar.Date, sqltext.ParseDate) }
	}
	return func(f *frame) {
		convert(f, func(us int64) (int32, bool) {
			days, _ := sqltext.FloorDays(us)
			return int32(days), true
		}, nil)
	}
}

func castToTimestamp(from columnar.Type) kernel {
	tooBig := func(v *vector, row int32) error { return castOverflow(v, row, columnar.Timestamp) }
	switch from.Kind {
	case columnar.StringKind:
		return parseTimestamps
	case columnar.TimestampNTZKind:
		return copyFixed[int64]
	case columnar.DateKind:
		return func(f *frame) { convert(f, midnight, dateOverflow) }
	case columnar.TinyIntKind:
		return func(f *frame) { convert(f, fromSeconds[int8], tooBig) }
	case columnar.SmallIntKind:
		return func(f *frame) { convert(f, fromSeconds[int16], tooBig) }
	case columnar.IntKind:
		return func(f *frame) { convert(f, fromSeconds[int32], tooBig) }
	case columnar.BigIntKind:
		return func(f *frame) { convert(f, fromSeconds[int64], tooBig) }
	case columnar.FloatKind:
		return func(f *frame) { convert(f, fromFloatSeconds[float32], floatNoTime) }
	case columnar.DoubleKind:
		return func(f *frame) { convert(f, fromFloatSeconds[float64], floatNoTime) }
	}
	micros := columnar.Decimal(maxDigits, 6)
	return func(f *frame) {
		convert(f, func(v decimalValue) (int64, bool) {
			if from.Scale > 6 {
				v, _ = divide(v, decimal128.GetScaleMultiplier(int(from.Scale)-6))
				return int64(v.LowBits()), true
			}
			v, ok := rescale(v, from, micros)
			return int64(v.LowBits()), ok
		}, tooBig)
	}
}

// parseTimestamps completes text without a date with the day of the batch time.
func parseTimestamps(f *frame) {
	parse(f, columnar.Timestamp, func(s []byte) (int64, bool) {
		us, ok := sqltext.ParseTimestamp(s)
		if ok || len(s) == 0 {
			return us, ok
		}
		if _, clock := sqltext.ParseClock(s, 0); !clock {
			return 0, false
		}
		return sqltext.ParseClock(s, f.now())
	})
}

func castToTimestampNTZ(from columnar.Type) kernel {
	switch from.Kind {
	case columnar.StringKind:
		return func(f *frame) { parse(f, columnar.TimestampNTZ, sqltext.ParseTimestampNTZ) }
	case columnar.DateKind:
		return func(f *frame) { convert(f, midnight, dateOverflow) }
	}
	return copyFixed[int64]
}

func copyFixed[T fixed](f *frame) {
	in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		out[i] = in[i&m]
	}
}

func midnight(days int32) (int64, bool) {
	us := int64(days) * sqltext.Day
	return us, us/sqltext.Day == int64(days)
}

func dateOverflow(v *vector, row int32) error {
	return &EvalError{"ARITHMETIC_OVERFLOW", "long overflow: the DATE " + string(appendText(nil, v, row)) + " is no TIMESTAMP."}
}

// dayTimeUnit is the length of the last unit of a day-time interval in microseconds.
func dayTimeUnit(t columnar.Type) int64 { return sqltext.UnitMicros(t.Scale) }

// yearMonthUnit is the length of the last unit of a year-month interval in months.
func yearMonthUnit(t columnar.Type) int32 {
	if t.Scale == columnar.YearUnit {
		return 12
	}
	return 1
}

// unitsOf counts the whole units of an interval.
func unitsOf[F int32 | int64, T signed](unit F) func(F) (T, bool) {
	return func(v F) (T, bool) {
		n := int64(v / unit)
		return T(n), int64(T(n)) == n
	}
}

// dayTimeDecimal gives the whole last units of an interval, of seconds the fraction too.
func dayTimeDecimal(from, to columnar.Type) func(int64) (decimalValue, bool) {
	whole, unit := columnar.Decimal(maxDigits, 0), dayTimeUnit(from)
	if from.Scale == columnar.SecondUnit {
		whole, unit = columnar.Decimal(maxDigits, 6), 1
	}
	return func(v int64) (decimalValue, bool) { return rescale(decimal128.FromI64(v/unit), whole, to) }
}

func castToDayTime(from, to columnar.Type) kernel {
	tooBig := func(v *vector, row int32) error { return castOverflow(v, row, to) }
	unit := dayTimeUnit(to)
	switch from.Kind {
	case columnar.TinyIntKind:
		return func(f *frame) { convert(f, timesUnit[int8, int64](unit), tooBig) }
	case columnar.SmallIntKind:
		return func(f *frame) { convert(f, timesUnit[int16, int64](unit), tooBig) }
	case columnar.IntKind:
		return func(f *frame) { convert(f, timesUnit[int32, int64](unit), tooBig) }
	case columnar.BigIntKind:
		return func(f *frame) { convert(f, timesUnit[int64, int64](unit), tooBig) }
	case columnar.DecimalKind:
		return func(f *frame) { convert(f, decimalUnits[int64](from, unit), tooBig) }
	case columnar.DayTimeIntervalKind:
		if to.Scale >= from.Scale {
			return copyFixed[int64]
		}
		return func(f *frame) { convert(f, func(us int64) (int64, bool) { return us - us%unit, true }, nil) }
	}
	return parseIntervals(to, sqltext.ParseDayTime)
}

func castToYearMonth(from, to columnar.Type) kernel {
	tooBig := func(v *vector, row int32) error { return castOverflow(v, row, to) }
	unit := yearMonthUnit(to)
	switch from.Kind {
	case columnar.TinyIntKind:
		return func(f *frame) { convert(f, timesUnit[int8, int32](int64(unit)), tooBig) }
	case columnar.SmallIntKind:
		return func(f *frame) { convert(f, timesUnit[int16, int32](int64(unit)), tooBig) }
	case columnar.IntKind:
		return func(f *frame) { convert(f, timesUnit[int32, int32](int64(unit)), tooBig) }
	case columnar.BigIntKind:
		return func(f *frame) { convert(f, timesUnit[int64, int32](int64(unit)), tooBig) }
	case columnar.DecimalKind:
		return func(f *frame) { convert(f, decimalUnits[int32](from, int64(unit)), tooBig) }
	case columnar.YearMonthIntervalKind:
		return func(f *frame) {
			convert(f, func(months int32) (int32, bool) { return months - months%unit, true }, nil)
		}
	}
	return parseIntervals(to, sqltext.ParseYearMonth)
}

func timesUnit[F signed, T int32 | int64](unit int64) func(F) (T, bool) {
	return func(v F) (T, bool) {
		us := int64(v) * unit
		return T(us), us/unit == int64(v) && int64(T(us)) == us
	}
}

// decimalUnits is a number of units with the fraction that the interval can hold, half up.
func decimalUnits[T int32 | int64](from columnar.Type, unit int64) func(decimalValue) (T, bool) {
	size, scale := big.NewInt(unit), tenTo(int(from.Scale))
	return func(v decimalValue) (T, bool) {
		product := v.BigInt()
		product.Mul(product, size)
		n := roundedQuotient(product, scale)
		return T(n.Int64()), n.IsInt64() && int64(T(n.Int64())) == n.Int64()
	}
}

// parseIntervals loops over strings that hold an interval of type to.
func parseIntervals[T int32 | int64](to columnar.Type, one func(s []byte, first, last uint8) (T, error)) kernel {
	months := to.Kind == columnar.YearMonthIntervalKind
	return func(f *frame) {
		out := slice[T](f.out)
		for _, i := range f.rows {
			text := f.args[0].bytesAt(i)
			body, ok := sqltext.IntervalBody(text, months, to.Precision, to.Scale)
			err := sqltext.ErrSyntax
			if ok {
				out[i], err = one(body, to.Precision, to.Scale)
			}
			if err != nil {
				f.fail(i, intervalFault(text, to, err))
			}
		}
	}
}

// intervalFault says why text is no interval, with Spark's conditions.
func intervalFault(text []byte, to columnar.Type, err error) error {
	condition := "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING"
	if errors.Is(err, sqltext.ErrSyntax) {
		condition = "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"
		if to.Kind == columnar.DayTimeIntervalKind {
			condition += "_WITH_NOTICE"
		}
	}
	return &EvalError{condition, "The value '" + string(clipped(text)) + "' is no " + to.String() + ". Correct the value, or use `try_cast` to return NULL instead."}
}
