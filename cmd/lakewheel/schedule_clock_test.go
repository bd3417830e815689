package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/lakewheel/lakewheel/microbatch/schedule"
)

// scheduleClock moves on when every scheduler sleeps and nothing runs: hours take milliseconds, and nothing is missed.
type scheduleClock struct {
	mu       sync.Mutex
	now      time.Time
	sleepers map[chan struct{}]time.Time
}

func newScheduleClock() *scheduleClock {
	return &scheduleClock{now: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), sleepers: map[chan struct{}]time.Time{}}
}

func (c *scheduleClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *scheduleClock) Sleep(ctx context.Context, d time.Duration) error {
	wake := make(chan struct{})
	c.mu.Lock()
	c.sleepers[wake] = c.now.Add(d)
	c.mu.Unlock()
	select {
	case <-wake:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.sleepers, wake)
		return context.Cause(ctx)
	}
}

// pass moves the clock while nobody sleeps.
func (c *scheduleClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// advance moves to the first time that one of so many sleepers waits for and wakes all that do, and reports whether it did: not if they are
// not that many yet, nor beyond the end.
func (c *scheduleClock) advance(sleepers int, end time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sleepers) != sleepers {
		return false
	}
	first := end.Add(1)
	for _, at := range c.sleepers {
		if at.Before(first) {
			first = at
		}
	}
	if first.After(end) {
		c.now = end
		return false
	}
	if first.After(c.now) {
		c.now = first
	}
	for wake, at := range c.sleepers {
		if !at.After(c.now) {
			delete(c.sleepers, wake)
			close(wake)
		}
	}
	return true
}

// run runs schedulers for so long, and returns with what each has ended; at is called whenever the clock has moved.
func (c *scheduleClock) run(t *testing.T, d time.Duration, at func(), schedulers ...*schedule.Scheduler) []error {
	end, stop := c.Now().Add(d), make(chan struct{})
	errs, live := make([]error, len(schedulers)), map[int]*schedule.Scheduler{}
	done := make(chan int)
	for i, s := range schedulers {
		live[i] = s
		go func() { errs[i] = s.Run(t.Context(), stop); done <- i }()
	}
	for stopped := false; len(live) > 0; {
		select {
		case i := <-done:
			delete(live, i)
		case <-time.After(20 * time.Microsecond):
		}
		switch {
		case stopped || len(live) == 0 || busy(live):
		case !c.Now().Before(end):
			close(stop)
			stopped = true
		case c.advance(len(live), end):
			at()
		}
	}
	return errs
}

func busy(schedulers map[int]*schedule.Scheduler) bool {
	for _, s := range schedulers {
		status := s.Status()
		if len(status) == 0 {
			return true
		}
		for _, j := range status {
			if j.Running {
				return true
			}
		}
	}
	return false
}
