package backfill

import (
	"fmt"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/offsets"
)

// everything is the condition of all rows.
const everything = "true"

// literal is a time in SQL.
func literal(micros int64) string {
	return "TIMESTAMP '" + time.UnixMicro(micros).UTC().Format("2006-01-02 15:04:05.000000") + "'"
}

// rangeOf is the condition of the rows of a range of event time. Windows are of it if it holds them whole and they end at or before the
// watermark, in microseconds.
func (c column) rangeOf(from, until, watermark int64, complete bool) string {
	var parts []string
	if from != Beginning {
		if c.isEnd {
			from += c.size
		}
		parts = append(parts, c.name+" >= "+literal(from))
	}
	switch last, some := c.last(until, watermark, complete); {
	case !some:
	case c.size == 0 && last == until:
		parts = append(parts, c.name+" < "+literal(until))
	default:
		parts = append(parts, c.name+" <= "+literal(last))
	}
	if len(parts) == 0 {
		return everything
	}
	return strings.Join(parts, " AND ")
}

// last is the largest value of the column, or for times, where the watermark does not matter, the end of the range; false: there is no bound.
func (c column) last(until, watermark int64, complete bool) (int64, bool) {
	last := until
	if complete && (c.size > 0 || watermark < until) {
		last = min(until, watermark)
	}
	if last == End {
		return 0, false
	}
	if !c.isEnd {
		last -= c.size
	}
	return last, true
}

// Windows are some that a backfill leaves alone: those that begin at First, and each slide later, up to Last, in microseconds.
type Windows struct {
	First, Last int64
	Why         string
}

// String names them.
func (w Windows) String() string {
	if w.First == w.Last {
		return fmt.Sprintf("the window that begins at %s: %s", timeText(w.First), w.Why)
	}
	if w.Last == End {
		return fmt.Sprintf("the windows that begin from %s on: %s", timeText(w.First), w.Why)
	}
	return fmt.Sprintf("the windows that begin from %s to %s: %s", timeText(w.First), timeText(w.Last), w.Why)
}

// leftAlone are the windows that overlap a range and are not replaced.
func (c column) leftAlone(from, until, watermark int64) (out []Windows) {
	if c.size == 0 {
		return nil
	}
	add := func(above, upTo int64, why string) { // those that begin after a time, up to another one
		first, last := c.floor(above)+c.slide, c.floor(upTo)
		if first <= last {
			out = append(out, Windows{first, last, why})
		}
	}
	if from != Beginning {
		add(from-c.size, min(from-1, until-1), "cut by the start of the range")
	}
	low := from - 1
	if from == Beginning || watermark-c.size > low {
		low = watermark - c.size
	}
	if until == End {
		return append(out, Windows{c.floor(low) + c.slide, End, "not complete by the committed watermark, " + timeText(watermark)})
	}
	add(low, until-c.size, "not complete by the committed watermark, "+timeText(watermark))
	cut := until - c.size
	if from != Beginning {
		cut = max(cut, from-1)
	}
	add(cut, until-1, "cut by the end of the range")
	return out
}

// floor is the start of the newest window that begins at a time or before.
func (c column) floor(at int64) int64 {
	m := (at - c.start) % c.slide
	if m < 0 {
		m += c.slide
	}
	return at - m
}

// anyOf is the condition of records of some ranges of offsets. A topic of "" is not asked for.
func (c coordinates) anyOf(from, until offsets.Positions) string {
	var parts []string
	for _, p := range until.Sorted() {
		if from[p] >= until[p] {
			continue
		}
		part := fmt.Sprintf("%s = %d AND %s >= %d AND %s < %d", c.partition, p.ID, c.offset, from[p], c.offset, until[p])
		if c.topic != "" {
			part = fmt.Sprintf("%s = '%s' AND %s", c.topic, p.Topic, part) // no topic has a quote in its name
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ") OR (") + ")"
}
