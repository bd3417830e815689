package compute

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var timeFunctions = []function{
	entry("year", "year(d)", "Year.", "year(d)", 1, 1, bindDateField(yearOf)),
	entry("quarter", "quarter(d)", "Quarter, 1 to 4.", "quarter(d)", 1, 1, bindDateField(quarterOf)),
	entry("month", "month(d)", "Month, 1 to 12.", "month(d)", 1, 1, bindDateField(monthOf)),
	entry("day", "day(d)", "Day of the month.", "day(d)", 1, 1, bindDateField(dayOf)),
	entry("dayofmonth", "dayofmonth(d)", "Day of the month.", "dayofmonth(d)", 1, 1, bindDateField(dayOf)),
	entry("dayofweek", "dayofweek(d)", "Day of the week, 1 is Sunday.", "dayofweek(d)", 1, 1, bindDateField(dayOfWeek)),
	entry("weekday", "weekday(d)", "Day of the week, 0 is Monday.", "weekday(d)", 1, 1, bindDateField(func(_ int64, _, _ int, n int64) int { return weekday(n) })),
	entry("dayofyear", "dayofyear(d)", "Day of the year.", "dayofyear(d)", 1, 1, bindDateField(dayOfYear)),
	entry("weekofyear", "weekofyear(d)", "ISO week.", "weekofyear(d)", 1, 1, bindDateField(isoWeek)),
	entry("hour", "hour(t)", "Hour.", "hour(t)", 1, 1, bindTimeField(sqltext.Hour, 24)),
	entry("minute", "minute(t)", "Minute.", "minute(t)", 1, 1, bindTimeField(sqltext.Minute, 60)),
	entry("second", "second(t)", "Second.", "second(t)", 1, 1, bindTimeField(sqltext.Second, 60)),
	entry("date", "date(s)", "CAST(s AS DATE).", "date('2024-02-29')", 1, 1, bindConversion(columnar.Date)),
	entry("timestamp", "timestamp(s)", "CAST(s AS TIMESTAMP).", "timestamp('2024-02-29 12:00:00')", 1, 1, bindConversion(columnar.Timestamp)),
	entry("last_day", "last_day(d)", "The last day of the month.", "last_day(d)", 1, 1, bindLastDay),
	entry("date_add", "date_add(d, n)", "n days later.", "date_add(d, 1)", 2, 2, bindDateShift),
	entry("date_sub", "date_sub(d, n)", "n days earlier.", "date_sub(d, 1)", 2, 2, bindDateShift),
	entry("datediff", "datediff(a, b)", "Days from b to a.", "datediff(d, DATE'2024-01-01')", 2, 2, bindDateDiff),
	entry("unix_date", "unix_date(d)", "Days since 1970-01-01.", "unix_date(d)", 1, 1, bindUnixDate),
	entry("date_from_unix_date", "date_from_unix_date(n)", "DATE of days since 1970-01-01.", "date_from_unix_date(1)", 1, 1, bindDateFromUnix),
	entry("unix_seconds", "unix_seconds(t)", "Seconds since 1970, rounded down.", "unix_seconds(t)", 1, 1, bindUnixTime(sqltext.Second)),
	entry("unix_millis", "unix_millis(t)", "Milliseconds since 1970, rounded down.", "unix_millis(t)", 1, 1, bindUnixTime(1000)),
	entry("unix_micros", "unix_micros(t)", "Microseconds since 1970.", "unix_micros(t)", 1, 1, bindUnixTime(1)),
	entry("timestamp_seconds", "timestamp_seconds(n)", "TIMESTAMP of seconds since 1970; fractions count.", "timestamp_seconds(1.5)", 1, 1, bindTimestampSeconds),
	entry("timestamp_millis", "timestamp_millis(n)", "TIMESTAMP of milliseconds since 1970.", "timestamp_millis(1)", 1, 1, bindTimestampOf(1000)),
	entry("timestamp_micros", "timestamp_micros(n)", "TIMESTAMP of microseconds since 1970.", "timestamp_micros(1)", 1, 1, bindTimestampOf(1)),
}

func yearOf(year int64, _, _ int, _ int64) int     { return int(year) }
func quarterOf(_ int64, month, _ int, _ int64) int { return (month + 2) / 3 }
func monthOf(_ int64, month, _ int, _ int64) int   { return month }
func dayOf(_ int64, _, day int, _ int64) int       { return day }
func dayOfWeek(_ int64, _, _ int, days int64) int  { return weekday(days+1) + 1 }
func dayOfYear(year int64, _, _ int, days int64) int {
	return int(days-sqltext.Days(year, 1, 1)) + 1
}

// weekday is 0 on Mondays.
func weekday(days int64) int {
	return int(((days+3)%7 + 7) % 7)
}

func isoWeek(_ int64, _, _ int, days int64) int {
	thursday := days - int64(weekday(days)) + 3
	year, _, _ := sqltext.Civil(thursday)
	return int(thursday-sqltext.Days(year, 1, 1))/7 + 1
}

// bindDateField binds a part of a DATE: year, month, day and the day number are at hand.
func bindDateField(part func(year int64, month, day int, days int64) int) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int32](f.args[0]), f.args[0].mask(), slice[int32](f.out)
		for _, i := range f.rows {
			n := int64(in[i&m])
			y, mo, d := sqltext.Civil(n)
			out[i] = int32(part(y, mo, d, n))
		}
	}
	return bindSimple(columnar.Int, run, columnar.Date)
}

