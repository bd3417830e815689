package planner

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// duration reads a length of a window: a text such as '10 seconds', an interval, or microseconds as a number.
func (b *binder) duration(n node) (us int64, ok bool) {
	e := b.expr(n)
	if e == nil {
		return 0, false
	}
	e = compute.Fold(e)
	if !compute.Literal(e) {
		b.fail(n.place().start, "_LEGACY_ERROR_TEMP_1207", fmt.Sprintf("the lengths of a window are constants, %s is not", e), "write '10 seconds'; session_window takes a gap that differs between rows")
		return 0, false
	}
	if text, isText := compute.ConstantText(e); isText {
		return b.durationText(n, text)
	}
	return b.durationValue(n, e)
}

func (b *binder) durationText(n node, text string) (us int64, ok bool) {
	e, err := compute.IntervalWords(text)
	var fault *compute.TypeError
	if errors.As(err, &fault) && fault.Condition != "UNSUPPORTED_FEATURE.INTERVAL" {
		b.fail(n.place().start, "CANNOT_PARSE_INTERVAL", strings.TrimSuffix(fault.Message, "."), "write '10 seconds' or '1 minute 30 seconds'")
		return 0, false
	}
	if err != nil || e.Type().Kind == columnar.YearMonthIntervalKind {
		b.months(n, "'"+text+"'")
		return 0, false
	}
	return b.durationValue(n, e)
}

func (b *binder) months(n node, text string) {
	b.fail(n.place().start, "_LEGACY_ERROR_TEMP_3231", "months and years have no fixed length: "+text, "use days, or group by date_trunc('MONTH', ...)")
}

// durationValue is the value of an interval or a number.
func (b *binder) durationValue(n node, e compute.Expr) (us int64, ok bool) {
	switch t := e.Type(); {
	case t == columnar.Int, t == columnar.BigInt:
	case t.Kind == columnar.DayTimeIntervalKind:
		if micros, err := compute.IntervalMicros(e); err == nil {
			e = compute.Fold(micros)
		}
	case t.Kind == columnar.YearMonthIntervalKind:
		b.months(n, e.String())
		return 0, false
	default:
		b.fail(n.place().start, "_LEGACY_ERROR_TEMP_1207", fmt.Sprintf("the length of a window is an interval, %s is %s", e, t), "write '10 seconds'")
		return 0, false
	}
	us, err := strconv.ParseInt(e.String(), 10, 64)
	if err != nil {
		b.fail(n.place().start, "", "the length of a window is an interval, not "+e.String(), "write '10 seconds'")
	}
	return us, err == nil
}

// maxWindowsPerRow bounds how often a sliding window repeats a row.
const maxWindowsPerRow = 10_000

// checkLengths refuses windows as Spark does, and those that would repeat a row without end.
func (b *binder) checkLengths(n *call, size, slide, start int64) bool {
	argument := func(i int) int { return n.args[min(i, len(n.args)-1)].place().start }
	switch {
	case size <= 0:
		b.fail(argument(1), "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "the size of a window has to be positive, it is "+micros(size), "")
	case slide <= 0:
		b.fail(argument(2), "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "the slide of a window has to be positive, it is "+micros(slide), "")
	case slide > size:
		b.fail(argument(2), "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", fmt.Sprintf("the slide %s is longer than the window of %s: times would have no window", micros(slide), micros(size)), "the order is window(time, size, slide, start)")
	case size/slide > maxWindowsPerRow:
		b.fail(argument(2), "", fmt.Sprintf("with a slide of %s each row is in %d windows of %s, and %d are allowed", micros(slide), size/slide, micros(size), maxWindowsPerRow), "take a longer slide")
	case max(start, -start) >= slide:
		b.fail(argument(3), "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", fmt.Sprintf("the start %s has to be shorter than the slide of %s", micros(start), micros(slide)), "windows begin at the start plus any number of slides")
	default:
		return true
	}
	return false
}
