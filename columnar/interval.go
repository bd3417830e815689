package columnar

// The units of intervals, coarse to fine. A day-time interval spans some of DAY to
// SECOND, a year-month interval some of YEAR to MONTH.
const (
	DayUnit uint8 = iota
	HourUnit
	MinuteUnit
	SecondUnit
)

// The units of a year-month interval.
const (
	YearUnit uint8 = iota
	MonthUnit
)

var (
	dayTimeUnits   = [...]string{"DAY", "HOUR", "MINUTE", "SECOND"}
	yearMonthUnits = [...]string{"YEAR", "MONTH"}
)

// DayTimeInterval is the type INTERVAL first TO last, a number of microseconds. Its
// units say how it prints; they do not bound its values.
func DayTimeInterval(first, last uint8) Type {
	return Type{Kind: DayTimeIntervalKind, Precision: first, Scale: last}
}

// YearMonthInterval is the type INTERVAL first TO last, a number of months.
func YearMonthInterval(first, last uint8) Type {
	return Type{Kind: YearMonthIntervalKind, Precision: first, Scale: last}
}

// Interval reports whether t is an interval.
func (t Type) Interval() bool {
	return t.Kind == DayTimeIntervalKind || t.Kind == YearMonthIntervalKind
}

// Units are the first and the last unit of an interval.
func (t Type) Units() (first, last uint8) { return t.Precision, t.Scale }

func (t Type) intervalText() string {
	names := dayTimeUnits[:]
	if t.Kind == YearMonthIntervalKind {
		names = yearMonthUnits[:]
	}
	if t.Precision == t.Scale {
		return "INTERVAL " + names[t.Precision]
	}
	return "INTERVAL " + names[t.Precision] + " TO " + names[t.Scale]
}
