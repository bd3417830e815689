package compute

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

var timeSchema = columnar.NewSchema(
	columnar.Field{Name: "t", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "u", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "d", Type: columnar.Date, Nullable: true},
	columnar.Field{Name: "n", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "p", Type: columnar.String, Nullable: true})

func timeColumn(i int) Expr {
	f := timeSchema.Fields[i]
	return Column(i, f.Name, f.Type, true)
}

func timeTable(t testing.TB) *columnar.Batch {
	return table(t, timeSchema,
		`{"t":"2024-02-29T12:00:00Z","u":"2024-02-28T11:00:00Z","d":"2024-01-31","n":1,"s":"29/02/2024","p":"dd/MM/yyyy"}`,
		`{"t":"1969-12-31T23:59:59.999999Z","u":"1970-01-01T00:00:00Z","d":"1970-01-01","n":-1,"s":"1970-01-01","p":"yyyy-MM-dd"}`,
		`{}`,
		`{"t":"2024-03-31T01:00:00Z","u":"2024-03-31T01:00:00Z","d":"2024-03-31","n":0,"s":"x","p":"yyyy"}`,
		`{"t":"0001-01-01T00:00:00Z","u":"9999-12-31T23:59:59Z","d":"9999-12-31","n":12,"s":"2024","p":"yyyy"}`,
		`{"t":"2024-01-01T00:00:00Z","u":null,"d":"2024-01-01","n":2,"s":"5","p":"Y"}`)
}

func call1(t testing.TB, name string, args ...Expr) Expr {
	e, err := Call(name, args...)
	require.NoError(t, err, name)
	return e
}

// texts evaluates e and prints each row, with what failed after it.
func texts(t testing.TB, ev *Evaluator, e Expr, b *columnar.Batch, sel columnar.Selection) []string {
	ev.Reset()
	e, err := Cast(e, columnar.String, false)
	require.NoError(t, err)
	col, err := ev.Eval(e, b, sel)
	require.NoError(t, err)
	defer col.Release()
	out := make([]string, b.Rows())
	for i := range out {
		out[i] = "NULL"
		if !col.IsNull(i) {
			out[i] = columnar.StringAt(col, i)
		}
	}
	for _, failed := range ev.Errors() {
		var fault *EvalError
		require.ErrorAs(t, failed.Err, &fault)
		out[failed.Row] = fault.Condition
	}
	return out
}

