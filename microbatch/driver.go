package microbatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// ErrAbandoned: a graceful stop took longer than the drain timeout, and the batch was dropped. The
// next start reads it again.
var ErrAbandoned = errors.New("the open batch was abandoned, which loses nothing")

// driver is the state of one Run.
type driver struct {
	q       Query
	cancel  context.CancelCauseFunc // hard stop of this run
	stopCtx context.Context         // ends when a graceful stop is asked for

	position  []offsets.Progress // planned so far, by input
	nextBatch int64
	round     int64               // batches that ran
	lastStart time.Time           // of the newest batch; zero before the first
	finalEnds []offsets.Positions // of an available-now run, by input
	bad       []badWindow         // by input
	rations   []*ration           // by input
	owed      bool                // a batch without data was due when the process ended
	fresh     bool                // nothing has run since the start
	marks     *watermarks
	keepers   []*keeper       // of the operators' state
	ledgers   []*ledger       // of sources that keep one
	warned    map[string]bool // partitions whose late rows were spoken of

	fold     *fold      // open; nil between commits
	inflight chan error // the commit that runs, nil if none
}

// Run runs the query until it is stopped, drained (available now) or fails. It returns nil after a graceful
// stop or a finished drain, ErrAbandoned if the drain timeout cut a batch off, and otherwise
// the error that ended the run; errors.Is tells fencing, lost positions and data loss apart.
//
// Where the input says to skip what is lost, rows that vanish between planning and reading end the attempt, not the run: the
// query is opened again from its newest commit, and planning then steps over the hole.
func Run(ctx context.Context, q Query) error {
	for attempt := 1; ; attempt++ {
		committed := false
		report := q.OnProgress
		once := q
		once.OnProgress = func(p Progress) {
			committed = true
			if report != nil {
				report(p)
			}
		}
		err := runOnce(ctx, once)
		if committed {
			attempt = 1
		}
		if !q.skipsLoss() || !errors.Is(err, source.ErrDataLoss) || attempt == maxAttempts {
			return err
		}
		q.Log.Warn("rows were lost while a batch read them; reading again from the newest commit", "error", err)
	}
}

func (q *Query) skipsLoss() bool {
	return slices.ContainsFunc(q.Inputs, func(in Input) bool { return in.SkipLoss })
}

// maxAttempts bounds how often a query is opened again without a commit in between.
const maxAttempts = 3

func runOnce(ctx context.Context, q Query) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := &driver{q: q, cancel: cancel, fresh: true, warned: map[string]bool{}, marks: newWatermarks(&q),
		position: make([]offsets.Progress, len(q.Inputs)), finalEnds: make([]offsets.Positions, len(q.Inputs)),
		keepers: newKeepers(q.Program, max(1, q.Limits.Workers)), ledgers: newLedgers(q.Inputs)}
	for _, in := range q.Inputs {
		d.bad, d.rations = append(d.bad, badWindow{limit: in.Bad}), append(d.rations, newRation(q.Limits, q.Trigger, in.Source))
	}
	defer d.watchStop(ctx)()
	defer q.Sink.Close()
	if err := d.recover(ctx); err != nil {
		return err
	}
	err := d.loop(ctx)
	if err == nil {
		err = d.flush(ctx)
	}
	d.fold.abort()
	if waitErr := d.waitCommit(); err == nil {
		err = waitErr
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// watchStop turns Query.Stop into a context, and starts the drain timeout when it fires. The function it
// returns ends the watch.
func (d *driver) watchStop(ctx context.Context) func() {
	stopCtx, stop := context.WithCancel(ctx)
	d.stopCtx = stopCtx
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-done:
			return
		case <-d.q.Stop:
		}
		stop()
		timer := time.NewTimer(d.q.DrainTimeout)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			d.cancel(ErrAbandoned)
		}
	}()
	return func() { close(done); <-ended; stop() }
}

// recover asks the sink where to go on.
func (d *driver) recover(ctx context.Context) error {
	pos, err := d.q.Sink.Open(ctx, d.fits)
	if err != nil {
		return err
	}
	if pos == nil {
		return d.emptyLedgers()
	}
	d.nextBatch = pos.LastBatch + 1
	d.marks.restore(pos, d.q.Event.SurvivesRestart)
	d.owed = pos.NoDataDue
	for i, in := range d.q.Inputs {
		if p, ok := pos.Sources[in.Name]; ok {
			d.position[i] = p
		}
	}
	if pos.LastBatch < 0 {
		return d.emptyLedgers()
	}
	return d.loadState(ctx, pos)
}

