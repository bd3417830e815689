package compute

import (
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
	"github.com/lakewheel/lakewheel/columnar/internal/timepattern"
)

var patternFunctions = []function{
	entry("date_format", "date_format(t, pattern)", "A timestamp as text.", "date_format(TIMESTAMP'2024-02-29 12:00:00', 'yyyy/MM/dd HH:mm')", 2, 2, bindDateFormat),
	entry("from_unixtime", "from_unixtime(n[, pattern])", "Seconds since 1970 as text, 'yyyy-MM-dd HH:mm:ss'.", "from_unixtime(0, 'yyyy-MM-dd')", 1, 2, bindFromUnixTime),
	entry("to_date", "to_date(s[, pattern])", "A DATE read by a pattern, or CAST(s AS DATE).", "to_date('29.02.2024', 'dd.MM.yyyy')", 1, 2, bindReadTime(columnar.Date, false)),
	entry("to_timestamp", "to_timestamp(s[, pattern])", "A TIMESTAMP read by a pattern, or CAST(s AS TIMESTAMP).", "to_timestamp('29.02.2024 12:00', 'dd.MM.yyyy HH:mm')", 1, 2, bindReadTime(columnar.Timestamp, false)),
	entry("to_timestamp_ltz", "to_timestamp_ltz(s[, pattern])", "A TIMESTAMP read by a pattern, or CAST(s AS TIMESTAMP).", "to_timestamp_ltz('2024-02-29', 'yyyy-MM-dd')", 1, 2, bindReadTime(columnar.Timestamp, false)),
	entry("to_timestamp_ntz", "to_timestamp_ntz(s[, pattern])", "A TIMESTAMP_NTZ read by a pattern, or CAST(s AS TIMESTAMP_NTZ).", "to_timestamp_ntz('2024-02-29', 'yyyy-MM-dd')", 1, 2, bindReadTime(columnar.TimestampNTZ, false)),
	entry("try_to_timestamp", "try_to_timestamp(s[, pattern])", "to_timestamp, NULL where the text does not fit.", "try_to_timestamp('x', 'yyyy')", 1, 2, bindReadTime(columnar.Timestamp, true)),
	entry("unix_timestamp", "unix_timestamp([s[, pattern]])", "Seconds since 1970 of a text or time, or of the batch time.", "unix_timestamp('2024-02-29', 'yyyy-MM-dd')", 0, 2, bindUnixTimestamp),
	entry("to_unix_timestamp", "to_unix_timestamp(s[, pattern])", "Seconds since 1970 of a text or time.", "to_unix_timestamp('2024-02-29', 'yyyy-MM-dd')", 1, 2, bindUnixTimestamp),
}

// usualPattern is what stands for a pattern that is left out.
const usualPattern = "yyyy-MM-dd HH:mm:ss"

// mostPatterns bounds how many patterns of a column are kept compiled at a time.
const mostPatterns = 64

// patterns finds the compiled pattern of a row: one for all, or by its text.
type patterns struct {
	constant *timepattern.Pattern
	reading  bool
}

// bindPattern compiles a constant pattern at once. For a NULL one isNull is true.
func bindPattern(e Expr, reading bool) (p patterns, isNull bool, err error) {
	folded := Fold(e)
	if l, ok := folded.(*literal); ok && l.value.allNull() {
		return p, true, nil
	}
	p.reading = reading
	text, ok := textLiteral(folded)
	if !ok {
		return p, false, nil
	}
	p.constant, err = timepattern.Compile(text, reading)
	return p, false, patternFault(err)
}

// patternFault is a fault of a constant pattern.
func patternFault(err error) error {
	var fault *timepattern.Error
	if errors.As(err, &fault) {
		return &TypeError{fault.Condition, fault.Message}
	}
	return nil
}

// each gives the pattern of every row that has a valid one and fails the others.
func (p patterns) each(f *frame, texts *vector, do func(row int32, pattern *timepattern.Pattern)) {
	if p.constant != nil {
		for _, i := range f.rows {
			do(i, p.constant)
		}
		return
	}
	known := map[string]*timepattern.Pattern{}
	for _, i := range f.rows {
		text := texts.bytesAt(i)
		pattern, ok := known[string(text)]
		if !ok {
			var err error
			if pattern, err = timepattern.Compile(string(text), p.reading); err != nil {
				var fault *timepattern.Error
				errors.As(err, &fault)
				f.setNull(f.out, i)
				f.report(i, &EvalError{fault.Condition, fault.Message})
				continue
			}
			if len(known) >= mostPatterns {
				clear(known)
			}
			known[string(text)] = pattern
		}
		do(i, pattern)
	}
}

func bindDateFormat(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.Timestamp, columnar.String)
	if err != nil {
		return nil, err
	}
	return bindFormat(name, list, func(v *vector) func(int32) int64 { return wideIntegers(v) })
}

// bindFormat prints the microseconds that read gives of list[0] by the pattern list[1].
func bindFormat(name string, list []Expr, read func(*vector) func(int32) int64) (Expr, error) {
	p, isNull, err := bindPattern(list[1], false)
	if err != nil {
		return nil, err
	}
	if isNull {
		return typedNull(columnar.String), nil
	}
	return &call{name: name, args: list, typ: columnar.String, nullable: p.constant == nil, run: formatKernel(p, read)}, nil
}

