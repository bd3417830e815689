package schedule

import (
	"context"
	"time"
)

// Job is a pipeline that runs by the clock.
type Job struct {
	Name  string
	Times Timetable
	// Last is when the newest commit of the pipeline was, by the batch time in its table; zero if there is none. It is
	// asked once, at the start.
	Last func(ctx context.Context) (time.Time, error)
	// Run is one catch-up. Once stop is closed it ends early, with what it has committed. Only one runs at a time.
	Run func(ctx context.Context, stop <-chan struct{}) (Outcome, error)
}

// Outcome is what a catch-up did.
type Outcome struct {
	Batches int64 // 0: there was nothing new
	Rows    int64 // that the table got
	Version int64 // of the table; it means something only if there were batches
}

// Result is one run, or a try to find out when the newest commit was.
type Result struct {
	Due     time.Time // the time it was for; zero: a try after a failure, or the look at the table
	Missed  int       // further times that passed before it began, and that it stands for
	Started time.Time
	Ended   time.Time
	Outcome
	Err error
	// Same counts the runs in a row that failed in a batch that begins at the same offsets, this one included; 0 if it did not fail. From the
	// second one on, Advice says what can be done.
	Same   int
	Advice string
}

// Status is where a job stands.
type Status struct {
	Name    string
	Times   Timetable
	Newest  time.Time // of the newest commit when the scheduler started; zero if there was none
	Last    *Result   // of this process; nil before its first
	Next    time.Time // zero: it runs, or has ended
	Running bool
	Ended   error // why it does not run in this process any more
}
