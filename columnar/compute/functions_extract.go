package compute

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var extractFunctions = []function{
	entry("extract", "extract(FIELD FROM t)", "A part of a date, a time or an interval.", "extract(YEAR FROM DATE'2024-02-29')", 2, 2, bindExtract),
	entry("date_part", "date_part(field, t)", "A part of a date, a time or an interval.", "date_part('year', DATE'2024-02-29')", 2, 2, bindExtract),
	entry("datepart", "datepart(field, t)", "A part of a date, a time or an interval.", "datepart('year', DATE'2024-02-29')", 2, 2, bindExtract),
	entry("dayname", "dayname(d)", "Day of the week, 'Mon' to 'Sun'.", "dayname(DATE'2024-02-29')", 1, 1, bindName("Mon Tue Wed Thu Fri Sat Sun", func(_, days int64, _ int) int { return weekday(days) })),
	entry("monthname", "monthname(d)", "Month, 'Jan' to 'Dec'.", "monthname(DATE'2024-02-29')", 1, 1, bindName("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", func(_, _ int64, month int) int { return month - 1 })),
}

// extractFields maps the names of a field to one of them.
var extractFields = func() map[string]string {
	all := map[string]string{}
	for _, names := range []string{"YEAR Y YEARS YR YRS", "YEAROFWEEK", "QUARTER QTR", "MONTH MON MONS MONTHS", "WEEK W WEEKS", "DAY D DAYS", "DAYOFWEEK DOW",
		"DAYOFWEEK_ISO DOW_ISO", "DOY", "HOUR H HOURS HR HRS", "MINUTE M MIN MINS MINUTES", "SECOND S SEC SECONDS SECS"} {
		list := strings.Fields(names)
		for _, name := range list {
			all[name] = list[0]
		}
	}
	return all
}()

// extractParts bind the fields of a date or a time.
var extractParts = map[string]func(string, []Expr) (Expr, error){
	"YEAR": bindDateField(yearOf), "YEAROFWEEK": bindDateField(yearOfWeek), "QUARTER": bindDateField(quarterOf), "MONTH": bindDateField(monthOf),
	"WEEK": bindDateField(isoWeek), "DAY": bindDateField(dayOf), "DAYOFWEEK": bindDateField(dayOfWeek), "DAYOFWEEK_ISO": bindDateField(dayOfWeekISO),
	"DOY": bindDateField(dayOfYear), "HOUR": bindTimeField(sqltext.Hour, 24), "MINUTE": bindTimeField(sqltext.Minute, 60),
	"SECOND": bindSimple(columnar.Decimal(8, 6), secondsKernel, columnar.Timestamp),
}

func bindExtract(name string, args []Expr) (Expr, error) {
	field := Fold(args[0])
	if l, ok := field.(*literal); ok && l.value.allNull() {
		return typedNull(columnar.Double), nil
	}
	text, ok := textLiteral(field)
	if !ok {
		return nil, mismatch("NON_FOLDABLE_INPUT", "%s: the field should be a constant STRING, got %s.", name, args[0])
	}
	known, source := extractFields[strings.ToUpper(text)], args[1]
	if t := source.Type(); t.Interval() {
		return extractInterval(known, text, source)
	}
	bind, ok := extractParts[known]
	if !ok {
		return nil, noField(text, source)
	}
	name = strings.ToLower(known)
	switch known {
	case "WEEK":
		name = "weekofyear"
	case "DOY":
		name = "dayofyear"
	}
	return bind(name, []Expr{source})
}

func noField(text string, source Expr) error {
	return &TypeError{"INVALID_EXTRACT_FIELD", fmt.Sprintf("Cannot extract %s from %s, which is %s.", text, source, source.Type())}
}

func yearOfWeek(_ int64, _, _ int, days int64) int {
	year, _, _ := sqltext.Civil(days - int64(weekday(days)) + 3)
	return int(year)
}

func dayOfWeekISO(_ int64, _, _ int, days int64) int { return weekday(days) + 1 }

// secondsKernel gives the seconds of the minute with six decimals.
func secondsKernel(f *frame) {
	in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[decimalValue](f.out)
	for _, i := range f.rows {
		_, clock := sqltext.FloorDays(in[i&m])
		out[i] = decimal128.FromI64(clock % sqltext.Minute)
	}
}

// extractInterval gives a part of an interval, which its type must have.
func extractInterval(field, text string, source Expr) (Expr, error) {
	t := source.Type()
	names, unit := yearMonthNames, uint8(0)
	if isDayTime(t) {
		names = dayTimeNames
	}
	for int(unit) < len(names) && !strings.EqualFold(names[unit], field) {
		unit++
	}
	if int(unit) == len(names) || unit < t.Precision || unit > t.Scale {
		return nil, noField(text, source)
	}
	e := &call{name: "extract_" + strings.ToLower(field), args: []Expr{source}, typ: columnar.TinyInt}
	switch field {
	case "YEAR", "DAY":
		e.typ, e.run = columnar.Int, partOfInterval[int32](map[string]int64{"YEAR": 12, "DAY": sqltext.Day}[field], 1<<62)
	case "MONTH":
		e.run = partOfInterval[int8](1, 12)
	case "HOUR":
		e.run = partOfInterval[int8](sqltext.Hour, 24)
	case "MINUTE":
		e.run = partOfInterval[int8](sqltext.Minute, 60)
	default:
		e.typ, e.run = columnar.Decimal(8, 6), intervalSeconds
	}
	return e, nil
}

// partOfInterval counts whole units below the next coarser one.
func partOfInterval[T signed](unit, count int64) kernel {
	return func(f *frame) {
		read, out := wideIntegers(f.args[0]), slice[T](f.out)
		for _, i := range f.rows {
			out[i] = T(read(i) / unit % count)
		}
	}
}

func intervalSeconds(f *frame) {
	read, out := wideIntegers(f.args[0]), slice[decimalValue](f.out)
	for _, i := range f.rows {
		out[i] = decimal128.FromI64(read(i) % sqltext.Minute)
	}
}

// bindName binds a function that gives one of the words by a part of a date.
func bindName(words string, index func(year, days int64, month int) int) func(string, []Expr) (Expr, error) {
	list := strings.Fields(words)
	run := func(f *frame) {
		in, m := slice[int32](f.args[0]), f.args[0].mask()
		for _, i := range f.rows {
			days := int64(in[i&m])
			year, month, _ := sqltext.Civil(days)
			f.put(f.out, i, []byte(list[index(year, days, month)]))
		}
	}
	return bindSimple(columnar.String, run, columnar.Date)
}
