package backfill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

const windowed = "SELECT window.start AS w, count(*) AS c, sum(n) AS s FROM e GROUP BY window(ts, '10 seconds')"

// A stateless range: rows of event time in it are computed again with the query as it is now, all others stay as the query of then has made them.
func TestRowsOfARange(t *testing.T) {
	r := newRig("SELECT ts, n, 'old' AS made, _partition, _offset FROM e")
	for n := range int64(60) {
		r.feed(float64(n%30), n)
	}
	r.stream(t)
	r.query = "SELECT ts, n, 'new' AS made, _partition, _offset FROM e"
	p := func(id int32) offsets.Partition { return offsets.Partition{Topic: "e", ID: id} }
	for name, c := range map[string]struct {
		request Request
		is      func(n int64) bool
	}{
		"event time":   {times(10, 20), func(n int64) bool { return n%30 >= 10 && n%30 < 20 }},
		"from":         {Request{Kind: EventTime, From: second(25), Until: End}, func(n int64) bool { return n%30 >= 25 }},
		"to":           {Request{Kind: EventTime, From: Beginning, Until: second(3)}, func(n int64) bool { return n%30 < 3 }},
		"kafka time":   {Request{Kind: KafkaTime, From: second(20), Until: second(40)}, func(n int64) bool { return n >= 20 && n < 40 }},
		"offsets":      {Request{Kind: Offsets, FromOffsets: offsets.Positions{p(0): 5, p(1): -2}, UntilOffsets: offsets.Positions{p(0): 10, p(1): 1}}, func(n int64) bool { return n == 1 || n%2 == 0 && n >= 10 && n < 20 }},
		"offsets, end": {Request{Kind: Offsets, FromOffsets: offsets.Positions{p(0): 29, p(1): 30}, UntilOffsets: offsets.Positions{p(0): -1, p(1): -1}}, func(n int64) bool { return n == 58 }},
		"all":          {Request{From: Beginning, Until: End}, func(int64) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			one := *r
			one.objects = r.objects.Clone()
			var changed int64
			var want []string
			for n := range int64(60) {
				made := "old"
				if c.is(n) {
					made = "new"
					changed++
				}
				want = append(want, fmt.Sprintf(`{"ts":"1970-01-01T00:00:%02d.000Z","n":%d,"made":%q,"_partition":%d,"_offset":%d}`, n%30, n, made, n%2, n/2))
			}
			found, err := Find(t.Context(), one.job(t, one.objects), c.request)
			require.NoError(t, err)
			require.Equal(t, changed, found.Replaced.Gone)
			did, err := Run(t.Context(), one.job(t, one.objects), c.request)
			require.NoError(t, err)
			require.Equal(t, []int64{changed, changed}, []int64{did.Replaced.Gone, did.Replaced.Rows})
			require.ElementsMatch(t, want, one.table(t, "t"))
		})
	}
}

// windows is what a direct computation gives for windows of 10 seconds that begin from one second to another, of rows that are fed so far.
func windows(rows map[int64]float64, from, until int64) (out []string) {
	for start := from; start <= until; start += 10 {
		c, sum := 0, int64(0)
		for n, at := range rows {
			if at >= float64(start) && at < float64(start+10) {
				c, sum = c+1, sum+n
			}
		}
		if c > 0 {
			out = append(out, fmt.Sprintf(`{"w":"%s","c":%d,"s":%d}`, time.Unix(start, 0).UTC().Format("2006-01-02T15:04:05.000Z"), c, sum))
		}
	}
	return out
}

