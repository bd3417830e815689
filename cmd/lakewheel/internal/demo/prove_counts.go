package demo

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
)

// window is a page in ten seconds.
type window struct {
	start int64 // microseconds since 1970
	page  string
}

// tally is what a window counts.
type tally struct{ views, millis int64 }

// windows is the table of counts against the table of events. Rows that were late are in a table of their own: each is missing in
// its window, and nowhere else.
type windows struct {
	expected  map[window]tally  // windows that are still to be seen
	newest    [partitions]int64 // time of the newest event of each partition, microseconds
	watermark int64             // microseconds

	rows, lateRows, open int64
	doubled, wrong       int64
	seen                 map[window]bool
}

func newWindows() *windows {
	return &windows{expected: map[window]tally{}, seen: map[window]bool{}}
}

// events notes rows of the table of events.
func (w *windows) events(rows *columnar.Batch) {
	ids, times, pages := rows.Column(rows.Schema().Index("event_id")), int64s(rows, "ts"), rows.Column(rows.Schema().Index("page"))
	seconds := columnar.FixedValues[float64](rows.Column(rows.Schema().Index("seconds")))
	for i, ts := range times {
		w.count(ts, columnar.StringAt(pages, i), tally{1, int64(math.Round(seconds[i] * 1000))})
		if p, ok := partitionOf(columnar.StringAt(ids, i)); ok {
			w.newest[p] = max(w.newest[p], ts)
		}
	}
}

// late notes late rows.
func (w *windows) late(rows *columnar.Batch) {
	pages, millis := rows.Column(rows.Schema().Index("page")), columnar.FixedValues[int64](rows.Column(rows.Schema().Index("duration_ms")))
	for i, ts := range int64s(rows, "ts") {
		w.lateRows++
		w.count(ts, columnar.StringAt(pages, i), tally{-1, -millis[i]})
	}
}

// count adds to the window of a time.
func (w *windows) count(ts int64, page string, add tally) {
	key := window{ts - ts%windowSize.Microseconds(), page}
	t := w.expected[key]
	w.expected[key] = tally{t.views + add.views, t.millis + add.millis}
}

// close leaves the windows that the watermark has closed: the delay behind the newest event of the slowest partition.
func (w *windows) close() {
	w.watermark = max(0, slices.Min(w.newest[:])-delay.Microseconds())
	maps.DeleteFunc(w.expected, func(key window, t tally) bool {
		if open := key.start+windowSize.Microseconds() > w.watermark; open {
			w.open++
			return true
		}
		return t.views == 0
	})
}

// result notes rows of the table of counts.
func (w *windows) result(rows *columnar.Batch) {
	pages := rows.Column(rows.Schema().Index("page"))
	views, millis := int64s(rows, "views"), int64s(rows, "duration_ms")
	for i, start := range int64s(rows, "window_start") {
		w.rows++
		key := window{start, columnar.StringAt(pages, i)}
		want, known := w.expected[key]
		switch {
		case w.seen[key]:
			w.doubled++
		case !known || want != tally{views[i], millis[i]}:
			w.wrong++
		}
		w.seen[key] = true
		delete(w.expected, key)
	}
}

// int64s are the values of a BIGINT or TIMESTAMP column.
func int64s(rows *columnar.Batch, name string) []int64 {
	return columnar.FixedValues[int64](rows.Column(rows.Schema().Index(name)))
}

// partitionOf tells the partition of an event from its id, which ends with the number of the event.
func partitionOf(id string) (p int64, ok bool) {
	i, err := strconv.ParseInt(id[strings.LastIndexByte(id, '-')+1:], 10, 64)
	return i % partitions, err == nil && i >= 0
}

func (w *windows) report(o Options) error {
	missing := len(w.expected)
	fmt.Fprintf(o.Out, "windows    %d rows up to %s: %d missing, %d doubled, %d wrong; %d events were late, %d rows are still open\n",
		w.rows, time.UnixMicro(w.watermark).UTC().Format(time.TimeOnly), missing, w.doubled, w.wrong, w.lateRows, w.open)
	if int64(missing)+w.doubled+w.wrong != 0 {
		return fmt.Errorf("%w: the windows are not those of the events", ErrUnbalanced)
	}
	fmt.Fprintln(o.Out, "balance    every closed window counts exactly its events")
	return nil
}
