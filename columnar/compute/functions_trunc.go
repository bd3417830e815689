package compute

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var truncFunctions = []function{
	entry("date_trunc", "date_trunc(unit, t)", "TIMESTAMP cut to a unit, 'YEAR' to 'MICROSECOND'.", "date_trunc('HOUR', t)", 2, 2, bindDateTrunc),
	entry("trunc", "trunc(d, unit)", "DATE cut to 'YEAR', 'QUARTER', 'MONTH' or 'WEEK'.", "trunc(d, 'MONTH')", 2, 2, bindTrunc),
}

// A truncation cuts to a number of microseconds, or to a day that day finds.
type truncation struct {
	micros int64
	day    func(days int64) int64
}

// truncations are by Spark's names of units, in upper case.
var truncations = map[string]truncation{
	"YEAR": {day: yearStart}, "YYYY": {day: yearStart}, "YY": {day: yearStart}, "QUARTER": {day: quarterStart},
	"MONTH": {day: monthStart}, "MM": {day: monthStart}, "MON": {day: monthStart}, "WEEK": {day: weekStart},
	"DAY": {micros: sqltext.Day}, "DD": {micros: sqltext.Day}, "HOUR": {micros: sqltext.Hour}, "MINUTE": {micros: sqltext.Minute}, "SECOND": {micros: sqltext.Second},
	"MILLISECOND": {micros: 1000}, "MICROSECOND": {micros: 1},
}

func yearStart(days int64) int64 {
	year, _, _ := sqltext.Civil(days)
	return sqltext.Days(year, 1, 1)
}

func quarterStart(days int64) int64 {
	year, month, _ := sqltext.Civil(days)
	return sqltext.Days(year, (month-1)/3*3+1, 1)
}

func monthStart(days int64) int64 {
	year, month, _ := sqltext.Civil(days)
	return sqltext.Days(year, month, 1)
}

func weekStart(days int64) int64 { return days - int64(weekday(days)) }

// cut truncates; false if the result leaves 64 bits.
func (u truncation) cut(us int64) (int64, bool) {
	if u.day != nil {
		days, _ := sqltext.FloorDays(us)
		return sqltext.JoinDays(u.day(days), 0)
	}
	rest := us % u.micros
	if rest < 0 {
		rest += u.micros
	}
	return us - rest, us-rest <= us
}

// capitals writes a word in upper case into a buffer; nil if it is longer.
func capitals(buf *[16]byte, word []byte) []byte {
	if len(word) > len(buf) {
		return nil
	}
	for i, c := range word {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	return buf[:len(word)]
}

// byWord gives what a map has for the word of each row, in any case. That of a constant
// is looked up once.
func byWord[T any](known map[string]T, v *vector) func(row int32) (T, bool) {
	var buf [16]byte
	if v.one {
		found, ok := known[string(capitals(&buf, v.bytesAt(0)))]
		return func(int32) (T, bool) { return found, ok }
	}
	return func(row int32) (T, bool) {
		found, ok := known[string(capitals(&buf, v.bytesAt(row)))]
		return found, ok
	}
}

// bindDateTrunc binds date_trunc; an unknown unit gives NULL, as in Spark, which then
// does not compute the time.
func bindDateTrunc(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.String, columnar.Timestamp)
	if err != nil {
		return nil, err
	}
	if text, ok := textLiteral(Fold(list[0])); ok && !known(text) {
		return typedNull(columnar.Timestamp), nil
	}
	run := func(f *frame) {
		in, m, out := slice[int64](f.args[1]), f.args[1].mask(), slice[int64](f.out)
		units := byWord(truncations, f.args[0])
		for _, i := range f.rows {
			unit, known := units(i)
			if !known {
				f.setNull(f.out, i)
				continue
			}
			us, ok := unit.cut(in[i&m])
			out[i] = us
			if !ok {
				f.fail(i, &EvalError{"ARITHMETIC_OVERFLOW", fmt.Sprintf("long overflow in %s.", name)})
			}
		}
	}
	return &call{name: name, args: list, typ: columnar.Timestamp, nullable: true, run: run}, nil
}

func known(unit string) bool {
	_, ok := truncations[strings.ToUpper(unit)]
	return ok
}

// bindTrunc binds trunc, which knows no unit below a week.
func bindTrunc(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.Date, columnar.String)
	if err != nil {
		return nil, err
	}
	if text, ok := textLiteral(Fold(list[1])); ok && truncations[strings.ToUpper(text)].day == nil {
		return typedNull(columnar.Date), nil
	}
	run := func(f *frame) {
		in, m, out := slice[int32](f.args[0]), f.args[0].mask(), slice[int32](f.out)
		units := byWord(truncations, f.args[1])
		for _, i := range f.rows {
			unit, known := units(i)
			if !known || unit.day == nil {
				f.setNull(f.out, i)
				continue
			}
			out[i] = int32(unit.day(int64(in[i&m])))
		}
	}
	return &call{name: name, args: list, typ: columnar.Date, nullable: true, run: run}, nil
}
