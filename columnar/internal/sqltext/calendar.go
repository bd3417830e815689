package sqltext

// Units of a TIMESTAMP.
const (
	Second = 1_000_000
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// Days is the number of days from 1970-01-01 to a date of the proleptic Gregorian
// calendar. The month is 1..12; the day may be beyond its month.
func Days(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	shifted := int64(month+9) % 12
	doy := (153*shifted+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// Civil is the inverse of Days.
func Civil(days int64) (year int64, month, day int) {
	days += 719468
	era := floorDiv(days, 146097)
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	shifted := (5*doy + 2) / 153
	month = int(shifted) + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, int(doy-(153*shifted+2)/5) + 1
}

// MonthLength is the number of days of a month.
func MonthLength(year int64, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// FloorDays splits a TIMESTAMP into its day and the microseconds since midnight.
func FloorDays(us int64) (days, rest int64) {
	days = floorDiv(us, Day)
	return days, us - days*Day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// JoinDays is the inverse of FloorDays; false if the TIMESTAMP leaves 64 bits.
func JoinDays(days, rest int64) (us int64, ok bool) { return micros(days, rest) }
