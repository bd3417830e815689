package exec

import (
	"math"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// windows puts rows into the windows that hold their time.
type windows struct{ node *planner.WindowExec }

func (s *windows) run(eval *compute.Evaluator, f *flow) error {
	col, err := eval.Eval(s.node.Time, f.batch, f.sel)
	if err != nil {
		return err
	}
	defer col.Release()
	f.collect(eval)
	parents, starts := s.place(col, f)
	if len(parents) > maxPlaced {
		return compute.ErrTooLarge
	}
	cols := make([]columnar.Column, 0, f.batch.Schema().Len()+1)
	for i := range f.batch.Schema().Len() {
		cols = append(cols, columnar.Gather(f.batch.Column(i), parents, nil))
	}
	cols = append(cols, columnar.NewTimestampColumn(starts, nil))
	origin := make([]int32, len(parents))
	for i, row := range parents {
		origin[i] = f.raw(row)
	}
	f.many = f.many || s.node.Slide < s.node.Size
	f.next(columnar.NewBatch(s.node.Out, cols, len(parents)), origin)
	return nil
}

// place lists a row for each window that it is in, with the start of the window: the latest window first, as Spark has
// them. Starts are multiples of the slide from the given start on, also before 1970.
func (s *windows) place(times columnar.Column, f *flow) (parents columnar.Selection, starts []int64) {
	values := columnar.FixedValues[int64](times)
	n := f.sel.Len(f.batch.Rows())
	parents, starts = make(columnar.Selection, 0, n), make([]int64, 0, n)
	size, slide, first := s.node.Size, s.node.Slide, s.node.Start
	for i := range n {
		row := int32(i)
		if f.sel != nil {
			row = f.sel[i]
		}
		if times.IsNull(int(row)) {
			continue
		}
		t := values[row]
		if t > math.MaxInt64-size || t < math.MinInt64+size {
			f.failed = append(f.failed, columnar.RowError{Row: f.raw(row), Err: errBeyondTime})
			continue
		}
		for at := t - floorMod(t-first, slide); at > t-size; at -= slide {
			parents, starts = append(parents, row), append(starts, at)
		}
	}
	return parents, starts
}

// maxPlaced bounds the rows that one batch becomes in windows; beyond it the batch is halved.
const maxPlaced = 4 << 20

// errBeyondTime is the failure of a row whose window or session reaches beyond the times that there are.
var errBeyondTime = &compute.EvalError{Condition: "DATETIME_OVERFLOW", Message: "The window of the row ends beyond the last TIMESTAMP."}

func floorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

// spans makes of the time and the gap of a row, the first two columns, the span of a session: its start and its end.
// Rows without a time, and those whose gap is missing or not positive, are in no session.
type spans struct{ out *columnar.Schema }

func (s *spans) run(_ *compute.Evaluator, f *flow) error {
	times, gaps := f.batch.Column(0), f.batch.Column(1)
	starts, lengths := columnar.FixedValues[int64](times), columnar.FixedValues[int64](gaps)
	keep := make(columnar.Selection, 0, f.batch.Rows())
	ends := make([]int64, 0, f.batch.Rows())
	for i := range f.batch.Rows() {
		if times.IsNull(i) || gaps.IsNull(i) || lengths[i] <= 0 {
			continue
		}
		if starts[i] > math.MaxInt64-lengths[i] {
			f.failed = append(f.failed, columnar.RowError{Row: f.raw(int32(i)), Err: errBeyondTime})
			continue
		}
		keep, ends = append(keep, int32(i)), append(ends, starts[i]+lengths[i])
	}
	cols := []columnar.Column{columnar.Gather(times, keep, nil), columnar.NewTimestampColumn(ends, nil)}
	for i := 2; i < f.batch.Schema().Len(); i++ {
		cols = append(cols, columnar.Gather(f.batch.Column(i), keep, nil))
	}
	f.next(columnar.NewBatch(s.out, cols, len(keep)), originsOf(f, keep))
	return nil
}

// observe notes the event time of the rows that come here. What the largest is can be told only when
// it is known which rows fail further on: those do not move a watermark.
type observe struct{ column, place int }

// within is an observe that leaves out the rows whose event time is not of a span; a row without one is of none.
type within struct {
	*observe
	span TimeSpan
}

func (s *within) run(eval *compute.Evaluator, f *flow) error {
	times := f.batch.Column(s.column)
	values := columnar.FixedValues[int64](times)
	n := f.sel.Len(f.batch.Rows())
	keep := make(columnar.Selection, 0, n)
	for i := range n {
		row := int32(i)
		if f.sel != nil {
			row = f.sel[i]
		}
		if t := values[row]; t >= s.span.From && t < s.span.Until && times.IsValid(int(row)) {
			keep = append(keep, row)
		}
	}
	f.sel = keep
	return s.observe.run(eval, f)
}

// observed are the rows that came through an observe.
type observed struct {
	place  int
	times  columnar.Column
	sel    columnar.Selection
	origin []int32
}

func (s *observe) run(_ *compute.Evaluator, f *flow) error {
	times := f.batch.Column(s.column)
	times.Retain()
	f.observed = append(f.observed, observed{s.place, times, slices.Clone(f.sel), f.origin})
	return nil
}

// latest is the largest time of rows that did not fail; ok is false if there is none.
func (o *observed) latest(failed map[int32]bool) (most int64, ok bool) {
	values := columnar.FixedValues[int64](o.times)
	for i := range o.sel.Len(len(values)) {
		row := int32(i)
		if o.sel != nil {
			row = o.sel[i]
		}
		raw := row
		if o.origin != nil {
			raw = o.origin[row]
		}
		if o.times.IsNull(int(row)) || failed[raw] {
			continue
		}
		if !ok || values[row] > most {
			most, ok = values[row], true
		}
	}
	return most, ok
}
