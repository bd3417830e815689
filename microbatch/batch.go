package microbatch

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	from, until    offsets.Positions
	latest         offsets.Positions
	progress       offsets.Progress // after the batch
	ranges         []offsets.Range
	holes          []offsets.Range
	limited        bool // more was available
}

// plan decides what the next batch reads. Nil: there is nothing to do.
func (d *driver) plan(ctx context.Context) (*batch, error) {
	b := &batch{id: d.nextBatch, start: d.q.Clock.Now()}
	avail, err := d.q.Input.Source.Available(ctx, d.position)
	if err != nil {
		return nil, err
	}
	if d.q.Trigger.AvailableNow {
		if d.finalEnds == nil {
			d.finalEnds = avail.Ends.Clone()
		}
		avail.Ends = d.finalEnds
	}
	b.planned = d.q.Clock.Now()
	b.holes, b.latest = avail.Holes, avail.Latest
	for _, h := range b.holes {
		d.q.Log.Warn("rows are lost and stepped over (on_data_loss: skip)", "source", h.Source, "topic", h.Partition.Topic, "partition", h.Partition.ID, "from", h.From, "until", h.Until)
	}
	b.from = avail.Progress.Positions()
	b.until = offsets.Plan(b.from, avail.Ends, d.q.Limits.RowsPerBatch)
	b.ranges = offsets.Ranges(d.q.Input.Name, b.from, b.until)
	for p, end := range avail.Ends {
		b.limited = b.limited || end > b.until[p]
	}
	b.progress = advance(avail.Progress, b.until)
	if len(b.ranges) == 0 && len(b.holes) == 0 && !d.mustRecordStart(avail.Progress) {
		return nil, nil
	}
	return b, nil
}

// mustRecordStart reports whether a first start has to keep its position though it has no rows yet: a
// run that begins at the end of a topic must not begin at a later end next time.
func (d *driver) mustRecordStart(p offsets.Progress) bool {
	if d.position.Kind != "" {
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

// smallestTask is the fewest offsets for which a range is cut: below it a task costs more than it saves.
const smallestTask = 50_000

// totals is what the tasks of a batch add up, under a lock.
type totals struct {
	mu     sync.Mutex
	counts exec.Counts
	stages stages
	first  error
	epochs map[offsets.Partition]int32
}

// LaneBits is how many low bits of a lane number the task within its batch; the bits above number the batch within the run.
const LaneBits = 20

// run reads and computes a batch into the output of the open fold.
func (d *driver) run(ctx context.Context, b *batch) (*totals, error) {
	t := &totals{epochs: map[offsets.Partition]int32{}}
	pieces := offsets.Split(b.ranges, 2*d.q.Limits.Workers, smallestTask)
	d.round++
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(d.q.Limits.Workers)
	for i, r := range pieces {
		if ctx.Err() != nil {
			break
		}
		lane := d.round<<LaneBits | int64(i)
		group.Go(func() error { return d.runTask(ctx, r, b.start, lane, t) })
	}
	return t, group.Wait()
}

// runTask takes one range of the batch of a time through the plan.
func (d *driver) runTask(ctx context.Context, r offsets.Range, at time.Time, lane int64, t *totals) error {
	reader, err := d.q.Input.Source.Read(ctx, r)
	if err != nil {
		return err
	}
	defer reader.Close()
	clock := func() int64 { return time.Now().UnixNano() }
	task := d.q.Pipeline.NewTask(r, at.UnixMilli()*1000, clock)
	var counts exec.Counts
	var spent stages
	var first error
	for {
		start := clock()
		raw, err := reader.Next(ctx)
		spent.fetch += clock() - start
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		res, err := d.step(ctx, task, raw, lane, &spent)
		if err != nil {
			return err
		}
		counts.Add(res.Counts)
		if first == nil {
			first = res.FirstError
		}
	}
	t.add(r, reader, counts, spent, first)
	return nil
}

func (t *totals) add(r offsets.Range, reader source.Reader, c exec.Counts, s stages, first error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Add(c)
	t.stages.add(s)
	if t.first == nil {
		t.first = first
	}
	if e, ok := reader.(source.EpochReader); ok {
		t.epochs[r.Partition] = max(t.epochs[r.Partition], e.LeaderEpoch())
	}
}

// step takes one raw batch through the plan and stages what comes out. It releases raw.
// A batch whose values do not fit into memory is halved, down to a single record, which
// is then a bad one.
func (d *driver) step(ctx context.Context, task *exec.Task, raw *columnar.Batch, lane int64, spent *stages) (exec.Result, error) {
	defer raw.Release()
	res, err := task.Run(raw)
	switch {
	case errors.Is(err, compute.ErrTooLarge) && raw.Rows() > 1:
		return d.halves(ctx, task, raw, lane, spent)
	case errors.Is(err, compute.ErrTooLarge):
		res = task.Refuse(raw, err)
	case err != nil:
		return res, err
	}
	spent.decode, spent.compute = spent.decode+res.Decode, spent.compute+res.Compute
	start := time.Now()
	defer func() { spent.write += int64(time.Since(start)) }()
	if res.Rows != nil {
		defer res.Rows.Release()
		if err := d.fold.write(ctx, lane, res.Rows); err != nil {
			return res, err
		}
	}
	if res.Dead == nil {
		return res, nil
	}
	defer res.Dead.Release()
	switch d.q.Input.Bad {
	case FailOnBad:
		return res, fmt.Errorf("%w: %w (on_bad_record: fail)", ErrBadRecords, res.FirstError)
	case DeadLetter:
		return res, d.fold.writeDead(ctx, lane, res.Dead)
	default:
		return res, nil
	}
}

// halves takes both halves of a raw batch through the plan, in order.
func (d *driver) halves(ctx context.Context, task *exec.Task, raw *columnar.Batch, lane int64, spent *stages) (exec.Result, error) {
	first, err := d.step(ctx, task, columnar.Slice(raw, 0, raw.Rows()/2), lane, spent)
	if err != nil {
		return first, err
	}
	second, err := d.step(ctx, task, columnar.Slice(raw, raw.Rows()/2, raw.Rows()), lane, spent)
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

func (f *fold) writeDead(ctx context.Context, lane int64, b *columnar.Batch) error {
	f.rows.Store(true)
	return f.out.WriteDeadLetters(ctx, lane, b)
}
