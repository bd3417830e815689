package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// IntervalMicros is the length of an interval in microseconds, a BIGINT. e is a day-time interval, or a text such as
// '10 seconds', which is NULL where it is no interval; one with months in it, which have no length, fails. Other types are a *TypeError.
func IntervalMicros(e Expr) (Expr, error) {
	switch {
	case e.Type() == columnar.String:
		return &call{name: "interval_micros", args: []Expr{e}, typ: columnar.BigInt, nullable: true, run: wordsToMicros}, nil
	case isDayTime(e.Type()):
		return &call{name: "interval_micros", args: []Expr{e}, typ: columnar.BigInt, run: intervalToMicros}, nil
	}
	return nil, &TypeError{Message: fmt.Sprintf("%s is %s, which has no length in microseconds.", e, e.Type())}
}

func intervalToMicros(f *frame) {
	in, out, m := slice[int64](f.args[0]), slice[int64](f.out), f.args[0].mask()
	for _, i := range f.rows {
		out[i] = in[i&m]
	}
}

// length is what a text means as an interval.
type length struct {
	micros int64
	err    error
}

// wordsToMicros reads each different text once a batch.
func wordsToMicros(f *frame) {
	known, out := map[string]length{}, slice[int64](f.out)
	for _, i := range f.rows {
		text := f.args[0].bytesAt(i)
		l, ok := known[string(text)]
		if !ok {
			l = lengthOfWords(string(text))
			known[string(text)] = l
		}
		switch {
		case l.err == nil:
			out[i] = l.micros
		case l.err == errMonths:
			f.fail(i, l.err)
		default:
			f.setNull(f.out, i)
		}
	}
}

var errMonths error = &EvalError{"", "An interval with months in it has no length in microseconds."}

func lengthOfWords(text string) length {
	w, err := sqltext.ParseWords(text)
	if err != nil {
		return length{err: err}
	}
	if w.Months != 0 {
		return length{err: errMonths}
	}
	us, ok := w.Duration()
	if !ok {
		return length{err: sqltext.ErrIntervalRange}
	}
	return length{micros: us}
}
