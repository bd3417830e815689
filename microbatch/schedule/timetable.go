package schedule

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Timetable is a cron expression in a time zone, moved by a fixed part of a jitter. The zero value is never due.
type Timetable struct {
	text  string
	spec  *cron.SpecSchedule
	zone  *time.Location
	shift time.Duration
}

var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// horizon is how far ahead a time is looked for. Leap days are eight years apart at most.
const horizon = 9 * 366 * 24 * time.Hour

// Parse reads a cron expression with the five usual fields, or @hourly and the like. The times are those of the zone. Each comes later
// by a part of the jitter that depends on the name alone, so that many pipelines with the same expression do not
// start together, and one pipeline always starts at the same second.
func Parse(expression string, zone *time.Location, jitter time.Duration, name string) (Timetable, error) {
	if strings.Contains(expression, "TZ=") {
		return Timetable{}, errors.New("the zone is not part of the expression; say timezone: Europe/Berlin")
	}
	parsed, err := parser.Parse(expression)
	if err != nil {
		return Timetable{}, fmt.Errorf("%q is no cron expression such as */15 * * * * (minute, hour, day, month, weekday): %w", expression, err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return Timetable{}, fmt.Errorf("%q has no fixed times; say */15 * * * * for every quarter of an hour", expression)
	}
	t := Timetable{text: expression, spec: spec, zone: zone, shift: share(jitter, name)}
	if t.Next(time.Unix(0, 0)).IsZero() {
		return Timetable{}, fmt.Errorf("%q never comes: there is no such day", expression)
	}
	return t, nil
}

// share is the part of a jitter that a name gets, in whole seconds where the jitter has some.
func share(jitter time.Duration, name string) time.Duration {
	if jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	d := time.Duration(h.Sum64() % uint64(jitter))
	if jitter >= time.Second {
		d = d.Truncate(time.Second)
	}
	return d
}

// Set reports whether there is an expression.
func (t Timetable) Set() bool { return t.spec != nil }

// Shift is how much later than the expression says the times come.
func (t Timetable) Shift() time.Duration { return t.shift }

// String is the expression with its zone.
func (t Timetable) String() string {
	if !t.Set() {
		return ""
	}
	return t.text + " " + t.zone.String()
}

// Next is the first time after another one at which the pipeline is due; zero if there is none.
func (t Timetable) Next(after time.Time) time.Time {
	if !t.Set() {
		return time.Time{}
	}
	at := t.next(after.Add(-t.shift))
	if at.IsZero() {
		return at
	}
	return at.Add(t.shift).UTC()
}

// Between counts the times after one and up to another, as far as most.
func (t Timetable) Between(after, until time.Time, most int) int {
	n := 0
	for at := t.Next(after); n < most && !at.IsZero() && !at.After(until); at = t.Next(at) {
		n++
	}
	return n
}

// next walks along the time itself, not along the clock on the wall: what the clock leaves out in spring never comes, what
// it shows twice in autumn comes twice, and no day without a midnight is in the way.
func (t Timetable) next(after time.Time) time.Time {
	at := after.Truncate(time.Minute).Add(time.Minute)
	for end := after.Add(horizon); at.Before(end); {
		wall := at.In(t.zone)
		switch {
		case !t.onDay(wall):
			at = nextDay(wall)
		case t.spec.Hour&(1<<wall.Hour()) == 0:
			at = at.Add(time.Duration(60-wall.Minute()) * time.Minute)
		case t.spec.Minute&(1<<wall.Minute()) == 0:
			at = at.Add(time.Minute)
		default:
			return at
		}
	}
	return time.Time{}
}

// nextDay is the beginning of the day after, or an hour later where the zone has none.
func nextDay(wall time.Time) time.Time {
	y, m, d := wall.Date()
	if next := time.Date(y, m, d+1, 0, 0, 0, 0, wall.Location()); next.Day() != d {
		return next
	}
	return wall.Add(time.Duration(60-wall.Minute()) * time.Minute)
}

// star is set in a field that was written as *.
const star = 1 << 63

// onDay reports whether the day of a time is meant. As everywhere in cron, a day of the month and a weekday mean either of them if both
// are given.
func (t Timetable) onDay(wall time.Time) bool {
	if t.spec.Month&(1<<wall.Month()) == 0 {
		return false
	}
	day, weekday := t.spec.Dom&(1<<wall.Day()) != 0, t.spec.Dow&(1<<wall.Weekday()) != 0
	if (t.spec.Dom|t.spec.Dow)&star != 0 {
		return day && weekday
	}
	return day || weekday
}