// Windows change places if the range holds them whole and they end at or before the committed watermark. Rows that were late the first time are counted
// now, and leave the table of late rows, unless a window of theirs stays as it is.
func TestWindowsOfARange(t *testing.T) {
	r := newRig(windowed)
	r.late = true
	rows := map[int64]float64{}
	feed := func(at float64, n int64) {
		rows[n] = at
		r.feed(at, n)
	}
	for n := range int64(100) {
		feed(float64(n), n)
	}
	r.stream(t)
	streamed := r.table(t, "t")
	for n := int64(100); n < 110; n++ {
		feed(float64(n-100)*10+1, n) // late for windows 0 to 80, on time for 90
	}
	r.stream(t)
	require.Equal(t, streamed, r.table(t, "t"))
	require.Len(t, r.table(t, "late"), 9)

	did, err := Run(t.Context(), r.job(t, r.objects), times(15, 65))
	require.NoError(t, err)
	want := append(append(windows(firstRows(rows, 100), 0, 10), windows(rows, 20, 50)...), windows(firstRows(rows, 100), 60, 80)...)
	require.Equal(t, want, r.table(t, "t"))
	require.Len(t, r.table(t, "late"), 5, "those of windows 20 to 50 are counted")
	require.Equal(t, "`w` >= TIMESTAMP '1970-01-01 00:00:15.000000' AND `w` <= TIMESTAMP '1970-01-01 00:00:55.000000'", did.Where)
	require.Equal(t, []Windows{{second(10), second(10), "cut by the start of the range"}, {second(60), second(60), "cut by the end of the range"}}, did.LeftAlone)

	did, err = Run(t.Context(), r.job(t, r.objects), Request{Kind: EventTime, From: second(70), Until: End})
	require.NoError(t, err)
	require.EqualValues(t, 97_000, did.Watermark)
	require.Equal(t, []Windows{{second(90), End, "not complete by the committed watermark, 1970-01-01T00:01:37Z"}}, did.LeftAlone)
	for n := int64(110); n < 130; n++ {
		feed(float64(n), n)
	}
	r.stream(t)
	want = append(append(windows(firstRows(rows, 100), 0, 10), windows(rows, 20, 50)...), windows(firstRows(rows, 100), 60, 60)...)
	require.Equal(t, append(want, windows(rows, 70, 110)...), r.table(t, "t"), "the pipeline goes on with its own state")
}

// firstRows are the rows with numbers below one.
func firstRows(rows map[int64]float64, below int64) map[int64]float64 {
	out := map[int64]float64{}
	for n, at := range rows {
		if n < below {
			out[n] = at
		}
	}
	return out
}

// Every way to say which windows a row is of tells the range.
func TestTimeColumns(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT window.start AS a, count(*) AS c FROM e GROUP BY window(ts, '10 seconds')": "`a` >= TIMESTAMP '1970-01-01 00:00:10.000000' AND `a` <= TIMESTAMP '1970-01-01 00:00:20.000000'",
		"SELECT window.end AS b, count(*) AS c FROM e GROUP BY window(ts, '10 seconds')":   "`b` >= TIMESTAMP '1970-01-01 00:00:20.000000' AND `b` <= TIMESTAMP '1970-01-01 00:00:30.000000'",
		"SELECT window, count(*) AS c FROM e GROUP BY window(ts, '10 seconds')":            "`window`.start >= TIMESTAMP '1970-01-01 00:00:10.000000' AND `window`.start <= TIMESTAMP '1970-01-01 00:00:20.000000'",
		"SELECT ts AS t, count(*) AS c FROM e GROUP BY ts":                                 "`t` >= TIMESTAMP '1970-01-01 00:00:10.000000' AND `t` < TIMESTAMP '1970-01-01 00:00:30.000000'",
		"SELECT n, ts AS t FROM e": "`t` >= TIMESTAMP '1970-01-01 00:00:10.000000' AND `t` < TIMESTAMP '1970-01-01 00:00:30.000000'",
		"SELECT window.start AS a, n, count(*) AS c FROM e GROUP BY window(ts, '10 seconds', '5 seconds'), n": "`a` >= TIMESTAMP '1970-01-01 00:00:10.000000' AND `a` <= TIMESTAMP '1970-01-01 00:00:20.000000'",
	} {
		r := newRig(query)
		for n := range int64(60) {
			r.feed(float64(n), n)
		}
		r.stream(t)
		want2 := r.table(t, "t")
		did, err := Run(t.Context(), r.job(t, r.objects), times(10, 30))
		require.NoError(t, err, query)
		require.Equal(t, want, did.Where)
		require.Equal(t, want2, r.table(t, "t"), query)
		require.Equal(t, did.Replaced.Gone, did.Replaced.Rows)
		require.Positive(t, did.Replaced.Rows)
	}
}

