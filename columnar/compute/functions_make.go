package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var makeFunctions = []function{
	entry("make_date", "make_date(y, m, d)", "The DATE of a year, month and day.", "make_date(2024, 2, 29)", 3, 3, bindMakeDate),
	entry("make_timestamp", "make_timestamp(y, m, d, h, min, s[, zone])", "The TIMESTAMP of its parts, in a zone.", "make_timestamp(2024, 2, 29, 12, 0, 1.5)", 6, 7, bindMakeTimestamp(columnar.Timestamp, false)),
	entry("make_timestamp_ltz", "make_timestamp_ltz(y, m, d, h, min, s[, zone])", "The TIMESTAMP of its parts, in a zone.", "make_timestamp_ltz(2024, 2, 29, 12, 0, 1.5)", 6, 7, bindMakeTimestamp(columnar.Timestamp, false)),
	entry("make_timestamp_ntz", "make_timestamp_ntz(y, m, d, h, min, s)", "The TIMESTAMP_NTZ of its parts.", "make_timestamp_ntz(2024, 2, 29, 12, 0, 1.5)", 6, 6, bindMakeTimestamp(columnar.TimestampNTZ, false)),
	entry("try_make_timestamp", "try_make_timestamp(y, m, d, h, min, s[, zone])", "make_timestamp, NULL where a part is out of its bounds.", "try_make_timestamp(2024, 13, 29, 12, 0, 0)", 6, 7, bindMakeTimestamp(columnar.Timestamp, true)),
	entry("try_make_timestamp_ltz", "try_make_timestamp_ltz(y, m, d, h, min, s[, zone])", "make_timestamp_ltz, NULL where a part is out of its bounds.", "try_make_timestamp_ltz(2024, 13, 29, 12, 0, 0)", 6, 7, bindMakeTimestamp(columnar.Timestamp, true)),
	entry("try_make_timestamp_ntz", "try_make_timestamp_ntz(y, m, d, h, min, s)", "make_timestamp_ntz, NULL where a part is out of its bounds.", "try_make_timestamp_ntz(2024, 13, 29, 12, 0, 0)", 6, 6, bindMakeTimestamp(columnar.TimestampNTZ, true)),
	entry("make_dt_interval", "make_dt_interval([days[, hours[, mins[, secs]]]])", "The day-time interval of its parts.", "make_dt_interval(1, 2, 3, 4.5)", 0, 4, bindMakeDayTime),
	entry("make_ym_interval", "make_ym_interval([years[, months]])", "The year-month interval of its parts.", "make_ym_interval(1, 2)", 0, 2, bindMakeYearMonth),
}

func outOfBounds(what string) error {
	return &EvalError{"DATETIME_FIELD_OUT_OF_BOUNDS", "Invalid value: " + what + "."}
}

// mostYear bounds years as Java does.
const mostYear = 999_999_999

func checkDate(y, m, d int64) error {
	switch {
	case y < -mostYear || y > mostYear:
		return outOfBounds(fmt.Sprintf("the year is %d", y))
	case m < 1 || m > 12:
		return outOfBounds(fmt.Sprintf("the month is %d", m))
	case d < 1 || d > int64(sqltext.MonthLength(y, int(m))):
		return outOfBounds(fmt.Sprintf("the day is %d", d))
	}
	return nil
}

func bindMakeDate(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		y, m, d := wideIntegers(f.args[0]), wideIntegers(f.args[1]), wideIntegers(f.args[2])
		out := slice[int32](f.out)
		for _, i := range f.rows {
			if err := checkDate(y(i), m(i), d(i)); err != nil {
				f.fail(i, err)
				continue
			}
			days := sqltext.Days(y(i), int(m(i)), int(d(i)))
			out[i] = int32(days)
			if days != int64(int32(days)) {
				f.fail(i, overflow("make_date", columnar.Int))
			}
		}
	}
	return bindSimple(columnar.Date, run, columnar.Int, columnar.Int, columnar.Int)(name, args)
}

// bindMakeTimestamp takes seconds with a fraction, as DECIMAL(16,6).
func bindMakeTimestamp(t columnar.Type, try bool) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		want := []columnar.Type{columnar.Int, columnar.Int, columnar.Int, columnar.Int, columnar.Int, columnar.Decimal(16, 6), columnar.String}
		list, err := parameters(name, args, want[:len(args)]...)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: list, typ: t, try: try, run: makeTimestamps}, nil
	}
}

