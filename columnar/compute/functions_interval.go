package compute

import (
	"math"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var (
	daySecond = columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit)
	yearMonth = columnar.YearMonthInterval(columnar.YearUnit, columnar.MonthUnit)
	wholeDays = columnar.DayTimeInterval(columnar.DayUnit, columnar.DayUnit)
)

func isDayTime(t columnar.Type) bool   { return t.Kind == columnar.DayTimeIntervalKind }
func isYearMonth(t columnar.Type) bool { return t.Kind == columnar.YearMonthIntervalKind }
func isInstant(t columnar.Type) bool {
	return t == columnar.Timestamp || t == columnar.TimestampNTZ
}

// bindDatetimeArithmetic resolves an operator with a date, a time or an interval among
// its operands; ok is false if it is none of Spark's rules for them.
func bindDatetimeArithmetic(op string, l, r Expr) (e Expr, ok bool, err error) {
	lt, rt := l.Type(), r.Type()
	if !datetime(lt) && !datetime(rt) && !lt.Interval() && !rt.Interval() {
		return nil, false, nil
	}
	switch op {
	case "+":
		return bindDatetimePlus(l, r)
	case "-":
		return bindDatetimeMinus(l, r)
	case "*":
		if !lt.Interval() && rt.Interval() {
			l, r = r, l
		}
		return bindScaled(op, l, r)
	case "/":
		return bindScaled(op, l, r)
	case "div":
		return bindIntervalDiv(l, r)
	}
	return nil, false, nil
}

func bindDatetimePlus(l, r Expr) (Expr, bool, error) {
	lt, rt := l.Type(), r.Type()
	if isDayTime(lt) && isDayTime(rt) || isYearMonth(lt) && isYearMonth(rt) || lt.Interval() && rt == columnar.Null || lt == columnar.Null && rt.Interval() {
		return bindIntervalSum("+", l, r)
	}
	if lt.Interval() && !isDayTime(rt) || rt == columnar.Date && !lt.Interval() {
		l, r, lt, rt = r, l, rt, lt
	}
	switch {
	case isDayTime(rt):
		return bindShift("+", l, r)
	case isYearMonth(rt) && datetime(lt):
		return bindMonthShift("+", l, r)
	case isDayTime(lt):
		return bindShift("+", r, l)
	case lt == columnar.Date && rt != columnar.String:
		e, err := bindDateShift("date_add", []Expr{l, r})
		return e, true, err
	case lt == columnar.Date:
		return nil, true, unexpectedInput("date_add", 1, "INT", r)
	}
	return nil, false, nil
}

func bindDatetimeMinus(l, r Expr) (Expr, bool, error) {
	lt, rt := l.Type(), r.Type()
	switch {
	case isDayTime(lt) && isDayTime(rt), isYearMonth(lt) && isYearMonth(rt), lt.Interval() && rt == columnar.Null, lt == columnar.Null && rt.Interval():
		return bindIntervalSum("-", l, r)
	case isDayTime(rt):
		return bindShift("-", l, r)
	case isYearMonth(rt) && datetime(lt):
		return bindMonthShift("-", l, r)
	case isInstant(lt), isInstant(rt):
		return bindInstantDifference(l, r)
	case rt == columnar.Date, lt == columnar.Date && rt == columnar.String:
		list, err := parameters("-", []Expr{l, r}, columnar.Date, columnar.Date)
		if err != nil {
			return nil, true, err
		}
		return &call{name: "-", args: list, typ: wholeDays, run: daysBetween}, true, nil
	case lt == columnar.Date:
		e, err := bindDateShift("date_sub", []Expr{l, r})
		return e, true, err
	}
	return nil, false, nil
}

