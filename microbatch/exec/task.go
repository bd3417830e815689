package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Counts of one task, in rows of its input.
type Counts struct {
	In       int64 // records read
	Out      int64 // rows for the table
	Filtered int64 // rows the query did not want
	Null     int64 // records without a value that were skipped
	Bad      int64 // rows that failed to decode or to compute
}

// Add sums counts.
func (c *Counts) Add(o Counts) {
	c.In, c.Out, c.Filtered, c.Null, c.Bad = c.In+o.In, c.Out+o.Out, c.Filtered+o.Filtered, c.Null+o.Null, c.Bad+o.Bad
}

// Result of one raw batch. The caller releases Rows and Dead, which are nil when empty.
type Result struct {
	Rows   *columnar.Batch
	Dead   *columnar.Batch // DeadLetterSchema
	Counts Counts
	// FirstError is that of the first failed row, with its coordinates; nil if none failed.
	FirstError error
	// Times in nanoseconds by stage.
	Decode, Compute int64
}

// Task runs a Pipeline over the raw batches of one range. It is used by one goroutine.
type Task struct {
	p       *Pipeline
	rng     offsets.Range
	decoder decode.Decoder
	eval    *compute.Evaluator
	now     func() int64
	alive   columnar.Selection // scratch
}

// NewTask makes a task for a range. now gives nanoseconds for the stage times.
func (p *Pipeline) NewTask(r offsets.Range, now func() int64) *Task {
	return &Task{p: p, rng: r, decoder: p.decoder(), eval: compute.NewDefaultEvaluator(), now: now}
}

// errNullValue is the error of a dead letter that had no value.
var errNullValue = errors.New("the record has no value (on_null_value: dead_letter)")

// Run takes one raw batch, borrowed, through the plan.
func (t *Task) Run(raw *columnar.Batch) (Result, error) {
	start := t.now()
	decoded, bad, err := t.decoder.Decode(raw.Column(source.ValueAt))
	if err != nil {
		return Result{}, err
	}
	defer decoded.Release()
	res := Result{Counts: Counts{In: int64(raw.Rows())}}
	res.Decode = t.now() - start
	sel, nulls, failed := t.admit(raw, bad)
	res.Counts.Null = nulls
	scan := t.scanBatch(raw, decoded)
	defer scan.Release()
	res.Rows, failed, err = t.compute(scan, sel, failed, &res.Counts)
	if err != nil {
		return Result{}, err
	}
	res.Compute = t.now() - start - res.Decode
	res.Counts.Bad = int64(len(failed))
	if len(failed) > 0 {
		res.FirstError = t.locate(raw, failed[0])
		res.Dead = t.deadLetters(raw, failed)
	}
	return res, nil
}

// admit selects the rows that were decoded, and settles records without a value.
func (t *Task) admit(raw *columnar.Batch, bad []columnar.RowError) (sel columnar.Selection, skipped int64, failed []columnar.RowError) {
	values := raw.Column(source.ValueAt)
	if len(bad) == 0 && (values.NullN() == 0 || t.p.input.OnNull == RowForNull) {
		return nil, 0, nil
	}
	t.alive = slices.Grow(t.alive[:0], raw.Rows()) // never nil, which means all rows
	for i := int32(0); i < int32(raw.Rows()); i++ {
		switch {
		case len(bad) > 0 && bad[0].Row == i:
			failed, bad = append(failed, bad[0]), bad[1:]
		case t.p.input.OnNull == RowForNull || values.IsValid(int(i)):
			t.alive = append(t.alive, i)
		case t.p.input.OnNull == DeadLetterNull:
			failed = append(failed, columnar.RowError{Row: i, Err: errNullValue})
		default:
			skipped++
		}
	}
	return t.alive, skipped, failed
}

// scanBatch puts decoded and raw columns together as the plan's scan has them.
func (t *Task) scanBatch(raw, decoded *columnar.Batch) *columnar.Batch {
	cols := make([]columnar.Column, len(t.p.columns))
	for i, c := range t.p.columns {
		if c.decoded >= 0 {
			cols[i] = decoded.Column(c.decoded)
			cols[i].Retain()
			continue
		}
		cols[i] = t.hidden(raw, c.hidden)
	}
	return columnar.NewBatch(t.p.scan, cols, raw.Rows())
}

func (t *Task) hidden(raw *columnar.Batch, name string) columnar.Column {
	switch name {
	case source.TopicColumn:
		return columnar.NewStringConstant(t.rng.Partition.Topic, raw.Rows())
	case source.PartitionColumn:
		return columnar.NewInt32Constant(t.rng.Partition.ID, raw.Rows())
	}
	c := raw.Column(raw.Schema().Index(name))
	c.Retain()
	return c
}

// compute filters and projects the selected rows. Rows that fail join failed.
func (t *Task) compute(scan *columnar.Batch, sel columnar.Selection, failed []columnar.RowError, n *Counts) (*columnar.Batch, []columnar.RowError, error) {
	t.eval.Reset()
	before := sel.Len(scan.Rows())
	for _, pred := range t.p.filters {
		var err error
		if sel, err = t.eval.Filter(pred, scan, sel); err != nil {
			return nil, nil, err
		}
	}
	kept := sel.Len(scan.Rows())
	filterErrors := len(t.eval.Errors())
	n.Filtered = int64(before - kept - filterErrors)
	rows, err := t.project(scan, sel)
	if err != nil {
		return nil, nil, err
	}
	if errs := t.eval.Errors(); len(errs) > 0 {
		failed = mergeErrors(failed, errs)
		rows = t.dropFailed(rows, sel, errs)
	}
	if rows.Rows() == 0 {
		rows.Release()
		return nil, failed, nil
	}
	n.Out = int64(rows.Rows())
	return rows, failed, nil
}

// project computes the output columns of the selected rows, packed.
func (t *Task) project(scan *columnar.Batch, sel columnar.Selection) (*columnar.Batch, error) {
	cols := make([]columnar.Column, 0, len(t.p.projects))
	for _, e := range t.p.projects {
		full, err := t.eval.Eval(e, scan, sel)
		if err != nil {
			for _, c := range cols {
				c.Release()
			}
			return nil, err
		}
		if sel != nil {
			packed := columnar.Gather(full, sel, nil)
			full.Release()
			full = packed
		}
		cols = append(cols, full)
	}
	return columnar.NewBatch(t.p.out, cols, sel.Len(scan.Rows())), nil
}

// dropFailed takes the rows that failed in the projection out of its packed output.
func (t *Task) dropFailed(rows *columnar.Batch, sel columnar.Selection, errs []columnar.RowError) *columnar.Batch {
	defer rows.Release()
	keep := make(columnar.Selection, 0, rows.Rows())
	for i := range int32(rows.Rows()) {
		row := i
		if sel != nil {
			row = sel[i]
		}
		for len(errs) > 0 && errs[0].Row < row {
			errs = errs[1:]
		}
		if len(errs) == 0 || errs[0].Row != row {
			keep = append(keep, i)
		}
	}
	return columnar.GatherBatch(rows, keep)
}

// mergeErrors merges two ascending lists of different rows.
func mergeErrors(a, b []columnar.RowError) []columnar.RowError {
	out := make([]columnar.RowError, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Row < b[0].Row {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// locate says where a failed row is.
func (t *Task) locate(raw *columnar.Batch, e columnar.RowError) error {
	return fmt.Errorf("source %s, topic %s, partition %d, offset %d: %w", t.p.input.Name, t.rng.Partition.Topic, t.rng.Partition.ID,
		columnar.Int64At(raw.Column(source.OffsetAt), int(e.Row)), e.Err)
}
