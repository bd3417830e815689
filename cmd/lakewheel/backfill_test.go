package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the flags of a range mean, as the backfill repeats it.
func TestBackfillRange(t *testing.T) {
	for want, o := range map[string]backfillFlags{
		"event time from 2026-01-01T00:00:00Z to 2026-01-02T00:00:00.5Z": {from: "2026-01-01", to: "2026-01-02T00:00:00.5Z"},
		"event time from 2026-01-01T10:00:00Z":                           {from: "2026-01-01T12:00:00+02:00"},
		"event time to 2026-01-01T12:30:00Z of column at":                {to: "2026-01-01 12:30", column: "at"},
		"kafka time from 2026-01-01T00:00:00Z allow partial":             {from: "kafka-time:2026-01-01", allowPartial: true},
		`offsets from {"e":{"0":1}} to {"e":{"0":-1}}`:                   {fromOffsets: `{"e":{"0":1}}`, toOffsets: `{"e":{"0":-1}}`},
		"all": {all: true},
	} {
		r, err := o.request()
		require.NoError(t, err, want)
		require.Equal(t, want, r.Command())
	}
	r, err := backfillFlags{to: "2026-01-01"}.request()
	require.NoError(t, err)
	require.EqualValues(t, math.MinInt64, r.From)
}

// Flags that are no range say what is expected.
func TestBackfillNoRange(t *testing.T) {
	for want, o := range map[string]backfillFlags{
		"backfill needs a range":                                               {},
		"backfill takes one range":                                             {from: "2026-01-01", all: true},
		"of times, of offsets, or --all":                                       {from: "2026-01-01", fromOffsets: "{}"},
		"--from yesterday: expected a time such as":                            {from: "yesterday"},
		"--from and --to are of different times":                               {from: "kafka-time:2026-01-01", to: "2026-01-02"},
		"--to-offsets is missing":                                              {fromOffsets: "{}"},
		"--from-offsets 7: expected offsets by topic and partition, such as {": {fromOffsets: "7", toOffsets: "{}"},
	} {
		_, err := o.request()
		require.ErrorContains(t, err, want)
	}
}