// emptyLedgers begins every ledger afresh.
func (d *driver) emptyLedgers() error {
	for _, l := range d.ledgers {
		if err := l.restore(stored{}, offsets.Progress{}); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether the query can go on from a position.
func (d *driver) fits(pos *Position) error {
	rest := maps.Clone(pos.Sources)
	for _, in := range d.q.Inputs {
		delete(rest, in.Name)
	}
	if name := firstKey(rest); name != "" {
		return fmt.Errorf("%w: the table was filled from source %s, which this pipeline does not have: name its source so, or give the pipeline another name", committer.ErrRefused, name)
	}
	if pos.LastBatch < 0 {
		return nil
	}
	_, _, err := takeOver(pos.Operators, d.operators())
	return err
}

// operators describes the operators of the query.
func (d *driver) operators() []committer.Operator {
	var out []committer.Operator
	for _, k := range d.keepers {
		out = append(out, k.op.Made)
	}
	return out
}

func firstKey(m map[string]offsets.Progress) string {
	name := ""
	for k := range m {
		if name == "" || k < name {
			name = k
		}
	}
	return name
}

// loop runs batches until a stop, the end of an available-now run, or an error.
func (d *driver) loop(ctx context.Context) error {
	for batches := 0; ; batches++ {
		tick := d.q.Clock.Now()
		if d.q.Trigger.Interval > 0 {
			tick = nextTick(tick, d.q.Trigger.Interval)
		} else {
			tick = tick.Add(idlePause)
		}
		b, err := d.trigger(ctx)
		if err != nil {
			return err
		}
		if d.stopping() || d.q.Trigger.AvailableNow && (b == nil || !b.limited && !d.due()) || batches+1 == d.q.Trigger.MaxBatches {
			return nil
		}
		if err := d.commitIfDue(ctx); err != nil {
			return err
		}
		d.learn(b)
		if d.q.Trigger.AvailableNow || d.q.Trigger.Interval == 0 && b != nil {
			continue
		}
		if more, err := d.wait(ctx, tick); !more || err != nil {
			return err
		}
	}
}

// learn tells the inputs how long a batch took.
func (d *driver) learn(b *batch) {
	if b == nil {
		return
	}
	now := d.q.Clock.Now()
	for i, r := range d.rations {
		r.learn(b.parts[i], now, now.Sub(b.start), b.gap)
	}
}

// trigger plans and runs one batch, if there is anything to read or a batch without data is due.
func (d *driver) trigger(ctx context.Context) (*batch, error) {
	b, err := d.plan(ctx)
	if b == nil || err != nil {
		return nil, err
	}
	if err := d.openFold(ctx, b); err != nil {
		return nil, err
	}
	t, err := d.run(ctx, b)
	for i := range t.inputs {
		if err == nil {
			err = d.bad[i].add(t.inputs[i].counts, t.inputs[i].first)
		}
	}
	if err != nil {
		return nil, failed(ctx, b, err)
	}
	d.warnLate(b, t)
	d.marks.after(t.seen, b.start.UnixMilli(), b.limited)
	firstStart := false
	for i := range b.parts {
		b.parts[i].rows = t.inputs[i].counts.In
		d.rations[i].measure(b.parts[i], t.inputs[i].bytes)
		b.parts[i].note(t.inputs[i].epochs)
		firstStart = firstStart || d.position[i].Kind == ""
		d.position[i] = b.parts[i].progress
	}
	d.fold.join(d.sources(), b, d.progress(b, t), firstStart)
	d.fold.watermarks, d.fold.active, d.fold.watermark = maps.Clone(d.marks.own), d.marks.activity(), d.marks.global
	d.nextBatch, d.lastStart, d.fresh = b.id+1, b.start, false
	d.fold.noDataDue = !b.limited && d.due()
	return b, nil
}

// due reports whether a batch without data has to run: the watermark has risen, and state may end with it.
func (d *driver) due() bool {
	if d.fresh && !d.q.Event.NoDataAtRestart {
		return false
	}
	return d.q.Event.NoDataBatches && d.marks.risen() && d.q.Program.Rises()
}

// sources are the positions of all inputs by name.
func (d *driver) sources() map[string]offsets.Progress {
	out := make(map[string]offsets.Progress, len(d.position))
	for i, in := range d.q.Inputs {
		out[in.Name] = d.position[i]
	}
	return out
}

func (d *driver) openFold(ctx context.Context, b *batch) error {
	if d.fold != nil {
		return nil
	}
	out, err := d.q.Sink.NewOutput(ctx)
	if err != nil {
		return err
	}
	d.fold = &fold{first: b.id, since: b.start, out: out}
	return nil
}

// join adds a batch that ran to the fold.
func (f *fold) join(sources map[string]offsets.Progress, b *batch, p Progress, firstStart bool) {
	f.last, f.time = b.id, b.start.UnixMilli()
	f.sources = sources
	f.progress = append(f.progress, p)
	f.urgent = f.urgent || firstStart || b.stepsOver()
}

// commitIfDue commits the open fold when its time has come, and reports a failed commit early.
func (d *driver) commitIfDue(ctx context.Context) error {
	if d.fold != nil && d.fold.due(d.q.Clock.Now(), d.q.Trigger.Interval, d.q.Commit) {
		return d.startCommit(ctx)
	}
	return context.Cause(ctx)
}

// startCommit waits for the commit before and commits the open fold in the background.
func (d *driver) startCommit(ctx context.Context) error {
	start := d.q.Clock.Now()
	if err := d.waitCommit(); err != nil {
		return err
	}
	f := d.fold
	f.waited(d.q.Clock.Now().Sub(start))
	if err := d.takeChanges(f); err != nil {
		return err
	}
	d.fold, d.inflight = nil, make(chan error, 1)
	go func(done chan<- error) {
		err := d.commit(ctx, f)
		if err != nil {
			d.cancel(err)
		}
		done <- err
	}(d.inflight)
	return nil
}

// takeChanges copies what the commit has to write of the state, before the next batch changes it.
func (d *driver) takeChanges(f *fold) error {
	if d.q.Sink.State() == nil {
		return nil
	}
	for _, k := range d.keepers {
		u, err := k.changes()
		if err != nil {
			return err
		}
		f.states = append(f.states, u)
	}
	for _, l := range d.ledgers {
		f.states = append(f.states, l.changes())
	}
	return nil
}

func (d *driver) waitCommit() error {
	if d.inflight == nil {
		return nil
	}
	err := <-d.inflight
	d.inflight = nil
	return err
}

// flush commits what is open and waits until it is published.
func (d *driver) flush(ctx context.Context) error {
	if d.fold != nil {
		if err := d.startCommit(ctx); err != nil {
			return err
		}
	}
	return d.waitCommit()
}

// commit commits one fold and reports its batches.
func (d *driver) commit(ctx context.Context, f *fold) error {
	start := d.q.Clock.Now()
	b := f.batch()
	b.Operators = d.operators()
	if err := f.writeResult(ctx); err != nil {
		f.abort()
		return err
	}
	for _, u := range f.states {
		files, err := u.save(ctx, d.q.Sink.State())
		if err != nil {
			f.abort()
			return err
		}
		b.State = append(b.State, files...)
	}
	res, err := d.q.Sink.Commit(ctx, b, f.out)
	if err != nil {
		f.abort()
		return err
	}
	d.report(f, res, d.q.Clock.Now().Sub(start))
	for _, in := range d.q.Inputs {
		a, ok := in.Source.(source.Acker)
		if !ok {
			continue
		}
		if err := a.Ack(ctx, f.sources[in.Name].Positions()); err != nil {
			d.q.Log.Warn("consumer group offsets were not written; only lag tools read them", "source", in.Name, "error", err)
		}
	}
	if err := d.q.Sink.Maintain(ctx); err != nil && ctx.Err() == nil {
		d.q.Log.Warn("maintenance after the commit failed; it is tried again after the next", "error", err)
	}
	return nil
}

func (d *driver) report(f *fold, res committer.Result, took time.Duration) {
	if d.q.OnProgress == nil {
		return
	}
	for i, p := range f.progress {
		p.Sink.Version, p.DurationMs["commitBatch"] = res.Version, 0
		if i == len(f.progress)-1 { // the commit belongs to the batch that ended the fold
			p.Sink.Files, p.Sink.Bytes, p.Sink.Requests = res.Files, res.Bytes, res.Requests
			p.Sink.MergedFiles, p.Sink.MergedInto = res.Merged, res.MergedInto
			p.DurationMs["commitBatch"] = took.Milliseconds()
			p.DurationMs["triggerExecution"] += took.Milliseconds()
			p.BatchDuration += took.Milliseconds()
			if res.Replaced {
				p.replaced(res.Cost)
			}
		}
		d.q.OnProgress(p)
	}
}