// What cannot be filled is said in a sentence, and nothing is changed.
func TestRefused(t *testing.T) {
	plain, windows := "SELECT ts, n FROM e", windowed
	p0, p1 := offsets.Partition{Topic: "e", ID: 0}, offsets.Partition{Topic: "e", ID: 1}
	span := func(from, until int64) Request {
		return Request{Kind: Offsets, FromOffsets: offsets.Positions{p0: from, p1: -2}, UntilOffsets: offsets.Positions{p0: until, p1: -2}}
	}
	located := "SELECT n, _partition AS p, _offset AS o FROM e"
	for _, c := range []struct {
		name, query string
		request     Request
		kind        error
		want        string
		change      func(r *rig)
	}{
		{"from after to", plain, times(20, 10), ErrRange, "it begins at 1970-01-01T00:00:20Z, after its end at 1970-01-01T00:00:10Z", nil},
		{"empty", plain, times(20, 20), ErrRange, "it is empty", nil},
		{"future", plain, times(5000, 6000), ErrRange, "it begins in the future", nil},
		{"nothing read", located, span(4, 4), ErrRange, "the pipeline has read no records of it", nil},
		{"offsets from after to", located, span(5, 4), ErrRange, "e-0 begins at offset 5, after its end at 4", nil},
		{"offsets that were never read", located, Request{Kind: Offsets, FromOffsets: offsets.Positions{p0: 0, p1: -2}, UntilOffsets: offsets.Positions{p0: 3, p1: -2}}, ErrRange, "e-0 begins at offset 0, and the pipeline has read it from 2 on", nil},
		{"offsets in the future", located, span(5, 400), ErrRange, "e-0 ends at offset 400, in the future: the pipeline has read up to 30", nil},
		{"a partition that was added", located, Request{Kind: Offsets, FromOffsets: offsets.Positions{p0: 1}, UntilOffsets: offsets.Positions{p0: 2, p1: 3}}, ErrRange, "partition e-1, which the pipeline reads, is not among the offsets", nil},
		{"before retention", plain, times(10, 20), ErrRange, "the log of e-0 begins at offset 3 now, and the range needs offsets from 0 on", func(r *rig) { r.starts = offsets.Positions{p0: 3, p1: 0} }},
		{"offsets before retention", located, span(2, 5), ErrRange, "begins at offset 3 now", func(r *rig) { r.starts = offsets.Positions{p0: 3, p1: 0} }},
		{"kafka time before retention", located, Request{Kind: KafkaTime, From: second(1), Until: second(20)}, ErrRange, "begins at offset 3 now", func(r *rig) { r.starts = offsets.Positions{p0: 3, p1: 0} }},
		{"no time column", "SELECT n FROM e", times(10, 20), ErrInexact, "no column of the result is the event time that the watermark goes by; name one with --time-column", nil},
		{"an unknown time column", plain, named(times(10, 20), "at"), ErrInexact, "the result has no column at; it has ts, n", nil},
		{"a time column that is none", plain, named(times(10, 20), "n"), ErrInexact, "column n is no TIMESTAMP", nil},
		{"a time that is no window", "SELECT window.start w, max(ts) AS m FROM e GROUP BY window(ts, '10 seconds')", named(times(10, 20), "m"), ErrInexact, "column m is neither the start nor the end of the query's window", nil},
		{"no coordinates", plain, span(1, 5), ErrInexact, "the result has no column _partition", nil},
		{"windows by offsets", windows, span(1, 5), ErrInexact, "the query keeps state", nil},
		{"no whole window", windows, times(11, 19), ErrRange, "no window that begins at 1970-01-01T00:00:11Z or later is whole in it", nil},
		{"no complete window", windows, times(50, 70), ErrRange, "ends at or before the committed watermark, 1970-01-01T00:00:57Z", nil},
		{"sessions", "SELECT session_window.start s, n, count(*) c FROM e GROUP BY session_window(ts, '3 seconds'), n", times(10, 20), ErrInexact, "a session may reach beyond any range", nil},
		{"deduplication", plain, times(10, 20), ErrInexact, "the first row of a key of dedup may lie outside of the range", func(r *rig) { r.dedup = &planner.DedupRule{Keys: []string{"n"}} }},
		{"update", windows, times(10, 20), ErrInexact, "with output_mode: update a row is what all rows before it have made it", func(r *rig) { r.mode = planner.Update }},
		{"a source that has lost what was read", plain, times(10, 20), source.ErrDataLoss, "what the pipeline has read cannot be read again: data loss", func(r *rig) { r.lost = source.ErrDataLoss }},
		{"a filter by the clock", "SELECT ts, n FROM e WHERE ts < current_timestamp() - INTERVAL 1 HOUR", times(0, 40), ErrInexact, "the query wants other rows now than it did then", nil},
		{"a time of the clock", "SELECT current_timestamp() AS at, ts, n FROM e", named(times(10, 20), "at"), ErrInexact, "column at may have other values now than then, as the query reads the clock", nil},
		{"another schema", "SELECT ts, CAST(n AS STRING) AS n FROM e", times(10, 20), committer.ErrRefused, "column n is BIGINT in the table and STRING in the query", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(c.query)
			if c.name == "another schema" {
				r.query = plain
			}
			for n := range int64(60) {
				r.feed(float64(n), n)
			}
			if c.name == "offsets that were never read" {
				r.docs.StartAt(offsets.Positions{p0: 2})
			}
			r.stream(t)
			if r.query = c.query; c.change != nil {
				c.change(r)
			}
			before := r.objects.Writes()
			for _, run := range []func(context.Context, Job, Request) (Report, error){Find, Run} {
				_, err := run(t.Context(), r.job(t, r.objects), c.request)
				require.ErrorIs(t, err, c.kind)
				require.ErrorContains(t, err, c.want)
			}
			require.Equal(t, before, r.objects.Writes(), "nothing was written")
		})
	}
}