func makeTimestamps(f *frame) {
	var parts [5]func(int32) int64
	for k := range parts {
		parts[k] = wideIntegers(f.args[k])
	}
	zones := func(int32) (sqltext.Zone, bool) { return sqltext.Zone{}, true }
	if len(f.args) == 7 {
		zones = f.zones(f.args[6])
	}
	seconds, m, out := slice[decimalValue](f.args[5]), f.args[5].mask(), slice[int64](f.out)
	for _, i := range f.rows {
		micros := int64(seconds[i&m].LowBits())
		us, err := timestampOf(parts[0](i), parts[1](i), parts[2](i), parts[3](i), parts[4](i), micros)
		if err != nil {
			f.fail(i, err)
			continue
		}
		if zone, ok := zones(i); ok {
			out[i] = us - zone.OffsetLocal(us)
		}
	}
}

// timestampOf joins the parts; seconds are in microseconds, and 60 without a fraction is the next minute.
func timestampOf(y, mo, d, h, mi, micros int64) (int64, error) {
	if err := checkDate(y, mo, d); err != nil {
		return 0, err
	}
	switch seconds := floorTo(micros, sqltext.Second); {
	case seconds == 60 && micros > 60*sqltext.Second:
		return 0, &EvalError{"INVALID_FRACTION_OF_SECOND", "Valid range for seconds is [0, 60] (inclusive), and 60 has no fraction."}
	case seconds < 0 || seconds > 60:
		return 0, outOfBounds(fmt.Sprintf("the second is %d", seconds))
	case h < 0 || h > 23:
		return 0, outOfBounds(fmt.Sprintf("the hour is %d", h))
	case mi < 0 || mi > 59:
		return 0, outOfBounds(fmt.Sprintf("the minute is %d", mi))
	}
	us, ok := sqltext.JoinDays(sqltext.Days(y, int(mo), int(d)), h*sqltext.Hour+mi*sqltext.Minute+micros)
	if !ok {
		return 0, &EvalError{"ARITHMETIC_OVERFLOW", fmt.Sprintf("long overflow: the year %d is beyond TIMESTAMP.", y)}
	}
	return us, nil
}

func bindMakeDayTime(name string, args []Expr) (Expr, error) {
	defaults := []Expr{Integer(0, columnar.Int), Integer(0, columnar.Int), Integer(0, columnar.Int), Integer(0, columnar.Int)}
	copy(defaults, args)
	units := [...]int64{sqltext.Day, sqltext.Hour, sqltext.Minute, 1}
	run := func(f *frame) {
		var parts [3]func(int32) int64
		for k := range parts {
			parts[k] = wideIntegers(f.args[k])
		}
		seconds, m, out := slice[decimalValue](f.args[3]), f.args[3].mask(), slice[int64](f.out)
		for _, i := range f.rows {
			sum, ok := int64(seconds[i&m].LowBits()), true
			for k, part := range parts {
				var product int64
				product, fits := timesUnit[int64, int64](units[k])(part(i))
				total := sum + product
				ok = ok && fits && (sum^total)&(product^total) >= 0
				sum = total
			}
			out[i] = sum
			if !ok {
				f.fail(i, errIntervalOverflow)
			}
		}
	}
	return bindSimple(daySecond, run, columnar.Int, columnar.Int, columnar.Int, columnar.Decimal(18, 6))(name, defaults)
}

func bindMakeYearMonth(name string, args []Expr) (Expr, error) {
	defaults := []Expr{Integer(0, columnar.Int), Integer(0, columnar.Int)}
	copy(defaults, args)
	run := func(f *frame) {
		a, b, am, bm, out := numbers[int32](f)
		for _, i := range f.rows {
			months := int64(a[i&am])*12 + int64(b[i&bm])
			out[i] = int32(months)
			if months != int64(int32(months)) {
				f.fail(i, errIntervalOverflow)
			}
		}
	}
	return bindSimple(yearMonth, run, columnar.Int, columnar.Int)(name, defaults)
}
