package backfill

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/offsets"
)

// Kind says what a range is measured in.
type Kind int

// The kinds of ranges.
const (
	All       Kind = iota // everything that the pipeline has read
	EventTime             // a time that the rows have
	KafkaTime             // when records were written
	Offsets               // positions in the sources
)

// Open ends of a range of times, in microseconds since 1970.
const (
	Beginning = math.MinInt64
	End       = math.MaxInt64
)

// Request is what is to be filled.
type Request struct {
	Kind Kind
	// From and Until are times in microseconds since 1970: [From, Until).
	From, Until int64
	// FromOffsets and UntilOffsets name every partition of the sources: -2 is the first offset that the pipeline has read, -1 where it is.
	FromOffsets, UntilOffsets offsets.Positions
	// Column of the table that has the event time; "": the plan tells.
	Column string
	// AllowPartial goes on where records of the range are gone.
	AllowPartial bool
	// ReplaceForeign takes rows of other writers out of the range, too.
	ReplaceForeign bool
}

// Command is the request in one line: a backfill that was cut off goes on with the same.
func (r Request) Command() string {
	parts := []string{"all"}
	switch r.Kind {
	case EventTime, KafkaTime:
		parts[0] = map[Kind]string{EventTime: "event time", KafkaTime: "kafka time"}[r.Kind]
		if r.From != Beginning {
			parts = append(parts, "from "+timeText(r.From))
		}
		if r.Until != End {
			parts = append(parts, "to "+timeText(r.Until))
		}
	case Offsets:
		from, _ := json.Marshal(r.FromOffsets)
		until, _ := json.Marshal(r.UntilOffsets)
		parts = []string{"offsets", "from " + string(from), "to " + string(until)}
	}
	if r.Column != "" {
		parts = append(parts, "of column "+r.Column)
	}
	if r.AllowPartial {
		parts = append(parts, "allow partial")
	}
	return strings.Join(parts, " ")
}

// check refuses ranges that are none.
func (r Request) check(now time.Time) error {
	switch {
	case r.Kind == Offsets || r.Kind == All:
		return nil
	case r.From > r.Until:
		return fmt.Errorf("%w: it begins at %s, after its end at %s", ErrRange, timeText(r.From), timeText(r.Until))
	case r.From == r.Until:
		return fmt.Errorf("%w: it is empty: it begins and ends at %s", ErrRange, timeText(r.From))
	case r.From != Beginning && r.From >= now.UnixMicro():
		return fmt.Errorf("%w: it begins in the future, at %s", ErrRange, timeText(r.From))
	}
	return nil
}

// timeText is a time for people and messages.
func timeText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
}
