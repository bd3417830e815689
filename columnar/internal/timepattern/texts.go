package timepattern

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	eraNames   = []string{"Before Christ", "Anno Domini"}
	shortEras  = []string{"BC", "AD"}
	halves     = []string{"AM", "PM"}
	quarters   = []string{"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"}
	shortQs    = []string{"Q1", "Q2", "Q3", "Q4"}

	shortMonths, shortDays = firstThree(monthNames), firstThree(dayNames)
)

func firstThree(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s[:3]
	}
	return out
}

// texts are the names of the values of a field, four letters for the full ones.
func texts(f field, letters int) []string {
	short, full := map[field][]string{era: shortEras, halfDay: halves, dayOfWeek: shortDays, month: shortMonths, quarter: shortQs}[f],
		map[field][]string{era: eraNames, halfDay: halves, dayOfWeek: dayNames, month: monthNames, quarter: quarters}[f]
	if letters == 4 {
		return full
	}
	return short
}

// base is the value of the first name of a field.
func base(f field) int64 {
	if f == era || f == halfDay {
		return 0
	}
	return 1
}
