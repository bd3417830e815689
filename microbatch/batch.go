package microbatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// batch is one planned batch.
type batch struct {
	id             int64
	start, planned time.Time
	parts          []part        // by input
	limited        bool          // more was available
	limitedBy      string        // why it is no larger; ""
	gap            time.Duration // since the start of the batch before, 0 for the first
	data           bool          // an input has something
	moment         exec.Moment
}

// part is what a batch reads of one input.
type part struct {
	from, until offsets.Positions
	latest      offsets.Positions
	target      offsets.Positions // where an available-now run ends; nil: it is none
	behind      offsets.Positions // the ends of the partitions that have more to read
	progress    offsets.Progress  // after the batch
	ranges      []offsets.Range
	holes       []offsets.Range
	rows        int64 // that were read, once it ran
}

// note keeps the leader epochs that were met.
func (p *part) note(epochs map[offsets.Partition]int32) {
	for partition, epoch := range epochs {
		m := p.progress.Partitions[partition]
		m.LeaderEpoch = max(m.LeaderEpoch, epoch)
		p.progress.Partitions[partition] = m
	}
}

// stepsOver reports whether rows are lost for ever.
func (b *batch) stepsOver() bool {
	return slices.ContainsFunc(b.parts, func(p part) bool { return len(p.holes) > 0 })
}

// plan decides what the next batch reads. Nil: there is nothing to do.
func (d *driver) plan(ctx context.Context) (*batch, error) {
	b := &batch{id: d.nextBatch, start: d.q.Clock.Now()}
	b.gap = d.sinceLast(b)
	for i := range d.q.Inputs {
		p, err := d.planPart(ctx, b, i)
		if err != nil {
			return nil, err
		}
		b.parts = append(b.parts, p)
	}
	d.marks.settle(b.start.UnixMilli())
	b.planned = d.q.Clock.Now()
	b.moment = d.marks.moment(b.start.UnixMilli())
	if !b.data && !d.due() {
		return nil, nil
	}
	return b, nil
}

func (d *driver) planPart(ctx context.Context, b *batch, i int) (part, error) {
	in := d.q.Inputs[i]
	avail, err := in.Source.Available(ctx, d.position[i])
	if err != nil {
		return part{}, err
	}
	d.marks.look(in.Name, avail.Progress.Positions(), avail.Latest, b.start.UnixMilli())
	if d.q.Trigger.AvailableNow {
		if d.finalEnds[i] == nil {
			d.finalEnds[i] = avail.Ends.Clone()
		}
		avail.Ends = d.finalEnds[i]
	}
	for _, h := range avail.Holes {
		d.q.Log.Warn("rows are lost and stepped over (on_data_loss: skip)", "source", h.Source, "topic", h.Partition.Topic, "partition", h.Partition.ID, "from", h.From, "until", h.Until)
	}
	p := part{holes: avail.Holes, latest: avail.Latest, target: d.finalEnds[i], from: avail.Progress.Positions()}
	limitedBy := ""
	if d.fresh && d.owed && d.due() {
		p.until = p.from // what was due when the process ended comes first
	} else {
		p.until, limitedBy = d.rations[i].plan(p.from, avail.Ends, b.start, d.q.Trigger.AvailableNow)
	}
	if b.limitedBy == "" || b.limitedBy == LimitedByDelay && limitedBy != "" {
		b.limitedBy = limitedBy
	}
	p.ranges = offsets.Ranges(in.Name, p.from, p.until)
	p.behind = offsets.Positions{}
	for partition, end := range avail.Ends {
		if at, there := p.until[partition]; there && end > at {
			b.limited, p.behind[partition] = true, end
		}
	}
	p.progress = advance(avail.Progress, p.until)
	b.data = b.data || len(p.ranges) > 0 || len(p.holes) > 0 || d.mustRecordStart(i, avail.Progress)
	return p, nil
}

// mustRecordStart reports whether a first start has to keep its position though it has no rows yet: a
// run that begins at the end of a topic must not begin at a later end next time.
func (d *driver) mustRecordStart(input int, p offsets.Progress) bool {
	if d.position[input].Kind != "" {
		return false
	}
	for _, m := range p.Partitions {
		if m.Next > 0 {
			return true
		}
	}
	return false
}

func advance(p offsets.Progress, until offsets.Positions) offsets.Progress {
	next := p.Clone()
	for part, at := range until {
		m := next.Partitions[part]
		m.Next = at
		next.Partitions[part] = m
	}
	return next
}