// bindInstantDifference binds the time between two instants. A TIMESTAMP_NTZ beside
// anything else is taken as TIMESTAMP.
func bindInstantDifference(l, r Expr) (Expr, bool, error) {
	t := columnar.Timestamp
	if l.Type() == columnar.TimestampNTZ && r.Type() == columnar.TimestampNTZ {
		t = columnar.TimestampNTZ
	}
	list, err := parameters("-", []Expr{l, r}, t, t)
	if err != nil {
		return nil, true, err
	}
	overflow := &EvalError{"ARITHMETIC_OVERFLOW", "long overflow: the time between the timestamps is no " + daySecond.String() + "."}
	return &call{name: "-", args: list, typ: daySecond, run: func(f *frame) { subtractIntegers[int64](f, overflow) }}, true, nil
}

func daysBetween(f *frame) {
	a, b, am, bm := slice[int32](f.args[0]), slice[int32](f.args[1]), f.args[0].mask(), f.args[1].mask()
	out := slice[int64](f.out)
	for _, i := range f.rows {
		us, ok := timesUnit[int64, int64](sqltext.Day)(int64(a[i&am]) - int64(b[i&bm]))
		out[i] = us
		if !ok {
			f.fail(i, &EvalError{"ARITHMETIC_OVERFLOW", "long overflow: the days between the dates are no " + wholeDays.String() + "."})
		}
	}
}

// bindShift adds a day-time interval to a date or a time, or takes it away. A string is
// read as TIMESTAMP and printed again.
func bindShift(op string, l, r Expr) (Expr, bool, error) {
	lt := l.Type()
	switch {
	case lt == columnar.Date && r.Type() == wholeDays:
		return &call{name: op, args: []Expr{l, r}, typ: columnar.Date, run: shiftDays(op)}, true, nil
	case lt == columnar.Date:
		l = implicit(l, columnar.Timestamp)
	case lt == columnar.String:
		l = implicit(l, columnar.Timestamp)
	case !isInstant(lt):
		return nil, true, unexpectedInput("time_add", 0, `("TIMESTAMP" or "TIMESTAMP WITHOUT TIME ZONE")`, l)
	}
	err := &EvalError{"DATETIME_OVERFLOW", "Datetime operation overflow: the result is no TIMESTAMP."}
	run := func(f *frame) { addIntegers[int64](f, err) }
	if op == "-" {
		run = func(f *frame) { subtractIntegers[int64](f, err) }
	}
	e := Expr(&call{name: op, args: []Expr{l, r}, typ: l.Type(), run: run})
	if lt == columnar.String {
		e = implicit(e, columnar.String)
	}
	return e, true, nil
}

func shiftDays(op string) kernel {
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	return func(f *frame) {
		a, b, am, bm := slice[int32](f.args[0]), slice[int64](f.args[1]), f.args[0].mask(), f.args[1].mask()
		out := slice[int32](f.out)
		for _, i := range f.rows {
			out[i] = a[i&am] + int32(sign*(b[i&bm]/sqltext.Day))
		}
	}
}

// bindMonthShift adds months to a date or a time; the day is cut to the month's last.
func bindMonthShift(op string, l, r Expr) (Expr, bool, error) {
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	run := func(f *frame) { monthsToDates(f, sign) }
	if l.Type() != columnar.Date {
		run = func(f *frame) { monthsToInstants(f, sign) }
	}
	return &call{name: op, args: []Expr{l, r}, typ: l.Type(), run: run}, true, nil
}

func monthsToDates(f *frame, sign int64) {
	a, b, am, bm := slice[int32](f.args[0]), slice[int32](f.args[1]), f.args[0].mask(), f.args[1].mask()
	out := slice[int32](f.out)
	for _, i := range f.rows {
		days := addMonths(int64(a[i&am]), sign*int64(b[i&bm]))
		out[i] = int32(days)
		if days != int64(int32(days)) {
			f.fail(i, overflow("+", columnar.Int))
		}
	}
}

func monthsToInstants(f *frame, sign int64) {
	a, b, am, bm := slice[int64](f.args[0]), slice[int32](f.args[1]), f.args[0].mask(), f.args[1].mask()
	out := slice[int64](f.out)
	for _, i := range f.rows {
		us, ok := instantMonths(a[i&am], sign*int64(b[i&bm]))
		out[i] = us
		if !ok {
			f.fail(i, &EvalError{"DATETIME_OVERFLOW", "Datetime operation overflow: the result is no TIMESTAMP."})
		}
	}
}

