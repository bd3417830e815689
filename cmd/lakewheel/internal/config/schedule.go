package config

import (
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/microbatch/schedule"
)

// scheduleSettings are what schedule: and timezone: say, as written.
type scheduleSettings struct {
	at, zoneAt ast.Node // where they stand; nil: they are not there
	cronAt     ast.Node
	cron       string
	zone       string
	jitter     time.Duration
}

// schedule reads a cron expression, or {cron, jitter}.
func (f *fileReader) schedule(n ast.Node) {
	f.times.at, f.times.cronAt = n, n // without a cron key its fault stands here
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		f.times.cron, _ = f.scalar(n, "schedule")
		return
	}
	f.fields(n, "schedule", map[string]func(ast.Node){
		"cron":   func(n ast.Node) { f.times.cronAt = n; f.string(&f.times.cron, "schedule.cron")(n) },
		"jitter": f.positive(&f.times.jitter, "schedule.jitter"),
	})
}

func (f *fileReader) timezone(n ast.Node) {
	f.times.zoneAt = n
	f.string(&f.times.zone, "timezone")(n)
}

// checkSchedule makes the timetable, once the name is known.
func (f *fileReader) checkSchedule() {
	s := f.times
	zone := f.zone()
	switch {
	case s.at == nil:
	case f.p.Sink.Console:
		f.fault(s.at, "schedule: a console sink keeps no position, so every run would begin at the start")
	default:
		var err error
		if f.p.Schedule, err = schedule.Parse(s.cron, zone, s.jitter, f.p.Name); err != nil {
			f.fault(s.cronAt, "schedule: %v", err)
		}
	}
}

// zone is the time zone of the schedule.
func (f *fileReader) zone() *time.Location {
	s := f.times
	if s.zoneAt == nil {
		return time.UTC
	}
	zone, err := time.LoadLocation(s.zone)
	switch {
	case s.at == nil:
		f.fault(s.zoneAt, "timezone: it is that of schedule, which is missing")
	case err != nil || s.zone == "" || s.zone == "Local":
		f.fault(s.zoneAt, "timezone: %q is no time zone such as Europe/Berlin", s.zone)
		return time.UTC
	}
	return zone
}
