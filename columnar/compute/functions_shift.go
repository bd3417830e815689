package compute

import (
	"fmt"
	"math"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var shiftFunctions = []function{
	entry("add_months", "add_months(d, n)", "n months later; the day is cut to the month's last.", "add_months(DATE'2024-01-31', 1)", 2, 2, bindAddMonths),
	entry("months_between", "months_between(a, b[, rounded])", "Months from b to a, with a fraction of 31 days.", "months_between(DATE'2024-03-15', DATE'2024-01-01')", 2, 3, bindMonthsBetween),
	entry("next_day", "next_day(d, weekday)", "The first such day of the week after d.", "next_day(DATE'2024-02-29', 'MON')", 2, 2, bindNextDay),
	entry("dateadd", "dateadd(d, n), dateadd(UNIT, n, t)", "n days later; n units later.", "dateadd(DATE'2024-02-29', 1)", 2, 2, bindAlias("date_add", bindDateShift)),
	entry("date_diff", "date_diff(a, b), date_diff(UNIT, a, b)", "Days from b to a; whole units from a to b.", "date_diff(DATE'2024-02-29', DATE'2024-01-01')", 2, 2, bindDateDiff),
	entry("timestampadd", "timestampadd(UNIT, n, t)", "n units later.", "timestampadd(HOUR, 1, TIMESTAMP'2024-02-29 12:00:00')", 3, 3, bindTimestampAdd),
	entry("timestampdiff", "timestampdiff(UNIT, a, b)", "Whole units from a to b.", "timestampdiff(HOUR, DATE'2024-02-29', DATE'2024-03-01')", 3, 3, bindTimestampDiff),
}

func bindAddMonths(name string, args []Expr) (Expr, error) {
	return bindSimple(columnar.Date, func(f *frame) { monthsToDates(f, 1) }, columnar.Date, columnar.Int)(name, args)
}

func bindMonthsBetween(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = []Expr{args[0], args[1], Bool(true)}
	}
	if t := args[2].Type(); t != columnar.Boolean && t != columnar.Null {
		return nil, unexpectedInput(name, 2, "BOOLEAN", args[2])
	}
	run := func(f *frame) {
		a, b, am, bm := slice[int64](f.args[0]), slice[int64](f.args[1]), f.args[0].mask(), f.args[1].mask()
		round, rm, out := slice[uint8](f.args[2]), f.args[2].mask(), slice[float64](f.out)
		for _, i := range f.rows {
			out[i] = monthsBetween(a[i&am], b[i&bm], round[i&rm] != 0)
		}
	}
	return bindSimple(columnar.Double, run, columnar.Timestamp, columnar.Timestamp, columnar.Boolean)(name, args)
}

// monthsBetween is whole where both are the same day of the month or both its last.
func monthsBetween(a, b int64, round bool) float64 {
	aDays, aClock := sqltext.FloorDays(a)
	bDays, bClock := sqltext.FloorDays(b)
	ay, am, ad := sqltext.Civil(aDays)
	by, bm, bd := sqltext.Civil(bDays)
	months := float64((ay-by)*12 + int64(am-bm))
	if ad == bd || ad == sqltext.MonthLength(ay, am) && bd == sqltext.MonthLength(by, bm) {
		return months
	}
	seconds := int64(ad-bd)*86400 + aClock/sqltext.Second - bClock/sqltext.Second
	exact := months + float64(seconds)/(31*86400)
	if !round {
		return exact
	}
	return math.Floor(exact*1e8+0.5) / 1e8
}

var weekdays = map[string]int64{
	"MO": 0, "MON": 0, "MONDAY": 0, "TU": 1, "TUE": 1, "TUESDAY": 1, "WE": 2, "WED": 2, "WEDNESDAY": 2, "TH": 3, "THU": 3, "THURSDAY": 3,
	"FR": 4, "FRI": 4, "FRIDAY": 4, "SA": 5, "SAT": 5, "SATURDAY": 5, "SU": 6, "SUN": 6, "SUNDAY": 6,
}

func bindNextDay(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int32](f.args[0]), f.args[0].mask(), slice[int32](f.out)
		days := byWord(weekdays, f.args[1])
		for _, i := range f.rows {
			day, ok := days(i)
			if !ok {
				f.fail(i, &EvalError{"ILLEGAL_DAY_OF_WEEK", fmt.Sprintf("Illegal input for day of week: %s.", clipped(f.args[1].bytesAt(i)))})
				continue
			}
			d := int64(in[i&m])
			out[i] = int32(d + (day-int64(weekday(d))+6)%7 + 1)
		}
	}
	return bindSimple(columnar.Date, run, columnar.Date, columnar.String)(name, args)
}