// A query whose groups are not those of the table has no rows to take the place of its rows. Other aggregates and filters are other rows of the same groups.
func TestOtherGroups(t *testing.T) {
	window := func(what, by string) string { return "SELECT window.start AS w, " + what + " FROM e GROUP BY " + by }
	rows := "SELECT ts AS w, n AS c FROM e"
	for _, c := range []struct {
		name, was, is string
		same          bool
	}{
		{"other windows", window("count(*) AS c", "window(ts, '10 seconds')"), window("count(*) AS c", "window(ts, '20 seconds')"), false},
		{"another slide", window("count(*) AS c", "window(ts, '10 seconds')"), window("count(*) AS c", "window(ts, '10 seconds', '5 seconds')"), false},
		{"other keys", window("count(*) AS c", "window(ts, '10 seconds')"), window("count(*) AS c", "window(ts, '10 seconds'), n"), false},
		{"rows in the place of windows", window("count(*) AS c", "window(ts, '10 seconds')"), rows, false},
		{"windows in the place of rows", rows, window("count(*) AS c", "window(ts, '10 seconds')"), false},
		{"another aggregate", window("count(*) AS c", "window(ts, '10 seconds')"), window("sum(n) AS c", "window(ts, '10 seconds')"), true},
		{"another filter", rows, rows + " WHERE n > 3", true},
	} {
		r := newRig(c.was)
		for n := range int64(60) {
			r.feed(float64(n), n)
		}
		r.stream(t)
		r.query = c.is
		before := r.objects.Writes()
		_, err := Find(t.Context(), r.job(t, r.objects), times(0, 40))
		if c.same {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorIs(t, err, ErrInexact, c.name)
		require.ErrorContains(t, err, "the rows of the table are of other groups than those of the query", c.name)
		_, err = Run(t.Context(), r.job(t, r.objects), times(0, 40))
		require.ErrorIs(t, err, ErrInexact, c.name)
		require.Equal(t, before, r.objects.Writes(), "nothing was written")
	}
}

// The column that a range goes by has to be made as it was when the rows of the table were; other columns may be corrected.
func TestOtherColumns(t *testing.T) {
	window := func(what string) string {
		return "SELECT " + what + " AS s, count(*) AS c FROM e GROUP BY window(ts, '10 seconds')"
	}
	rows := "SELECT ts AS a, n, n + 1 AS b, _partition AS p, _offset AS o FROM e"
	for _, c := range []struct {
		name    string
		was     []string // the queries that ran, one after the other
		is      string
		request Request
		differs string // "": it does not
	}{
		{"the end of a window for its start", []string{window("window.start")}, window("window.end"), times(0, 40), "s, which the range goes by, is end of window(e.ts, 10000000, 10000000, 0) in the query, and was start of window("},
		{"a moved time", []string{rows}, "SELECT ts + INTERVAL 1 MINUTE AS a, n, n + 1 AS b, _partition AS p, _offset AS o FROM e", named(times(0, 40), "a"), "a, which the range goes by, is computed by plan"},
		{"a moved time in all queries", []string{"SELECT ts + INTERVAL 1 MINUTE AS a, n FROM e"}, "SELECT ts + INTERVAL 1 MINUTE AS a, n FROM e", named(times(0, 100), "a"), ""},
		{"another column", []string{rows}, "SELECT ts AS a, n * 2 AS n, n AS b, _partition AS p, _offset AS o FROM e", times(0, 40), ""},
		{"changed and back again", []string{rows, "SELECT ts + INTERVAL 1 MINUTE AS a, n, n + 1 AS b, _partition AS p, _offset AS o FROM e", rows}, rows, times(0, 40), "a, which the range goes by, is e.ts in the query, and was computed by plan"},
		{"all rows", []string{rows}, "SELECT ts + INTERVAL 1 MINUTE AS a, n, n + 1 AS b, _partition AS p, _offset AS o FROM e", Request{From: Beginning, Until: End}, ""},
	} {
		r := newRig("")
		n := int64(0)
		for _, query := range c.was {
			for end := n + 60; n < end; n++ {
				r.feed(float64(n), n)
			}
			r.query = query
			r.stream(t)
		}
		r.query = c.is
		before := r.objects.Writes()
		_, err := Find(t.Context(), r.job(t, r.objects), c.request)
		switch {
		case c.differs == "":
			require.NoError(t, err, c.name)
		default:
			require.ErrorIs(t, err, ErrInexact, c.name)
			require.ErrorContains(t, err, "column "+c.differs, c.name)
			_, err = Run(t.Context(), r.job(t, r.objects), c.request)
			require.ErrorIs(t, err, ErrInexact, c.name)
			require.Equal(t, before, r.objects.Writes(), "nothing was written")
		}
	}
}

func named(r Request, column string) Request {
	r.Column = column
	return r
}

// With --allow-partial rows whose records are gone are lost, and all others are there.
func TestAllowPartial(t *testing.T) {
	r := newRig("SELECT ts, n FROM e")
	for n := range int64(20) {
		r.feed(float64(n), n)
	}
	r.stream(t)
	r.starts = offsets.Positions{{Topic: "e", ID: 0}: 3, {Topic: "e", ID: 1}: 0}
	req := times(0, 10)
	req.AllowPartial = true
	did, err := Run(t.Context(), r.job(t, r.objects), req)
	require.NoError(t, err)
	require.Equal(t, []int64{10, 7}, []int64{did.Replaced.Gone, did.Replaced.Rows})
	require.Len(t, r.table(t, "t"), 17)
}

// A dead letter of a record that is bad again is there once; of a range of offsets it goes when the record is good now.
func TestDeadLettersOfARange(t *testing.T) {
	for _, req := range []Request{{From: Beginning, Until: End}, times(-10, 100)} {
		r := newRig("SELECT ts, 10 / n AS x FROM e")
		for n := range int64(10) {
			r.feed(float64(n), n)
		}
		r.docs.Append(1, []byte("oops"), 0)
		r.stream(t)
		require.Len(t, r.table(t, "dead"), 2)
		_, err := Run(t.Context(), r.job(t, r.objects), req)
		require.NoError(t, err)
		require.Len(t, r.table(t, "dead"), 2)
		r.query = "SELECT ts, try_divide(10, n) AS x FROM e"
		_, err = Run(t.Context(), r.job(t, r.objects), req)
		require.NoError(t, err)
		require.Len(t, r.table(t, "t"), 10)
		if req.Kind == All {
			require.Len(t, r.table(t, "dead"), 1)
		}
	}
}

// Wherever it dies, the same request goes on with what is staged, and the table is what a direct computation makes.
func TestDeaths(t *testing.T) {
	for _, query := range []string{"SELECT ts AS w, n, 'new' AS made FROM e", windowed} {
		made := newRig(query)
		if query != windowed {
			made.query = "SELECT ts AS w, n, 'old' AS made FROM e"
		}
		for n := range int64(60) {
			made.feed(float64(n), n)
		}
		made.stream(t)
		made.query = query
		direct := *made
		direct.objects = made.objects.Clone()
		direct.untilDone(t, times(10, 40), func(int) int { return -1 })
		want := direct.table(t, "t")
		for k := 0; ; k++ {
			r := *made
			r.objects = made.objects.Clone()
			died := false
			did := r.untilDone(t, times(10, 40), func(attempt int) int {
				if attempt == 0 {
					return k
				}
				died = true
				return -1
			})
			require.Equal(t, want, r.table(t, "t"), "%s: death after write %d", query, k)
			require.NotNil(t, did)
			if !died {
				require.Greater(t, k, 20)
				break
			}
		}
	}
}

// A query that is corrected after a death, wherever it came, has its rows in the table in the end: what an earlier one put in is no result of it.
func TestCorrectedAfterADeath(t *testing.T) {
	made := newRig("SELECT ts, n FROM e")
	for n := range int64(20) {
		made.feed(float64(n), n)
	}
	made.stream(t)
	for k, died := 0, true; died; k++ {
		r := *made
		r.objects = made.objects.Clone()
		objects := r.objects.Reopen()
		objects.CrashAfter(k)
		_, err := Run(t.Context(), r.job(t, objects), times(0, 10))
		died = err != nil
		r.objects = r.objects.Reopen()
		r.query = "SELECT ts, n + 100 AS n FROM e"
		_, err = Run(t.Context(), r.job(t, r.objects), times(0, 10))
		require.NoError(t, err)
		rows := r.table(t, "t")
		require.Len(t, rows, 20, "death after write %d", k)
		for i, row := range rows[:10] {
			require.Contains(t, row, fmt.Sprintf(`"n":%d}`, 100+i), "death after write %d", k)
		}
	}
}

// Rows that came before the column that a range goes by cannot be told, and would stay beside those that take their place.
func TestRowsFromBeforeTheColumn(t *testing.T) {
	p0, p1 := offsets.Partition{Topic: "e", ID: 0}, offsets.Partition{Topic: "e", ID: 1}
	for _, c := range []struct {
		request Request
		column  string
	}{
		{times(5, 15), "`ts`"},
		{Request{Kind: Offsets, FromOffsets: offsets.Positions{p0: 1, p1: 1}, UntilOffsets: offsets.Positions{p0: 8, p1: 8}}, "`p`"},
	} {
		r := newRig("SELECT n FROM e")
		r.evolves = true
		for n := range int64(10) {
			r.feed(float64(n), n)
		}
		r.stream(t)
		r.query = "SELECT n, ts, _partition AS p, _offset AS o FROM e"
		for n := int64(10); n < 20; n++ {
			r.feed(float64(n), n)
		}
		r.stream(t)
		before := r.objects.Writes()
		for _, run := range []func(context.Context, Job, Request) (Report, error){Find, Run} {
			_, err := run(t.Context(), r.job(t, r.objects), c.request)
			require.ErrorIs(t, err, committer.ErrRefused)
			require.ErrorContains(t, err, "10 rows of memory/t have no value in column "+c.column+", which the range goes by, and which rows from before it have none in")
		}
		require.Equal(t, before, r.objects.Writes(), "nothing was written")
		_, err := Run(t.Context(), r.job(t, r.objects), Request{From: Beginning, Until: End})
		require.NoError(t, err, "everything needs no column")
		_, err = Run(t.Context(), r.job(t, r.objects), c.request)
		require.NoError(t, err, "now all rows have it")
		require.Len(t, r.table(t, "t"), 20)
	}
	other := newRig("SELECT n FROM e")
	other.evolves = true
	for n := range int64(10) {
		other.feed(float64(n), n)
	}
	other.stream(t)
	other.alter(t, "n BIGINT, ts TIMESTAMP")
	other.query = "SELECT n, ts FROM e"
	other.feed(10, 10)
	other.stream(t)
	_, err := Find(t.Context(), other.job(t, other.objects), times(5, 15))
	require.ErrorContains(t, err, "10 rows of memory/t have no value in column `ts`", "another writer has added it")
	r := newRig("SELECT ts, n FROM e")
	r.docs.Append(0, []byte(`{"n":100}`), 0)
	r.feed(1, 1)
	r.stream(t)
	_, err = Run(t.Context(), r.job(t, r.objects), times(0, 10))
	require.NoError(t, err, "an event time may be NULL")
	require.Len(t, r.table(t, "t"), 2)
}

// A corrected query may bring columns along, where the table takes them.
func TestNewColumns(t *testing.T) {
	r := newRig("SELECT ts, n FROM e")
	for n := range int64(20) {
		r.feed(float64(n), n)
	}
	r.stream(t)
	r.query = "SELECT ts, n, n * 2 AS twice FROM e"
	_, err := Run(t.Context(), r.job(t, r.objects), times(5, 10))
	require.ErrorIs(t, err, committer.ErrRefused)
	require.ErrorContains(t, err, "the table has no column twice")
	j := r.job(t, r.objects)
	j.Options.AddColumns = true
	_, err = Run(t.Context(), j, times(5, 10))
	require.NoError(t, err)
	require.Contains(t, r.table(t, "t"), `{"ts":"1970-01-01T00:00:07.000Z","n":7,"twice":14}`)
	require.Contains(t, r.table(t, "t"), `{"ts":"1970-01-01T00:00:11.000Z","n":11,"twice":null}`)
}

// At random: deaths, and a pipeline that goes on in between.
func TestDeathsBesideAPipeline(t *testing.T) {
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 1))
		r := newRig(windowed)
		rows, n := map[int64]float64{}, int64(0)
		feed := func(count int) {
			for range count {
				rows[n] = float64(n)
				r.feed(float64(n), n)
				n++
			}
		}
		feed(80)
		r.stream(t)
		r.untilDone(t, times(20, 60), func(attempt int) int {
			feed(rng.IntN(20))
			r.stream(t)
			if attempt == 4 {
				return -1
			}
			return rng.IntN(40)
		})
		feed(10)
		r.stream(t)
		got := r.table(t, "t")
		require.Equal(t, windows(rows, 0, int64(len(got)-1)*10), got, "seed %d", seed)
	}
}

