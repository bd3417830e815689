package compute

import (
	"errors"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var (
	dayTimeNames   = []string{"day", "hour", "minute", "second"}
	yearMonthNames = []string{"year", "month"}
)

// IntervalWords is the literal that words such as 1 day -2 hours denote. Its type spans
// the units that are named; months and shorter units do not go together. A fault is a
// [*TypeError].
func IntervalWords(text string) (Expr, error) {
	w, err := sqltext.ParseWords(text)
	if err != nil {
		return nil, intervalError(text, err)
	}
	months, first, last := unitsOfWords(w.Units)
	switch {
	case months && w.Days == 0 && w.Micros == 0 && first != mixedUnits:
		return YearMonthValue(w.Months, columnar.YearMonthInterval(first, last)), nil
	case first == mixedUnits:
		return nil, &TypeError{"UNSUPPORTED_FEATURE.INTERVAL", "an interval of months and of days or shorter units at once is not supported, in '" + strings.TrimSpace(text) + "'; write two."}
	}
	us, ok := w.Duration()
	if !ok {
		return nil, intervalError(text, sqltext.ErrIntervalRange)
	}
	return DayTimeValue(us, columnar.DayTimeInterval(first, last)), nil
}

const mixedUnits = 255

// unitsOfWords finds the coarsest and the finest unit; first is mixedUnits if there are
// some of both families.
func unitsOfWords(units []string) (months bool, first, last uint8) {
	first = mixedUnits
	families := [2]bool{}
	for _, unit := range units {
		switch unit {
		case "week":
			unit = "day"
		case "millisecond", "microsecond":
			unit = "second"
		}
		n := slices.Index(yearMonthNames, unit)
		families[bit(n < 0)] = true
		if n < 0 {
			n = slices.Index(dayTimeNames, unit)
		}
		first, last = min(first, uint8(n)), max(last, uint8(n))
	}
	if families[0] && families[1] {
		first = mixedUnits
	}
	return families[0], first, last
}

// IntervalFromTo is the literal INTERVAL 'text' first TO last.
func IntervalFromTo(text, first, last string) (Expr, error) {
	a, b := slices.Index(yearMonthNames, first), slices.Index(yearMonthNames, last)
	if a >= 0 && b > a {
		months, err := sqltext.ParseYearMonth([]byte(text), uint8(a), uint8(b))
		if err != nil {
			return nil, fromToError(text, yearMonth, err)
		}
		return YearMonthValue(months, yearMonth), nil
	}
	a, b = slices.Index(dayTimeNames, first), slices.Index(dayTimeNames, last)
	if a < 0 || b <= a {
		return nil, &TypeError{"INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION", "there is no INTERVAL " + strings.ToUpper(first+" TO "+last) + "."}
	}
	t := columnar.DayTimeInterval(uint8(a), uint8(b))
	us, err := sqltext.ParseDayTime([]byte(text), uint8(a), uint8(b))
	if err != nil {
		return nil, fromToError(text, t, err)
	}
	return DayTimeValue(us, t), nil
}

func fromToError(text string, t columnar.Type, err error) error {
	var fault *EvalError
	errors.As(intervalFault([]byte(text), t, err), &fault)
	return &TypeError{fault.Condition, "'" + text + "' is no " + t.String() + ": " + err.Error() + "."}
}

func intervalError(text string, err error) error {
	condition := map[error]string{
		sqltext.ErrIntervalFraction: "INVALID_FRACTION", sqltext.ErrIntervalUnit: "INVALID_UNIT", sqltext.ErrIntervalNumber: "UNRECOGNIZED_NUMBER",
		sqltext.ErrIntervalRange: "ARITHMETIC_EXCEPTION", sqltext.ErrIntervalValue: "INVALID_VALUE", sqltext.ErrSyntax: "MISSING_UNIT",
	}[err]
	return &TypeError{"INVALID_INTERVAL_FORMAT." + condition, "'" + strings.TrimSpace(text) + "' is no interval: " + err.Error() + "."}
}