func instantMonths(us, months int64) (int64, bool) {
	days, rest := sqltext.FloorDays(us)
	return sqltext.JoinDays(addMonths(days, months), rest)
}

// addMonths moves a day by months; a day beyond the month's end becomes its last.
func addMonths(days, months int64) int64 {
	year, month, day := sqltext.Civil(days)
	total := year*12 + int64(month-1) + months
	year = total / 12
	if total%12 < 0 {
		year--
	}
	month = int(total-year*12) + 1
	return sqltext.Days(year, month, min(day, sqltext.MonthLength(year, month)))
}

// bindIntervalSum adds or subtracts two intervals of a family; NULL takes the other's type.
func bindIntervalSum(op string, l, r Expr) (Expr, bool, error) {
	t, _ := tightest(l.Type(), r.Type())
	err := &EvalError{"INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "Integer overflow while operating with intervals. Use `" + tryNames[op] + "` to tolerate overflow and return NULL instead."}
	run := intervalKernel(t, func(f *frame) { addIntegers[int64](f, err) }, func(f *frame) { addIntegers[int32](f, err) })
	if op == "-" {
		run = intervalKernel(t, func(f *frame) { subtractIntegers[int64](f, err) }, func(f *frame) { subtractIntegers[int32](f, err) })
	}
	return &call{name: op, args: []Expr{implicit(l, t), implicit(r, t)}, typ: t, run: run}, true, nil
}

func intervalKernel(t columnar.Type, micros, months kernel) kernel {
	if isDayTime(t) {
		return micros
	}
	return months
}

// bindIntervalDiv divides two intervals of a family, without the fraction.
func bindIntervalDiv(l, r Expr) (Expr, bool, error) {
	t, ok := tightest(l.Type(), r.Type())
	if !ok || !t.Interval() {
		return nil, false, nil
	}
	run := func(f *frame) { divideIntervals(f, wideIntegers(f.args[0]), wideIntegers(f.args[1])) }
	return &call{name: "div", args: []Expr{implicit(l, t), implicit(r, t)}, typ: columnar.BigInt, run: run}, true, nil
}

func divideIntervals(f *frame, a, b func(int32) int64) {
	out := slice[int64](f.out)
	for _, i := range f.rows {
		x, y := a(i), b(i)
		switch {
		case y == 0:
			f.fail(i, errIntervalByZero)
		case x == math.MinInt64 && y == -1:
			f.fail(i, overflow("div", columnar.BigInt))
		default:
			out[i] = x / y
		}
	}
}

// wideIntegers reads the microseconds or months of an interval.
func wideIntegers(v *vector) func(row int32) int64 {
	m := v.mask()
	if width(v.typ) == 4 {
		in := slice[int32](v)
		return func(i int32) int64 { return int64(in[i&m]) }
	}
	in := slice[int64](v)
	return func(i int32) int64 { return in[i&m] }
}

// negateInterval is - and abs: it fails for the value that has no opposite.
func negateInterval(name string, t columnar.Type) kernel {
	err := &EvalError{"ARITHMETIC_OVERFLOW", "overflow of " + t.String() + " in " + name + "."}
	if name != "abs" {
		err.Condition = "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"
	}
	return intervalKernel(t, func(f *frame) { oppose[int64](f, name == "abs", err) }, func(f *frame) { oppose[int32](f, name == "abs", err) })
}

func oppose[T int32 | int64](f *frame, positive bool, err error) {
	in, m, out := slice[T](f.args[0]), f.args[0].mask(), slice[T](f.out)
	for _, i := range f.rows {
		v := in[i&m]
		if positive && v >= 0 {
			out[i] = v
			continue
		}
		out[i] = -v
		if v != 0 && v == -v {
			f.fail(i, err)
		}
	}
}

func signOfInterval(f *frame) {
	read, out := wideIntegers(f.args[0]), slice[float64](f.out)
	for _, i := range f.rows {
		out[i] = sign(float64(read(i)))
	}
}