// timeUnits are the units of timestampadd, in months or in microseconds.
var timeUnits = map[string]struct{ months, micros int64 }{
	"MICROSECOND": {0, 1}, "MILLISECOND": {0, 1000}, "SECOND": {0, sqltext.Second}, "MINUTE": {0, sqltext.Minute}, "HOUR": {0, sqltext.Hour},
	"DAY": {0, sqltext.Day}, "DAYOFYEAR": {0, sqltext.Day}, "WEEK": {0, 7 * sqltext.Day}, "MONTH": {1, 0}, "QUARTER": {3, 0}, "YEAR": {12, 0},
}

// timeUnit finds the unit that the planner passes as a text.
func timeUnit(name string, arg Expr) (months, micros int64, err error) {
	text, _ := textLiteral(arg)
	text = strings.ToUpper(text)
	unit, ok := timeUnits[text]
	if !ok || name == "timestampdiff" && text == "DAYOFYEAR" {
		return 0, 0, &TypeError{"INVALID_PARAMETER_VALUE.DATETIME_UNIT", fmt.Sprintf("%s has no unit %s; the units are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND.", name, text)}
	}
	return unit.months, unit.micros, nil
}

func bindTimestampAdd(name string, args []Expr) (Expr, error) {
	months, micros, err := timeUnit(name, args[0])
	if err != nil {
		return nil, err
	}
	t := columnar.Timestamp
	if args[2].Type() == columnar.TimestampNTZ {
		t = columnar.TimestampNTZ
	}
	list, err := parameters(name, args, columnar.String, columnar.BigInt, t)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		n, nm, in, m := slice[int64](f.args[1]), f.args[1].mask(), slice[int64](f.args[2]), f.args[2].mask()
		out := slice[int64](f.out)
		for _, i := range f.rows {
			us, ok := shiftUnits(in[i&m], n[i&nm], months, micros)
			out[i] = us
			if !ok {
				f.fail(i, &EvalError{"DATETIME_OVERFLOW", fmt.Sprintf("Datetime operation overflow: %s of %d.", name, n[i&nm])})
			}
		}
	}
	return &call{name: name, args: list, typ: t, run: run}, nil
}

func shiftUnits(us, n, months, micros int64) (int64, bool) {
	if months > 0 {
		total := n * months
		if total/months != n || total != int64(int32(total)) {
			return 0, false
		}
		return instantMonths(us, total)
	}
	by, ok := timesUnit[int64, int64](micros)(n)
	sum := us + by
	return sum, ok && (us^sum)&(by^sum) >= 0
}

func bindTimestampDiff(name string, args []Expr) (Expr, error) {
	months, micros, err := timeUnit(name, args[0])
	if err != nil {
		return nil, err
	}
	list, err := parameters(name, args, columnar.String, columnar.Timestamp, columnar.Timestamp)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		a, am, b, bm := slice[int64](f.args[1]), f.args[1].mask(), slice[int64](f.args[2]), f.args[2].mask()
		out := slice[int64](f.out)
		for _, i := range f.rows {
			from, to := a[i&am], b[i&bm]
			if months > 0 {
				out[i] = wholeMonths(from, to) / months
				continue
			}
			out[i] = (to - from) / micros
			if (to^from)&(to^(to-from)) < 0 {
				f.fail(i, overflow(name, columnar.BigInt))
			}
		}
	}
	return &call{name: name, args: list, typ: columnar.BigInt, run: run}, nil
}

// wholeMonths counts the months that have gone by, as Java does: a day that is not over
// is taken off the end first, and may lead into another month.
func wholeMonths(from, to int64) int64 {
	fromDays, fromClock := sqltext.FloorDays(from)
	toDays, toClock := sqltext.FloorDays(to)
	switch {
	case toDays > fromDays && toClock < fromClock:
		toDays--
	case toDays < fromDays && toClock > fromClock:
		toDays++
	}
	return (monthAndDay(toDays) - monthAndDay(fromDays)) / 32
}

// monthAndDay counts months in steps of 32 days.
func monthAndDay(days int64) int64 {
	year, month, day := sqltext.Civil(days)
	return (year*12+int64(month))*32 + int64(day)
}

// bindTimestampOf binds a number of units since 1970.
func bindTimestampOf(unit int64) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		if t := args[0].Type(); !t.Integral() && t != columnar.Null {
			return nil, unexpectedInput(name, 0, "INTEGRAL", args[0])
		}
		run := func(f *frame) {
			in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
			for _, i := range f.rows {
				v := in[i&m]
				out[i] = v * unit
				if v > math.MaxInt64/unit || v < math.MinInt64/unit {
					f.fail(i, timeOverflow(v, name))
				}
			}
		}
		return bindSimple(columnar.Timestamp, run, columnar.BigInt)(name, args)
	}
}