// TestTimeColumns evaluates functions of times over columns with NULLs.
func TestTimeColumns(t *testing.T) {
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	b := timeTable(t)
	defer b.Release()
	ev := NewEvaluator(mem)
	ts, u, d, n, s, p := timeColumn(0), timeColumn(1), timeColumn(2), timeColumn(3), timeColumn(4), timeColumn(5)
	hour := DayTimeValue(3_600_000_000, columnar.DayTimeInterval(columnar.HourUnit, columnar.HourUnit))
	between := call1(t, "-", ts, u)
	for _, c := range []struct {
		e    Expr
		want [6]string
	}{
		{between, [6]string{"INTERVAL '1 01:00:00' DAY TO SECOND", "INTERVAL '-0 00:00:00.000001' DAY TO SECOND", "NULL", "INTERVAL '0 00:00:00' DAY TO SECOND", "INTERVAL '-3652058 23:59:59' DAY TO SECOND", "NULL"}},
		{call1(t, "*", between, n), [6]string{"INTERVAL '1 01:00:00' DAY TO SECOND", "INTERVAL '0 00:00:00.000001' DAY TO SECOND", "NULL", "INTERVAL '0 00:00:00' DAY TO SECOND", "INTERVAL '-43824707 23:59:48' DAY TO SECOND", "NULL"}},
		{call1(t, "/", between, n), [6]string{"INTERVAL '1 01:00:00' DAY TO SECOND", "INTERVAL '0 00:00:00.000001' DAY TO SECOND", "NULL", "INTERVAL_DIVIDED_BY_ZERO", "INTERVAL '-304338 05:59:59.916667' DAY TO SECOND", "NULL"}},
		{call1(t, "coalesce", between, hour), [6]string{"INTERVAL '1 01:00:00' DAY TO SECOND", "INTERVAL '-0 00:00:00.000001' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND", "INTERVAL '0 00:00:00' DAY TO SECOND", "INTERVAL '-3652058 23:59:59' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND"}},
		{call1(t, "greatest", between, hour), [6]string{"INTERVAL '1 01:00:00' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND"}},
		{call1(t, ">", between, hour), [6]string{"true", "false", "NULL", "false", "false", "NULL"}},
		{call1(t, "in", between, hour, DayTimeValue(0, daySecond)), [6]string{"false", "false", "NULL", "true", "false", "NULL"}},
		{call1(t, "+", d, call1(t, "make_ym_interval", Integer(0, columnar.Int), n)), [6]string{"2024-02-29", "1969-12-01", "NULL", "2024-03-31", "+10000-12-31", "2024-03-01"}},
		{call1(t, "to_date", s, p), [6]string{"2024-02-29", "1970-01-01", "NULL", "CANNOT_PARSE_TIMESTAMP", "2024-01-01", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"}},
		{call1(t, "date_format", ts, p), [6]string{"29/02/2024", "1969-12-31", "NULL", "2024", "0001", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"}},
		{call1(t, "to_utc_timestamp", ts, Text("Europe/Paris")), [6]string{"2024-02-29 11:00:00", "1969-12-31 22:59:59.999999", "NULL", "2024-03-31 00:00:00", "0000-12-31 23:50:39", "2023-12-31 23:00:00"}},
		{call1(t, "date_part", Text("second"), ts), [6]string{"0.000000", "59.999999", "NULL", "0.000000", "0.000000", "0.000000"}},
		{call1(t, "make_timestamp_ntz", call1(t, "year", d), Integer(1, columnar.Int), n, Integer(0, columnar.Int), Integer(0, columnar.Int), Integer(0, columnar.Int)),
			[6]string{"2024-01-01 00:00:00", "DATETIME_FIELD_OUT_OF_BOUNDS", "NULL", "DATETIME_FIELD_OUT_OF_BOUNDS", "9999-01-12 00:00:00", "2024-01-02 00:00:00"}},
	} {
		require.Equal(t, c.want[:], texts(t, ev, c.e, b, nil), c.e.String())
		some := texts(t, ev, c.e, b, columnar.Selection{1, 3})
		require.Equal(t, []string{c.want[1], c.want[3]}, []string{some[1], some[3]}, c.e.String())
	}
}

// TestClock: the time of the batch comes from outside and is no constant.
func TestClock(t *testing.T) {
	b := timeTable(t)
	defer b.Release()
	ev := NewDefaultEvaluator()
	now := call1(t, "now")
	_, err := ev.Eval(now, b, nil)
	require.ErrorIs(t, err, errNoTime)
	clock, err := Cast(Text("10:20:30"), columnar.Timestamp, false)
	require.NoError(t, err)
	_, err = ev.Eval(clock, b, nil)
	require.ErrorIs(t, err, errNoTime)
	for _, e := range []Expr{now, clock, call1(t, "current_date"), call1(t, "unix_timestamp"), call1(t, "year", now)} {
		require.False(t, Literal(Fold(e)), e.String())
	}
	ev.SetTime(1_709_210_096_789_123)
	for want, e := range map[string]Expr{
		"2024-02-29 12:34:56.789123": now, "2024-02-29": call1(t, "current_date"), "2024-02-29 10:20:30": Fold(clock),
		"1709210096": call1(t, "unix_timestamp"), "UTC": call1(t, "current_timezone"),
	} {
		require.Equal(t, want, texts(t, ev, e, b, nil)[0])
	}
	ev.SetTime(0)
	require.Equal(t, "1970-01-01", texts(t, ev, call1(t, "curdate"), b, nil)[0])
}

// TestManyPatterns: more patterns than are kept give the same as one by one.
func TestManyPatterns(t *testing.T) {
	rows := make([]string, 3*mostPatterns)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"t":"2024-02-29T12:00:00Z","p":"yyyy'%d'"}`, i)
	}
	b := table(t, timeSchema, rows...)
	defer b.Release()
	for i, got := range texts(t, NewDefaultEvaluator(), call1(t, "date_format", timeColumn(0), timeColumn(5)), b, nil) {
		require.Equal(t, fmt.Sprintf("2024%d", i), got)
	}
}

// TestIntervalLiterals: constants print as the SQL that they are read from.
func TestIntervalLiterals(t *testing.T) {
	for words, want := range map[string]string{
		"1 day 2 hours": "INTERVAL '1 02' DAY TO HOUR", "-14 months": "INTERVAL '-14' MONTH", "1 week": "INTERVAL '7' DAY", "1.5 seconds": "INTERVAL '01.5' SECOND", "2 years -1 month": "INTERVAL '1-11' YEAR TO MONTH",
	} {
		e, err := IntervalWords(words)
		require.NoError(t, err)
		require.Equal(t, want, e.String())
	}
	for words, condition := range map[string]string{
		"": "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", "1 day 1 month": "UNSUPPORTED_FEATURE.INTERVAL", "9999999999 days": "INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION",
		"1 parsec": "INVALID_INTERVAL_FORMAT.INVALID_UNIT", "1": "INVALID_INTERVAL_FORMAT.MISSING_UNIT", "1.5 days": "INVALID_INTERVAL_FORMAT.INVALID_FRACTION",
	} {
		_, err := IntervalWords(words)
		var fault *TypeError
		require.ErrorAs(t, err, &fault, words)
		require.Equal(t, condition, fault.Condition, words)
	}
}
