package compute

import (
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
)

var timeFunctions = []function{
	{FunctionInfo{"year", "year(date)", "The year.", "year(DATE '2024-02-29') = 2024"}, 1, 1, bindDatePart("year", func(t time.Time) int { return t.Year() })},
	{FunctionInfo{"month", "month(date)", "The month, 1 to 12.", "month(DATE '2024-02-29') = 2"}, 1, 1, bindDatePart("month", func(t time.Time) int { return int(t.Month()) })},
	{FunctionInfo{"day", "day(date)", "The day of the month.", "day(DATE '2024-02-29') = 29"}, 1, 1, bindDatePart("day", func(t time.Time) int { return t.Day() })},
	{FunctionInfo{"hour", "hour(timestamp)", "The hour, 0 to 23.", "hour(TIMESTAMP '2024-02-29 12:30:00') = 12"}, 1, 1, bindClockPart("hour", 3600, 24)},
	{FunctionInfo{"minute", "minute(timestamp)", "The minute.", "minute(TIMESTAMP '2024-02-29 12:30:00') = 30"}, 1, 1, bindClockPart("minute", 60, 60)},
	{FunctionInfo{"second", "second(timestamp)", "The second, without its fraction.", "second(TIMESTAMP '2024-02-29 12:30:05') = 5"}, 1, 1, bindClockPart("second", 1, 60)},
	{FunctionInfo{"date_trunc", "date_trunc(unit, timestamp)", "The timestamp cut to the unit; NULL for an unknown unit.", "date_trunc('HOUR', TIMESTAMP '2024-02-29 12:30:00')"}, 2, 2, bindDateTrunc},
	{FunctionInfo{"to_date", "to_date(expr)", "expr as a DATE.", "to_date('2024-02-29') = DATE '2024-02-29'"}, 1, 1, func(a []Expr) (Expr, error) { return Cast(a[0], columnar.Date, false) }},
	{FunctionInfo{"to_timestamp", "to_timestamp(expr)", "expr as a TIMESTAMP.", "to_timestamp('2024-02-29 12:30:00')"}, 1, 1, func(a []Expr) (Expr, error) { return Cast(a[0], columnar.Timestamp, false) }},
	{FunctionInfo{"unix_seconds", "unix_seconds(timestamp)", "Whole seconds since 1970 UTC.", "unix_seconds(TIMESTAMP '1970-01-01 00:00:10') = 10"}, 1, 1, bindUnix("unix_seconds", 1_000_000)},
	{FunctionInfo{"unix_millis", "unix_millis(timestamp)", "Whole milliseconds since 1970 UTC.", "unix_millis(TIMESTAMP '1970-01-01 00:00:10') = 10000"}, 1, 1, bindUnix("unix_millis", 1000)},
	{FunctionInfo{"unix_micros", "unix_micros(timestamp)", "Microseconds since 1970 UTC.", "unix_micros(TIMESTAMP '1970-01-01 00:00:10') = 10000000"}, 1, 1, bindUnix("unix_micros", 1)},
}

func bindDatePart(name string, part func(time.Time) int) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		arg, err := parameter(name, 0, args[0], columnar.Date)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: []Expr{arg}, typ: columnar.Int, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				out.ints[r] = int64(part(time.Unix(in[0].ints[r&in[0].mask]*86400, 0).UTC()))
			}
		}}, nil
	}
}

func bindClockPart(name string, unit, modulus int64) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		arg, err := parameter(name, 0, args[0], columnar.Timestamp)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: []Expr{arg}, typ: columnar.Int, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				units := floorDiv(in[0].ints[r&in[0].mask], unit*1_000_000)
				out.ints[r] = units - floorDiv(units, modulus)*modulus
			}
		}}, nil
	}
}

func bindUnix(name string, unit int64) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		arg, err := parameter(name, 0, args[0], columnar.Timestamp)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: []Expr{arg}, typ: columnar.BigInt, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				out.ints[r] = floorDiv(in[0].ints[r&in[0].mask], unit)
			}
		}}, nil
	}
}

// truncUnits are the units of fixed length, in microseconds.
var truncUnits = map[string]int64{"MICROSECOND": 1, "MILLISECOND": 1000, "SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3600_000_000, "DAY": dayMicros, "DD": dayMicros}

func bindDateTrunc(args []Expr) (Expr, error) {
	unit, err := parameter("date_trunc", 0, args[0], columnar.String)
	if err != nil {
		return nil, err
	}
	arg, err := parameter("date_trunc", 1, args[1], columnar.Timestamp)
	if err != nil {
		return nil, err
	}
	return &call{name: "date_trunc", args: []Expr{unit, arg}, typ: columnar.Timestamp, nullable: true, run: func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		for _, r := range rows {
			v, ok := truncate(strings.ToUpper(in[0].texts[r&in[0].mask]), in[1].ints[r&in[1].mask])
			if !ok {
				out.setNull(r, ev.n)
				continue
			}
			out.ints[r] = v
		}
	}}, nil
}

func truncate(unit string, micros int64) (int64, bool) {
	if size, ok := truncUnits[unit]; ok {
		return floorDiv(micros, size) * size, true
	}
	t := time.UnixMicro(micros).UTC()
	year, month, day := t.Date()
	switch unit {
	case "WEEK":
		return time.Date(year, month, day-(int(t.Weekday())+6)%7, 0, 0, 0, 0, time.UTC).UnixMicro(), true
	case "MONTH", "MON", "MM":
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), true
	case "QUARTER":
		return time.Date(year, (month-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), true
	case "YEAR", "YYYY", "YY":
		return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), true
	}
	return 0, false
}