// The pipeline, a catch-up and a backfill run the same plan; another table gets the same rows, and goes on where it was cut off.
func TestFillAnotherTable(t *testing.T) {
	r := newRig(windowed)
	for n := range int64(60) {
		r.feed(float64(n), n)
	}
	r.stream(t)
	for k := 0; ; k++ {
		one := *r
		one.objects = r.objects.Clone()
		fill := func(kill int) error {
			objects := one.objects.Reopen()
			if kill >= 0 {
				objects.CrashAfter(kill)
			}
			_, err := Fill(t.Context(), one.job(t, one.objects), times(10, 45), one.into(t, objects))
			return err
		}
		died := fill(k) != nil
		require.NoError(t, fill(-1))
		require.Equal(t, one.table(t, "t")[1:4], one.table(t, "other"), "death after write %d", k)
		_, err := Fill(t.Context(), one.job(t, one.objects), times(10, 30), one.into(t, one.objects))
		require.ErrorIs(t, err, committer.ErrRefused)
		require.ErrorContains(t, err, "was filled with another range")
		corrected := one
		corrected.query = "SELECT window.start AS w, count(*) AS c, sum(n * 10) AS s FROM e GROUP BY window(ts, '10 seconds')"
		_, err = Fill(t.Context(), corrected.job(t, one.objects), times(10, 45), corrected.into(t, one.objects))
		require.ErrorIs(t, err, committer.ErrRefused)
		require.ErrorContains(t, err, "was filled by another query")
		if !died {
			break
		}
	}
}

