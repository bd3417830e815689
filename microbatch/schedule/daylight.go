package schedule

import (
	"fmt"
	"time"
)

// everyHour has a bit for each hour.
const everyHour = 1<<24 - 1

// Daylight names the times between two that the clock of the zone leaves out or shows twice when it is changed, a sentence
// each. A timetable that comes in every hour has none: it goes on at the same pace.
func (t Timetable) Daylight(from, until time.Time) []string {
	if !t.Set() || t.spec.Hour&everyHour == everyHour {
		return nil
	}
	var out []string
	for at := from.In(t.zone); ; {
		_, change := at.ZoneBounds()
		if change.IsZero() || change.After(until) {
			return out
		}
		out = append(out, t.atChange(change)...)
		at = change
	}
}

// atChange looks at one change of the clock: forward, it goes over some minutes; back, it has some once more.
func (t Timetable) atChange(change time.Time) []string {
	_, before := change.Add(-time.Second).In(t.zone).Zone()
	_, after := change.In(t.zone).Zone()
	first, last, what := before, after, "is left out there, and so is the run"
	if after < before {
		first, last, what = after, before, "comes twice there, and so does the run"
	}
	// The minutes as a clock without changes would show them.
	wall := change.UTC().Add(time.Duration(first) * time.Second)
	for end := change.UTC().Add(time.Duration(last) * time.Second); wall.Before(end); wall = wall.Add(time.Minute) {
		if t.onDay(wall) && t.spec.Hour&(1<<wall.Hour()) != 0 && t.spec.Minute&(1<<wall.Minute()) != 0 {
			return []string{fmt.Sprintf("%s %s: the clock changes, %s %s", t.zone, wall.Format("2006-01-02"), wall.Format("15:04"), what)}
		}
	}
	return nil
}