// totals is what the tasks of a batch add up, under a lock.
type totals struct {
	mu     sync.Mutex
	counts exec.Counts
	bytes  int64 // of raw rows
	inputs []inputTotals
	stages stages
	made   []exec.Collected          // by task
	seen   map[string]exec.EventTime // by place
	stats  []exec.Stats              // by operator
}

// inputTotals is the part of one input.
type inputTotals struct {
	counts exec.Counts
	first  error // of the first bad record
	epochs map[offsets.Partition]int32
	late   map[offsets.Partition]int64 // rows
	bytes  map[offsets.Partition]int64 // of raw rows
}

func (d *driver) newTotals(tasks int) *totals {
	t := &totals{inputs: make([]inputTotals, len(d.q.Inputs)), made: make([]exec.Collected, tasks),
		seen: map[string]exec.EventTime{}, stats: make([]exec.Stats, len(d.q.Program.Operators))}
	for i := range t.inputs {
		t.inputs[i].epochs, t.inputs[i].late, t.inputs[i].bytes = map[offsets.Partition]int32{}, map[offsets.Partition]int64{}, map[offsets.Partition]int64{}
	}
	return t
}

func (t *totals) release() {
	for i := range t.made {
		t.made[i].Release()
	}
}

// LaneBits is how many low bits of a lane number the task within its batch; the bits above number the batch within the run.
const LaneBits = 20

// piece is a range that a task reads.
type piece struct {
	input int
	rng   offsets.Range
}

func (d *driver) pieces(b *batch) (out []piece) {
	for i, p := range b.parts {
		for _, r := range offsets.Split(p.ranges, 2*d.q.Limits.Workers, d.smallestTask(i, p.ranges)) {
			out = append(out, piece{i, r})
		}
	}
	return out
}

// smallestTask is the fewest offsets for which the ranges of an input are cut.
func (d *driver) smallestTask(input int, ranges []offsets.Range) int64 {
	smallest := int64(1)
	for _, r := range ranges {
		smallest = max(smallest, source.SmallestTaskOf(d.q.Inputs[input].Source, r.Partition))
	}
	return smallest
}

// run reads and computes a batch into the output of the open fold.
func (d *driver) run(ctx context.Context, b *batch) (*totals, error) {
	pieces := d.pieces(b)
	t := d.newTotals(len(pieces))
	defer t.release()
	d.round++
	group, taskCtx := errgroup.WithContext(ctx)
	group.SetLimit(d.q.Limits.Workers)
	for i, p := range pieces {
		if taskCtx.Err() != nil {
			break
		}
		group.Go(func() error { return d.runTask(taskCtx, p, b.moment, i, t) })
	}
	err := group.Wait()
	if err == nil {
		err = context.Cause(ctx) // a run that ends starts no more tasks, which is no failure of theirs
	}
	if err != nil {
		return t, err
	}
	for i, p := range pieces {
		for k, at := range t.made[i].Latest {
			key := d.marks.places[k].key(p.rng.Partition)
			latest := t.seen[key]
			latest.Add(at)
			t.seen[key] = latest
		}
	}
	return t, d.runOperators(ctx, b, t)
}

// lane is that of a task, or of what an operator puts out, in the running batch.
func (d *driver) lane(i int) int64 { return d.round<<LaneBits | int64(i) }

// runTask takes one range through the plan.
func (d *driver) runTask(ctx context.Context, p piece, at exec.Moment, number int, t *totals) error {
	leave, err := d.q.Limits.Pool.enter(ctx, 1)
	if err != nil {
		return err
	}
	defer leave()
	reader, err := d.q.Inputs[p.input].Source.Read(ctx, p.rng)
	if err != nil {
		return err
	}
	defer reader.Close()
	clock := func() int64 { return time.Now().UnixNano() }
	task := d.q.Program.NewTask(p.input, p.rng, at, clock)
	t.made[number] = task.Collected()
	w := &worker{d: d, task: task, input: &d.q.Inputs[p.input], lane: d.lane(number)}
	for {
		start := clock()
		raw, err := reader.Next(ctx)
		w.spent.fetch += clock() - start
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if f, ok := reader.(source.FileReader); ok {
			task.SetFile(f.File())
		}
		w.bytes += raw.Bytes()
		res, err := w.step(ctx, raw)
		if err != nil {
			return err
		}
		w.counts.Add(res.Counts)
		if w.first == nil {
			w.first = res.FirstError
		}
	}
	t.add(p, reader, w)
	return nil
}

// worker is a task with what it has counted.
type worker struct {
	d      *driver
	task   *exec.Task
	input  *Input
	lane   int64
	counts exec.Counts
	bytes  int64 // of raw rows
	spent  stages
	first  error
}