// An archive before a topic is filled into another table with the topic. In its own table, the rows of the archive stay where ranges of the topic change places.
func TestArchives(t *testing.T) {
	located := "SELECT n, _topic AS t, _partition AS p, _offset AS o FROM e"
	r := newRig(located)
	r.archived(t, "a", 0, 10)
	r.archived(t, "b", 10, 20)
	for n := int64(20); n < 40; n++ {
		r.feed(float64(n), n)
	}
	fill := func() Report {
		done, err := Fill(t.Context(), r.job(t, r.objects), Request{From: Beginning, Until: End}, r.into(t, r.objects))
		require.NoError(t, err)
		return done
	}
	require.EqualValues(t, 40, fill().Replaced.Rows)
	require.True(t, fill().Finished, "it is there already")
	r.stream(t)
	want := r.table(t, "t")
	require.Len(t, want, 40)
	require.Equal(t, want, r.table(t, "other"))
	p0, p1 := offsets.Partition{Topic: "e", ID: 0}, offsets.Partition{Topic: "e", ID: 1}
	span := Request{Kind: Offsets, FromOffsets: offsets.Positions{p0: 2, p1: 0}, UntilOffsets: offsets.Positions{p0: 5, p1: -1}}
	done, err := Run(t.Context(), r.job(t, r.objects), span)
	require.NoError(t, err)
	require.EqualValues(t, 13, done.Replaced.Gone)
	require.EqualValues(t, 13, done.Replaced.Rows)
	require.Equal(t, want, r.table(t, "t"))
	for _, refused := range []Request{{From: Beginning, Until: End}, times(0, 30)} {
		before := r.objects.Writes()
		for _, run := range []func(context.Context, Job, Request) (Report, error){Find, Run} {
			j := r.job(t, r.objects)
			if refused.Kind == EventTime {
				j.Plan = (&rig{query: "SELECT n, ts FROM e", docs: r.docs, objects: r.objects, now: r.now}).job(t, r.objects).Plan
			}
			_, err = run(t.Context(), j, refused)
			require.ErrorContains(t, err, "source e: the pipeline began with an archive, whose rows would be replaced and not brought back")
		}
		require.Equal(t, before, r.objects.Writes(), "nothing was written")
	}
	r.query, r.objects = "SELECT n, _partition AS p, _offset AS o FROM e", store.NewMem()
	r.stream(t)
	_, err = Find(t.Context(), r.job(t, r.objects), span)
	require.ErrorContains(t, err, "the result has no column _topic", "files and topics have partition 0")
}

// A table that is filled with rows of which the query wants none is full.
func TestFillNothing(t *testing.T) {
	r := newRig("SELECT n FROM e WHERE n < 0")
	for n := range int64(20) {
		r.feed(float64(n), n)
	}
	for _, rows := range []int64{0, 0} {
		done, err := Fill(t.Context(), r.job(t, r.objects), Request{From: Beginning, Until: End}, r.into(t, r.objects))
		require.NoError(t, err)
		require.Equal(t, rows, done.Replaced.Rows)
	}
}
