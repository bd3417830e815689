package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

func isTemporal(t columnar.Type) bool {
	return t == columnar.Date || t == columnar.Timestamp || t == columnar.TimestampNTZ
}

// bindTimeSequence binds sequence over dates or times. Value i is the first one plus i
// steps, so that months do not lose days on the way.
func bindTimeSequence(name string, args []Expr) (Expr, error) {
	ends, t, ok := common(args[:2])
	if !ok || !isTemporal(t) || len(args) == 3 && !args[2].Type().Interval() {
		return nil, mismatch("SEQUENCE_WRONG_INPUT_TYPES", "%s uses the wrong parameter type: start and stop should be of one type, the step of times an INTERVAL, got %s.", name, typeList(args))
	}
	months := len(args) == 3 && args[2].Type().Kind == columnar.YearMonthIntervalKind
	list := append(append([]Expr{}, ends...), args[2:]...)
	run := func(f *frame) { f.timeSequences(t == columnar.Date, months) }
	return &call{name: name, args: list, typ: columnar.Array(t), run: run}, nil
}

func (f *frame) timeSequences(dates, months bool) {
	for _, i := range f.rows {
		s := stepper{from: f.instant(0, i, dates), to: f.instant(1, i, dates), months: months}
		s.step = f.timeStep(i, s, months)
		if err := s.check(dates); err != nil {
			f.fail(i, err)
			continue
		}
		start := f.out.kids[0].n
		if !s.each(f.mostElements, func(us int64) { f.pushInstant(us, dates) }) {
			f.out.kids[0].cut(start)
			f.fail(i, errTooManyElements)
			continue
		}
		f.closeList(f.out, i, start)
	}
}

// instant is an end of the sequence in microseconds.
func (f *frame) instant(arg int, row int32, dates bool) int64 {
	if dates {
		return int64(valueAt[int32](f.args[arg], row)) * sqltext.Day
	}
	return valueAt[int64](f.args[arg], row)
}

func (f *frame) timeStep(row int32, s stepper, months bool) int64 {
	switch {
	case len(f.args) == 3 && months:
		return int64(valueAt[int32](f.args[2], row))
	case len(f.args) == 3:
		return valueAt[int64](f.args[2], row)
	case s.from > s.to:
		return -sqltext.Day
	}
	return sqltext.Day
}

func (f *frame) pushInstant(us int64, dates bool) {
	if dates {
		pushFixed(f.out.kids[0], int32(us/sqltext.Day))
	} else {
		pushFixed(f.out.kids[0], us)
	}
}

// stepper walks from one time to another.
type stepper struct {
	from, to, step int64
	months         bool
}

// check refuses steps that do not lead to the end, and parts of days between dates.
func (s stepper) check(dates bool) error {
	switch {
	case dates && !s.months && s.step%sqltext.Day != 0:
		return &EvalError{"_LEGACY_ERROR_TEMP_3242", "sequence of dates needs a step of whole days or months."}
	case s.from != s.to && (s.step == 0 || s.step > 0 != (s.from < s.to)):
		return &EvalError{"ILLEGAL_SEQUENCE_BOUNDARIES", fmt.Sprintf("Illegal sequence boundaries: %d to %d by %d.", s.from, s.to, s.step)}
	}
	return nil
}

// each calls use for every value; it is false if there are more than most.
func (s stepper) each(most int, use func(us int64)) bool {
	for k := int64(0); k <= int64(most); k++ {
		us, ok := s.from+k*s.step, true
		if s.months {
			us, ok = instantMonths(s.from, k*s.step)
		}
		if !ok || s.step >= 0 && us > s.to || s.step < 0 && us < s.to {
			return true
		}
		use(us)
		if s.step == 0 {
			return true
		}
	}
	return false
}
