// Package schedule runs pipelines by the clock: many of them in one process, each as a catch-up that reads what is there
// and ends.
//
// # Model
//
// A [Timetable] says when a pipeline is due; it is pure. A [Scheduler] is one loop over its jobs: it starts what is due, as long as
// there is room, and sleeps until the next one is.
//
//  1. Look: the newest commit of the pipeline in its table says when it ran last. There is no other memory, so the
//     times that passed while no scheduler was up become one run, like those that passed during a run.
//  2. Wait: until the first time after that, or after a failure until the pause is over.
//  3. Run, one at a time for each pipeline. Its times up to the start of the run are served then, whether or not there was
//     anything new.
//  4. Judge: done; failed, which only this pipeline waits for, longer each time; or fenced, which ends the pipeline in this process: the one that
//     fenced it goes on.
//
// # Ownership
//
// [Scheduler.Run] owns every goroutine it starts and returns after the last has ended.
package schedule
