package schedule

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
)

// Scheduler runs jobs by the clock. Set it up and call Run once; Status may be called at any time.
type Scheduler struct {
	Jobs  []Job
	Clock microbatch.Clock
	Log   *slog.Logger
	// Parallel is how many runs there are at once, at least 1; what is due beyond that waits, the longest due first.
	Parallel int
	Pause    Pause
	// OnResult is called with every run that has ended, by one goroutine at a time; next is zero if the job has ended, too. Nil: nobody
	// wants to know.
	OnResult func(job string, r Result, next time.Time)

	mu    sync.Mutex // guards the lines, which the loop alone changes
	lines []*line
}

// ending is the message of a job's goroutine to the loop.
type ending struct {
	line   *line
	look   bool      // it asked the table
	newest time.Time // what that said
	result Result
}

// Run starts what is due until stop is closed and the runs have ended, which is nil. It ends earlier once every job was fenced, with the error of
// the last one, or with that of ctx, whose end is the end of all runs.
func (s *Scheduler) Run(ctx context.Context, stop <-chan struct{}) error {
	s.open()
	done := make(chan ending)
	hard := ctx.Done()
	for active, stopped := 0, false; ; {
		if !stopped {
			active += s.start(ctx, stop, done, s.Parallel-active)
		}
		if over := s.over(); active == 0 && (stopped || over != nil) {
			return errors.Join(over, context.Cause(ctx))
		}
		alarm, cancel := s.alarm(ctx, !stopped && active < s.Parallel)
		select {
		case e := <-done:
			active--
			s.settle(e)
		case <-stop:
			stopped, stop = true, nil
		case <-hard: // the runs see it, too
			stopped, hard = true, nil
		case <-alarm:
		}
		cancel()
	}
}

// open makes the lines; each begins with a look at its table.
func (s *Scheduler) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock.Now()
	for _, j := range s.Jobs {
		s.lines = append(s.lines, &line{job: j, served: now})
	}
}

// over is the error of the last job that ended, if all have.
func (s *Scheduler) over() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last error
	for _, l := range s.lines {
		if l.ended == nil {
			return nil
		}
		last = l.ended
	}
	return last
}

// start starts what is due, as far as there is room, and returns how many that were.
func (s *Scheduler) start(ctx context.Context, stop <-chan struct{}, done chan<- ending, room int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock.Now()
	var due []*line
	for _, l := range s.lines {
		if at := l.due(); !at.IsZero() && !at.After(now) {
			due = append(due, l)
		}
	}
	slices.SortStableFunc(due, func(a, b *line) int { return cmp.Or(a.due().Compare(b.due()), cmp.Compare(a.job.Name, b.job.Name)) })
	due = due[:min(len(due), room)]
	for _, l := range due {
		e := ending{line: l, look: !l.looked, result: l.begin(now)}
		go func() { done <- s.do(ctx, stop, e) }()
	}
	return len(due)
}

// do is one run of a job, or its look at the table.
func (s *Scheduler) do(ctx context.Context, stop <-chan struct{}, e ending) ending {
	if e.look {
		e.newest, e.result.Err = e.line.job.Last(ctx)
	} else {
		e.result.Outcome, e.result.Err = e.line.job.Run(ctx, stop)
	}
	e.result.Ended = s.Clock.Now()
	return e
}

// settle takes note of what has ended.
func (s *Scheduler) settle(e ending) {
	s.mu.Lock()
	if e.look && e.result.Err == nil {
		e.line.find(e.newest, e.result.Ended)
		e.line.running = false
		s.mu.Unlock()
		return
	}
	r := e.line.finish(e.result, s.Pause)
	next := e.line.due()
	s.mu.Unlock()
	s.tell(e.line.job.Name, r, next)
	if s.OnResult != nil {
		s.OnResult(e.line.job.Name, r, next)
	}
}

// tell logs what went wrong.
func (s *Scheduler) tell(job string, r Result, next time.Time) {
	log := s.Log.With("pipeline", job)
	switch {
	case r.Err == nil:
		if r.Missed > 0 {
			log.Info("one run stood for the times that passed before it", "missed", r.Missed, "due", r.Due)
		}
	case errors.Is(r.Err, microbatch.ErrAbandoned), errors.Is(r.Err, context.Canceled):
	case errors.Is(r.Err, committer.ErrFenced):
		log.Error("this process no longer runs the pipeline: " + r.Err.Error())
	default:
		log.Error(r.Err.Error(), "next_try", next.UTC().Format(time.RFC3339))
		if r.Advice != "" {
			log.Error(r.Advice)
		}
	}
}

// alarm returns a channel that closes when something is due, nil if that is not waited for. The function it returns ends the wait.
func (s *Scheduler) alarm(ctx context.Context, wanted bool) (<-chan struct{}, func()) {
	if !wanted {
		return nil, func() {}
	}
	until := s.nextDue()
	if until.IsZero() {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	rings := make(chan struct{})
	go func() {
		defer close(rings)
		_ = s.Clock.Sleep(ctx, until.Sub(s.Clock.Now())) // an early end is looked at by the loop
	}()
	return rings, func() { cancel(); <-rings }
}

func (s *Scheduler) nextDue() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first time.Time
	for _, l := range s.lines {
		if at := l.due(); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// Status tells where each job stands, in their order.
func (s *Scheduler) Status() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Status, len(s.lines))
	for i, l := range s.lines {
		out[i] = Status{Name: l.job.Name, Times: l.job.Times, Newest: l.newest, Last: l.last, Next: l.due(), Running: l.running, Ended: l.ended}
	}
	return out
}
