package planner

import "fmt"

// intervalWords prints microseconds in the largest unit that divides them: "90 seconds".
func intervalWords(us int64) string {
	unit := wordUnits[len(wordUnits)-1]
	for _, u := range wordUnits {
		if us%u.micros == 0 && us != 0 {
			unit = u
			break
		}
	}
	n := us / unit.micros
	if n == 1 {
		return "1 " + unit.name
	}
	return fmt.Sprintf("%d %ss", n, unit.name)
}

var wordUnits = []struct {
	name   string
	micros int64
}{{"day", 86_400_000_000}, {"hour", 3_600_000_000}, {"minute", 60_000_000}, {"second", 1_000_000}, {"millisecond", 1000}, {"microsecond", 1}}