// bindSimple binds a function of fixed parameter types.
func bindSimple(t columnar.Type, run kernel, want ...columnar.Type) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		list, err := parameters(name, args, want...)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: list, typ: t, run: run}, nil
	}
}

func bindTimeField(unit, count int64) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int32](f.out)
		for _, i := range f.rows {
			_, rest := sqltext.FloorDays(in[i&m])
			out[i] = int32(rest / unit % count)
		}
	}
	return bindSimple(columnar.Int, run, columnar.Timestamp)
}

func bindConversion(t columnar.Type) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		if !castable(args[0].Type(), t) {
			return nil, unexpectedInput(name, 0, t.String(), args[0])
		}
		return implicit(args[0], t), nil
	}
}

func bindLastDay(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int32](f.args[0]), f.args[0].mask(), slice[int32](f.out)
		for _, i := range f.rows {
			y, mo, _ := sqltext.Civil(int64(in[i&m]))
			out[i] = int32(sqltext.Days(y, mo, sqltext.MonthLength(y, mo)))
		}
	}
	return bindSimple(columnar.Date, run, columnar.Date)(name, args)
}

// bindDateShift binds date_add and date_sub.
func bindDateShift(name string, args []Expr) (Expr, error) {
	direction := int32(1)
	if name == "date_sub" {
		direction = -1
	}
	run := func(f *frame) {
		a, b, am, bm, out := numbers[int32](f)
		for _, i := range f.rows {
			out[i] = a[i&am] + direction*b[i&bm]
		}
	}
	if t := args[1].Type(); t == columnar.BigInt || t.Numeric() && !t.Integral() {
		return nil, unexpectedInput(name, 1, "INT", args[1])
	}
	return bindSimple(columnar.Date, run, columnar.Date, columnar.Int)(name, args)
}

func bindDateDiff(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		a, b, am, bm, out := numbers[int32](f)
		for _, i := range f.rows {
			out[i] = a[i&am] - b[i&bm]
		}
	}
	return bindSimple(columnar.Int, run, columnar.Date, columnar.Date)(name, args)
}

func bindUnixDate(name string, args []Expr) (Expr, error) {
	if t := args[0].Type(); t != columnar.Date && t != columnar.Null {
		return nil, unexpectedInput(name, 0, "DATE", args[0])
	}
	return bindSimple(columnar.Int, widenIntegers[int32, int32], columnar.Date)(name, args)
}

func bindDateFromUnix(name string, args []Expr) (Expr, error) {
	return bindSimple(columnar.Date, widenIntegers[int32, int32], columnar.Int)(name, args)
}

// bindUnixTime takes a TIMESTAMP and nothing that could be cast to one.
func bindUnixTime(unit int64) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		if t := args[0].Type(); t != columnar.Timestamp && t != columnar.Null {
			return nil, unexpectedInput(name, 0, "TIMESTAMP", args[0])
		}
		return bindSimple(columnar.BigInt, unixTimeKernel(unit), columnar.Timestamp)(name, args)
	}
}

func unixTimeKernel(unit int64) kernel {
	return func(f *frame) {
		in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			out[i] = floorTo(in[i&m], unit)
		}
	}
}

func timeOverflow(v int64, name string) error {
	return &EvalError{"ARITHMETIC_OVERFLOW", fmt.Sprintf("long overflow: %s of %d is no TIMESTAMP.", name, v)}
}

// bindTimestampSeconds takes any number; NaN and infinities give NULL.
func bindTimestampSeconds(name string, args []Expr) (Expr, error) {
	switch t := args[0].Type(); {
	case t.Integral() || t == columnar.Null:
		return bindTimestampOf(sqltext.Second)(name, args)
	case isDecimal(t):
		return &call{name: name, args: args, typ: columnar.Timestamp, run: decimalSeconds(t)}, nil
	case !t.Numeric():
		return nil, unexpectedInput(name, 0, "NUMERIC", args[0])
	}
	run := func(f *frame) {
		in, m, out := slice[float64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			if x := in[i&m]; math.IsNaN(x) || math.IsInf(x, 0) {
				f.setNull(f.out, i)
				continue
			}
			out[i] = saturated(in[i&m] * sqltext.Second)
		}
	}
	a := implicit(args[0], columnar.Double)
	return &call{name: name, args: []Expr{a}, typ: columnar.Timestamp, nullable: true, run: run}, nil
}

// decimalSeconds takes at most six decimals; more are no TIMESTAMP.
func decimalSeconds(from columnar.Type) kernel {
	micros := columnar.Decimal(maxDigits, 6)
	return func(f *frame) {
		convert(f, func(v decimalValue) (int64, bool) {
			if from.Scale > 6 {
				q, rest := divide(v, decimal128.GetScaleMultiplier(int(from.Scale)-6))
				return int64(q.LowBits()), rest.Sign() == 0 && q.HighBits() == int64(q.LowBits())>>63
			}
			v, ok := rescale(v, from, micros)
			return int64(v.LowBits()), ok && v.HighBits() == int64(v.LowBits())>>63
		}, func(v *vector, row int32) error {
			return &EvalError{"ARITHMETIC_OVERFLOW", fmt.Sprintf("%s seconds are no TIMESTAMP.", appendText(nil, v, row))}
		})
	}
}
