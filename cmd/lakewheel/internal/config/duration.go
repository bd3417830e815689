package config

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// durationUnits gives each unit of SQL intervals as a multiple of one of Go's. Months and years have no fixed length.
var durationUnits = map[string]struct {
	suffix string
	times  time.Duration
}{
	"microsecond": {"us", 1}, "millisecond": {"ms", 1}, "second": {"s", 1}, "minute": {"m", 1}, "hour": {"h", 1}, "day": {"h", 24}, "week": {"h", 7 * 24},
}

// ParseDuration reads Go's form (1s, 1m30s) and that of SQL intervals (10 seconds, 1 minute 30 seconds).
func ParseDuration(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, nil
	}
	fields := strings.Fields(strings.TrimPrefix(strings.ToLower(text), "interval "))
	if len(fields) == 0 || len(fields)%2 != 0 {
		return 0, fmt.Errorf("%q is not a duration", text)
	}
	var total time.Duration
	for ; len(fields) > 0; fields = fields[2:] {
		unit, known := durationUnits[strings.TrimSuffix(fields[1], "s")]
		d, err := time.ParseDuration(fields[0] + unit.suffix)
		if !known || err != nil || d.Abs() > (math.MaxInt64-total.Abs())/max(unit.times, 1) {
			return 0, fmt.Errorf("%q is not a duration", text)
		}
		total += d * unit.times
	}
	return total, nil
}
