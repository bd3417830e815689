package schedule

import (
	"errors"
	"time"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
)

// line is what the loop knows of a job. Its methods decide and do nothing else.
type line struct {
	job    Job
	looked bool      // its table was asked when the newest commit was
	newest time.Time // of that commit
	served time.Time // times up to here need no run

	running  bool
	failures int       // in a row
	retry    time.Time // after a failure: the next try
	stuck    microbatch.Stuck
	last     *Result
	ended    error
}

// due is when the line is to do something next; zero: not before something else happens. A failure holds for its pause, whatever
// the timetable says, and does not wait for the timetable either: a nightly run is tried again in the same night.
func (l *line) due() time.Time {
	switch {
	case l.running || l.ended != nil:
		return time.Time{}
	case l.failures > 0:
		return l.retry
	case !l.looked:
		return l.served
	}
	return l.job.Times.Next(l.served)
}

// find takes over what the table says. A pipeline that has never committed waits for its first time; a commit from the future, by the
// clock of another machine, must not hold it up.
func (l *line) find(newest, now time.Time) {
	l.looked, l.newest, l.failures = true, newest, 0
	l.served = now
	if !newest.IsZero() && newest.Before(now) {
		l.served = newest
	}
}

// manyMissed is as far as missed times are counted.
const manyMissed = 10_000

// begin is the result that a run starts with.
func (l *line) begin(now time.Time) Result {
	l.running = true
	r := Result{Started: now}
	if passed := l.job.Times.Between(l.served, now, manyMissed); l.looked && passed > 0 {
		r.Due, r.Missed = l.job.Times.Next(l.served), passed-1
	}
	return r
}

// finish judges a run that has ended.
func (l *line) finish(r Result, pause Pause) Result {
	l.running = false
	switch {
	case r.Err == nil:
		l.served, l.failures = r.Started, 0
		l.stuck.Reset()
	case errors.Is(r.Err, committer.ErrFenced):
		l.ended = r.Err
	default:
		l.failures++
		l.retry = r.Ended.Add(pause.After(l.failures))
		if r.Batches > 0 {
			l.stuck.Reset()
		}
		r.Same, r.Advice = l.stuck.Failed(r.Err), l.stuck.Advice()
	}
	l.last = &r
	return r
}

// Pause is how long a job waits after failures: First after the first one, twice as long after each further one, Longest at most.
type Pause struct{ First, Longest time.Duration }

// After is the pause after so many failures in a row, at least one.
func (p Pause) After(failures int) time.Duration {
	d := p.First
	for i := 1; i < failures && d < p.Longest; i++ {
		d *= 2
	}
	return min(d, p.Longest)
}
