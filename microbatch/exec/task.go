package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Late     int64 // rows that were late for a window at the first stateful operator
}

// Add sums counts.
func (c *Counts) Add(o Counts) {
	c.In, c.Out, c.Filtered, c.Null, c.Bad, c.Late = c.In+o.In, c.Out+o.Out, c.Filtered+o.Filtered, c.Null+o.Null, c.Bad+o.Bad, c.Late+o.Late
}

// Result of one raw batch. The caller releases Rows, Dead and Late, which are nil when empty.
type Result struct {
	Rows   *columnar.Batch
	Dead   *columnar.Batch // DeadLetterSchema
	Late   *columnar.Batch // LateSchema, if late rows are kept
	Counts Counts
	// FirstError is that of the first failed row, with its coordinates; nil if none failed.
	FirstError error
	// Times in nanoseconds by stage.
	Decode, Compute int64
}

// Task runs a Pipeline over the raw batches of one range. It is used by one goroutine.
type Task struct {
	program *Program
	p       *Pipeline
	rng     offsets.Range
	late    int64 // rows and windows up to this time are late, microseconds
	decoder decode.Decoder
	eval    *compute.Evaluator
	now     func() int64
	file    source.File        // that the running batch is from; no name: it is not from a file
	alive   columnar.Selection // scratch
	corrupt columnar.Column    // of the running batch, if the plan reads it
	made    Collected
}

// Collected is what a task keeps for after its last batch.
type Collected struct {
	// Portions of the stateful operators, by their position; nil: no rows came.
	Portions []Portion
	// Latest event time by place, microseconds.
	Latest []EventTime
}

// EventTime is the largest event time that was seen, if any was.
type EventTime struct {
	Micros int64
	Seen   bool
}

// Add takes the larger one.
func (e *EventTime) Add(o EventTime) {
	if o.Seen && (!e.Seen || o.Micros > e.Micros) {
		*e = o
	}
}

// Release frees the portions.
func (c *Collected) Release() {
	for _, p := range c.Portions {
		if p != nil {
			p.release()
		}
	}
}

// NewTask makes a task for a range of a batch, of the input at a position. now gives nanoseconds for the stage times.
func (p *Program) NewTask(input int, r offsets.Range, at Moment, now func() int64) *Task {
	eval := compute.NewDefaultEvaluator()
	eval.SetTime(at.Batch * 1000)
	pipe := p.Pipelines[input]
	return &Task{program: p, p: pipe, rng: r, late: at.Late * 1000, decoder: pipe.decoder(), eval: eval, now: now,
		made: Collected{Portions: make([]Portion, len(p.Operators)), Latest: make([]EventTime, len(p.Watermarks))}}
}

// Collected is what the batches so far and those to come leave for the stateful operators; the caller releases it after the last one.
func (t *Task) Collected() Collected { return t.made }

// errNullValue is the error of a dead letter that had no value.
var errNullValue = errors.New("the record has no value (on_null_value: dead_letter)")