func (t *totals) add(p piece, reader source.Reader, w *worker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := &t.inputs[p.input]
	t.counts.Add(w.counts)
	in.counts.Add(w.counts)
	if w.counts.Late > 0 {
		in.late[p.rng.Partition] += w.counts.Late
	}
	in.bytes[p.rng.Partition] += w.bytes
	t.bytes += w.bytes
	if waiter, ok := reader.(source.Waiter); ok {
		w.spent.memory = int64(waiter.Waited())
	}
	t.stages.add(w.spent)
	if in.first == nil {
		in.first = w.first
	}
	if e, ok := reader.(source.EpochReader); ok {
		known := in.epochs
		known[p.rng.Partition] = max(known[p.rng.Partition], e.LeaderEpoch())
	}
}

// step takes one raw batch through the plan and stages what comes out. It releases raw.
// A batch whose values do not fit into memory is halved, down to a single record, which
// is then a bad one.
func (w *worker) step(ctx context.Context, raw *columnar.Batch) (exec.Result, error) {
	defer raw.Release()
	res, err := w.task.Run(raw)
	switch {
	case errors.Is(err, compute.ErrTooLarge) && raw.Rows() > 1:
		return w.halves(ctx, raw)
	case errors.Is(err, compute.ErrTooLarge):
		res = w.task.Refuse(raw, err)
	case err != nil:
		return res, err
	}
	w.spent.decode, w.spent.compute = w.spent.decode+res.Decode, w.spent.compute+res.Compute
	start := time.Now()
	defer func() { w.spent.write += int64(time.Since(start)) }()
	if res.Rows != nil {
		defer res.Rows.Release()
		if err := w.d.fold.write(ctx, w.lane, res.Rows); err != nil {
			return res, err
		}
	}
	if res.Late != nil {
		defer res.Late.Release()
		if err := w.d.fold.writeLate(ctx, w.lane, res.Late); err != nil {
			return res, err
		}
	}
	if res.Dead == nil {
		return res, nil
	}
	defer res.Dead.Release()
	switch w.input.OnBad {
	case FailOnBad:
		return res, fmt.Errorf("%w: %w (on_bad_record: fail)", ErrBadRecords, res.FirstError)
	case DeadLetter:
		return res, w.d.fold.writeDead(ctx, w.lane, res.Dead)
	default:
		return res, nil
	}
}

// halves takes both halves of a raw batch through the plan, in order.
func (w *worker) halves(ctx context.Context, raw *columnar.Batch) (exec.Result, error) {
	first, err := w.step(ctx, columnar.Slice(raw, 0, raw.Rows()/2))
	if err != nil {
		return first, err
	}
	second, err := w.step(ctx, columnar.Slice(raw, raw.Rows()/2, raw.Rows()))
	first.Counts.Add(second.Counts)
	if first.FirstError == nil {
		first.FirstError = second.FirstError
	}
	return first, err
}

// write stages rows of the open fold.
func (f *fold) write(ctx context.Context, lane int64, b *columnar.Batch) error {
	f.bytes.Add(b.Bytes())
	f.rows.Store(true)
	return f.out.Write(ctx, lane, b)
}

// erase takes rows out by their keys.
func (f *fold) erase(ctx context.Context, lane int64, keys *columnar.Batch) error {
	f.bytes.Add(keys.Bytes())
	f.rows.Store(true)
	return f.out.Erase(ctx, lane, keys)
}

func (f *fold) writeDead(ctx context.Context, lane int64, b *columnar.Batch) error {
	f.rows.Store(true)
	return f.out.WriteDeadLetters(ctx, lane, b)
}

func (f *fold) writeLate(ctx context.Context, lane int64, b *columnar.Batch) error {
	f.rows.Store(true)
	return f.out.WriteLate(ctx, lane, b)
}

// warnLate says, once for each partition, that rows are late only because a partition is behind: its rows are no later than those of
// the others, they are read later.
func (d *driver) warnLate(b *batch, t *totals) {
	for i, in := range d.q.Inputs {
		for partition, rows := range t.inputs[i].late {
			key := in.Name + "/" + partition.String()
			if _, behind := b.parts[i].behind[partition]; !behind || in.PerPartition || d.warned[key] {
				continue
			}
			d.warned[key] = true
			d.q.Log.Warn("rows are late in a partition that is still behind; with watermark: {per_partition: true} the slowest partition holds the watermark",
				"source", in.Name, "topic", partition.Topic, "partition", partition.ID, "late_rows", rows)
		}
	}
}