// formatKernel prints the microseconds that read gives by the pattern in argument 1.
func formatKernel(p patterns, read func(*vector) func(int32) int64) kernel {
	return func(f *frame) {
		us, texts := read(f.args[0]), f.args[len(f.args)-1]
		p.each(f, texts, func(i int32, pattern *timepattern.Pattern) {
			at := len(f.out.data)
			f.out.data = pattern.AppendFormat(f.out.data, us(i))
			f.close(f.out, i, at)
		})
	}
}

func bindFromUnixTime(name string, args []Expr) (Expr, error) {
	args = withPattern(args)
	list, err := parameters(name, args, columnar.BigInt, columnar.String)
	if err != nil {
		return nil, err
	}
	return bindFormat(name, list, func(v *vector) func(int32) int64 {
		in := wideIntegers(v)
		return func(i int32) int64 { return in(i) * sqltext.Second } // wraps around, as in Spark
	})
}

func withPattern(args []Expr) []Expr {
	if len(args) == 1 {
		return []Expr{args[0], Text(usualPattern)}
	}
	return args
}

// bindReadTime binds to_timestamp and its like: a cast, or a text read by a pattern.
func bindReadTime(t columnar.Type, try bool) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		from := args[0].Type()
		if len(args) == 1 || datetime(from) {
			e := args[0]
			if !castable(from, t) || from.Interval() {
				e = implicit(e, columnar.String)
			}
			if from == t || from == columnar.Null {
				return implicit(e, t), nil
			}
			return newCast(e, t, try, false), nil
		}
		if from != columnar.String && from != columnar.Null {
			return nil, unexpectedInput(name, 0, `("STRING" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ")`, args[0])
		}
		local := t
		if t == columnar.Date {
			local = columnar.Timestamp
		}
		e, err := bindReadText(name, args, local, 1, try)
		if err != nil || t == local {
			return e, err
		}
		return implicit(e, t), nil
	}
}

// bindReadText reads texts by a pattern, in units of so many microseconds.
func bindReadText(name string, args []Expr, t columnar.Type, unit int64, try bool) (Expr, error) {
	list, err := parameters(name, args, columnar.String, columnar.String)
	if err != nil {
		return nil, err
	}
	p, isNull, err := bindPattern(list[1], true)
	if err != nil {
		return nil, err
	}
	if isNull {
		return typedNull(t), nil
	}
	local := t == columnar.TimestampNTZ
	run := func(f *frame) {
		texts, out := f.args[0], slice[int64](f.out)
		p.each(f, f.args[1], func(i int32, pattern *timepattern.Pattern) {
			us, err := pattern.Parse(texts.bytesAt(i), local)
			if err != nil {
				f.failText(i, texts.bytesAt(i), err)
				return
			}
			out[i] = us / unit // toward zero, as in Spark
		})
	}
	return &call{name: name, args: list, typ: t, nullable: p.constant == nil, try: try, run: run}, nil
}

func floorTo(us, unit int64) int64 {
	n := us / unit
	if us%unit < 0 {
		n--
	}
	return n
}

// failText fails a row whose text was not read. What is too large or names a zone that
// is not known fails try_ functions too: Spark has no NULL there.
func (f *frame) failText(row int32, text []byte, err error) {
	switch {
	case errors.Is(err, timepattern.ErrRange):
		f.setNull(f.out, row)
		f.report(row, &EvalError{"ARITHMETIC_OVERFLOW", fmt.Sprintf("long overflow: '%s' is no TIMESTAMP.", clipped(text))})
		return
	case errors.Is(err, timepattern.ErrZone):
		f.setNull(f.out, row)
		f.report(row, &EvalError{"CANNOT_PARSE_TIMESTAMP", fmt.Sprintf("Text '%s' names a zone that is not known; write its region, such as Europe/Paris.", clipped(text))})
		return
	}
	f.fail(row, &EvalError{"CANNOT_PARSE_TIMESTAMP", fmt.Sprintf("Text '%s' could not be parsed by the pattern. Use `try_to_timestamp` to tolerate invalid input string and return NULL instead.", clipped(text))})
}

// wholeSeconds cuts toward 1970, as Spark does here and not in unix_seconds.
func wholeSeconds(f *frame) {
	in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
	for _, i := range f.rows {
		out[i] = in[i&m] / sqltext.Second
	}
}

// bindUnixTimestamp gives seconds; of a date or a time the pattern does not matter.
func bindUnixTimestamp(name string, args []Expr) (Expr, error) {
	if len(args) == 0 {
		args = []Expr{&current{"current_timestamp", columnar.Timestamp}}
	}
	switch t := args[0].Type(); {
	case datetime(t):
		return &call{name: name, args: []Expr{implicit(args[0], columnar.Timestamp)}, typ: columnar.BigInt, run: wholeSeconds}, nil
	case t != columnar.String && t != columnar.Null:
		return nil, unexpectedInput(name, 0, `("STRING" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ")`, args[0])
	}
	return bindReadText(name, withPattern(args), columnar.BigInt, sqltext.Second, false)
}