// Run takes one raw batch, borrowed, through the plan.
func (t *Task) Run(raw *columnar.Batch) (Result, error) {
	start := t.now()
	decoded, bad, err := t.decode(raw)
	if err != nil {
		return Result{}, err
	}
	defer decoded.Release()
	res := Result{Counts: Counts{In: int64(raw.Rows())}}
	res.Decode = t.now() - start
	if t.p.keepsCorrupt && t.file.Columns {
		t.corrupt = columnar.NewNullColumn(columnar.String, raw.Rows())
		defer t.corrupt.Release()
	} else if t.p.keepsCorrupt {
		t.corrupt = corruptColumn(raw.Column(source.ValueAt), bad)
		defer t.corrupt.Release()
		bad = nil
	}
	sel, nulls, failed := t.admit(raw, bad)
	res.Counts.Null = nulls
	failed, err = t.compute(raw, decoded, sel, failed, &res)
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

// SetFile says where the batches of the next Runs come from.
func (t *Task) SetFile(f source.File) { t.file = f }

// decode makes the columns that the plan reads of the documents of a raw batch, or takes those that it has.
func (t *Task) decode(raw *columnar.Batch) (*columnar.Batch, []columnar.RowError, error) {
	if !t.file.Columns {
		return t.decoder.Decode(raw.Column(source.ValueAt))
	}
	rows, err := t.columns(raw)
	if err != nil {
		return nil, nil, err
	}
	return rows, refusedColumns(rows), nil
}

// columns are those of rows that came as columns.
func (t *Task) columns(raw *columnar.Batch) (*columnar.Batch, error) {
	if n := raw.Schema().Len() - source.FirstColumn; n != t.p.decoded.Len() {
		return nil, fmt.Errorf("source %s, file %s: the rows have %d columns, the query reads %d", t.p.input.Name, t.file.Name, n, t.p.decoded.Len())
	}
	cols := slices.Clone(raw.Columns()[source.FirstColumn:])
	for _, c := range cols {
		c.Retain()
	}
	return columnar.NewBatch(t.p.decoded, cols, raw.Rows()), nil
}

// topic is the first coordinate of the running batch.
func (t *Task) topic() string {
	if t.file.Name != "" {
		return t.file.Name
	}
	return t.rng.Partition.Topic
}

// onNull says what becomes of records without a value. Rows that are columns already have none.
func (t *Task) onNull() OnNull {
	if t.file.Columns {
		return RowForNull
	}
	return t.p.input.OnNull
}

// corruptColumn has the text of each document that is bad, NULL for the others.
func corruptColumn(values columnar.Column, bad []columnar.RowError) columnar.Column {
	var b columnar.BinaryBuffer
	for i := range int32(values.Len()) {
		if len(bad) == 0 || bad[0].Row != i {
			b.AppendNull()
			continue
		}
		b.AppendString(strings.ToValidUTF8(string(columnar.BinaryAt(values, int(i))), "\uFFFD"))
		bad = bad[1:]
	}
	return b.FinishString()
}

// Refuse makes a raw batch of one record, which cannot be computed at all, a bad record.
func (t *Task) Refuse(raw *columnar.Batch, err error) Result {
	failed := []columnar.RowError{{Row: 0, Err: err}}
	return Result{Counts: Counts{In: 1, Bad: 1}, FirstError: t.locate(raw, failed[0]), Dead: t.deadLetters(raw, failed)}
}

// admit selects the rows that were decoded, and settles records without a value.
func (t *Task) admit(raw *columnar.Batch, bad []columnar.RowError) (sel columnar.Selection, skipped int64, failed []columnar.RowError) {
	values := raw.Column(source.ValueAt)
	if len(bad) == 0 && (values.NullN() == 0 || t.onNull() == RowForNull) {
		return nil, 0, nil
	}
	t.alive = slices.Grow(t.alive[:0], raw.Rows()) // never nil, which means all rows
	for i := int32(0); i < int32(raw.Rows()); i++ {
		switch {
		case len(bad) > 0 && bad[0].Row == i:
			failed, bad = append(failed, bad[0]), bad[1:]
		case t.onNull() == RowForNull || values.IsValid(int(i)):
			t.alive = append(t.alive, i)
		case t.onNull() == DeadLetterNull:
			failed = append(failed, columnar.RowError{Row: i, Err: errNullValue})
		default:
			skipped++
		}
	}
	return t.alive, skipped, failed
}

// scanBatch puts decoded and raw columns together as the scan of a branch has them.
func (t *Task) scanBatch(b *branch, raw, decoded *columnar.Batch) *columnar.Batch {
	cols := make([]columnar.Column, len(b.columns))
	for i, c := range b.columns {
		if c.decoded >= 0 {
			cols[i] = decoded.Column(c.decoded)
			cols[i].Retain()
			continue
		}
		cols[i] = t.hidden(raw, c.hidden)
	}
	return columnar.NewBatch(b.scan, cols, raw.Rows())
}

func (t *Task) hidden(raw *columnar.Batch, name string) columnar.Column {
	switch name {
	case CorruptField:
		t.corrupt.Retain()
		return t.corrupt
	case source.TopicColumn, source.FileColumn:
		return columnar.NewStringConstant(t.topic(), raw.Rows())
	case source.PartitionColumn:
		return columnar.NewInt32Constant(t.rng.Partition.ID, raw.Rows())
	}
	at := raw.Schema().Index(name)
	if at < 0 { // files have no keys
		return columnar.NewNullColumn(columnar.Binary, raw.Rows())
	}
	c := raw.Column(at)
	c.Retain()
	return c
}

// compute takes the selected rows through every branch. A raw row that fails in one of
// them joins failed and makes no rows in any.
func (t *Task) compute(raw, decoded *columnar.Batch, sel columnar.Selection, failed []columnar.RowError, res *Result) ([]columnar.RowError, error) {
	flows := make([]*flow, 0, len(t.p.branches))
	defer func() {
		for _, f := range flows {
			f.release()
		}
	}()
	var errs []columnar.RowError
	for _, b := range t.p.branches {
		f := &flow{batch: t.scanBatch(b, raw, decoded), sel: sel}
		flows = append(flows, f)
		t.eval.Reset()
		if err := runSteps(t.eval, b.steps, f); err != nil {
			return nil, err
		}
		if err := t.probe(b.target, f); err != nil {
			return nil, err
		}
		errs = append(errs, f.failed...)
	}
	errs = firstErrors(errs)
	t.observe(flows, errs)
	var late lateRows
	made, err := t.finish(flows, errs, &late)
	if err != nil {
		return nil, err
	}
	res.Counts.Filtered = int64(sel.Len(raw.Rows()) - len(errs) - countOrigins(flows, raw.Rows()))
	if res.Rows, err = joined(made); err != nil {
		return nil, err
	}
	if res.Rows != nil {
		res.Counts.Out = int64(res.Rows.Rows())
	}
	starts := late.byRow()
	res.Counts.Late, res.Late = int64(len(starts)), t.lateTable(raw, decoded, &late, starts)
	return firstErrors(append(failed, errs...)), nil
}

// probe finds the rows of a flow that would fail above a deduplication. There they could no longer be told from which record they come, and
// a bad record would end every run; here they are bad records as any other, which a deduplication does not see.
func (t *Task) probe(target int, f *flow) error {
	if target == ToSink || !t.program.Operators[target].passes() {
		return nil
	}
	f.batch.Retain()
	look := &flow{batch: f.batch, origin: f.origin}
	defer look.release()
	t.eval.Reset()
	if err := runSteps(t.eval, t.program.Operators[target].above, look); err != nil {
		return err
	}
	if len(look.failed) > 0 {
		f.failed, f.many = append(f.failed, look.failed...), true
	}
	return nil
}

// observe moves the event times by rows that did not fail anywhere.
func (t *Task) observe(flows []*flow, errs []columnar.RowError) {
	failed := make(map[int32]bool, len(errs))
	for _, e := range errs {
		failed[e.Row] = true
	}
	for _, f := range flows {
		for i := range f.observed {
			micros, ok := f.observed[i].latest(failed)
			t.made.Latest[f.observed[i].place].Add(EventTime{micros, ok})
		}
	}
}

// runSteps takes a flow through steps. Its batch then holds the rows that are left, and no others. Text that is no UTF-8, which a CAST of BINARY may
// leave, fails its row: neither a table nor a state may hold it.
func runSteps(eval *compute.Evaluator, steps []step, f *flow) error {
	eval.Open()
	defer eval.Close()
	for _, s := range steps {
		if err := s.run(eval, f); err != nil {
			return err
		}
	}
	f.pack()
	f.fail(invalidText(f.batch))
	f.pack()
	return nil
}

// finish takes the rows of failed raw rows out of all flows, gives those of stateful operators to their portions, and lists the
// batches of the sink that have rows left; the caller releases them.
func (t *Task) finish(flows []*flow, errs []columnar.RowError, late *lateRows) ([]*columnar.Batch, error) {
	var out []*columnar.Batch
	for i, f := range flows {
		if len(errs) > 0 && (f.many || len(flows) > 1) {
			keep := f.without(errs)
			f.next(columnar.GatherBatch(f.batch, keep), originsOf(f, keep))
		}
		if f.batch.Rows() == 0 {
			continue
		}
		target := t.p.branches[i].target
		if target == ToSink {
			f.batch.Retain()
			out = append(out, f.batch)
			continue
		}
		if err := t.portion(target).add(f, late); err != nil {
			return out, err
		}
	}
	return out, nil
}

// portion is what the task has for a stateful operator.
func (t *Task) portion(target int) Portion {
	p := t.made.Portions[target]
	if p == nil {
		p = t.program.Operators[target].newPortion(t.p.input.Name, t.rng.Partition, t.late)
		t.made.Portions[target] = p
	}
	return p
}

// firstErrors sorts errors by row and keeps the first of each.
func firstErrors(errs []columnar.RowError) []columnar.RowError {
	slices.SortStableFunc(errs, func(a, b columnar.RowError) int { return int(a.Row) - int(b.Row) })
	return slices.CompactFunc(errs, func(a, b columnar.RowError) bool { return a.Row == b.Row })
}

// joined makes one batch of several, nil of none; it takes them over.
func joined(list []*columnar.Batch) (*columnar.Batch, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) == 1 {
		return list[0], nil
	}
	defer func() {
		for _, b := range list {
			b.Release()
		}
	}()
	return columnar.Concat(list)
}

// locate says where a failed row is.
func (t *Task) locate(raw *columnar.Batch, e columnar.RowError) error {
	at := columnar.Int64At(raw.Column(source.OffsetAt), int(e.Row))
	switch {
	case t.file.Columns:
		return fmt.Errorf("source %s, file %s, row %d: %w", t.p.input.Name, t.file.Name, at, e.Err)
	case t.file.Name != "":
		return fmt.Errorf("source %s, file %s, byte %d: %w", t.p.input.Name, t.file.Name, at, e.Err)
	}
	return fmt.Errorf("source %s, topic %s, partition %d, offset %d: %w", t.p.input.Name, t.rng.Partition.Topic, t.rng.Partition.ID, at, e.Err)
}
