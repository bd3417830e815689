package exec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// timesBatch is rows of one TIMESTAMP, NULL where valid is false.
func timesBatch(times []int64, valid []bool) *columnar.Batch {
	return columnar.NewBatch(columnar.NewSchema(columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true}),
		[]columnar.Column{columnar.NewTimestampColumn(times, valid)}, len(times))
}

// windowsOver is the step that puts rows of timesBatch into windows.
func windowsOver(size, slide, start int64) *windows {
	return &windows{&planner.WindowExec{Time: compute.Column(0, "ts", columnar.Timestamp, true), Size: size, Slide: slide, Start: start,
		Out: columnar.NewSchema(columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true}, columnar.Field{Name: "start", Type: columnar.Timestamp})}}
}

// startsOf are the windows that hold a time, in the order in which they come.
func startsOf(t require.TestingT, size, slide, start, at int64) []int64 {
	f := &flow{batch: timesBatch([]int64{at}, nil)}
	defer f.release()
	require.NoError(t, runSteps(compute.NewDefaultEvaluator(), []step{windowsOver(size, slide, start)}, f))
	return slices.Clone(columnar.FixedValues[int64](f.batch.Column(1)))
}

// Windows include their start and not their end. The latest one comes first.
func TestWindowsOfATime(t *testing.T) {
	for _, c := range []struct {
		what                   string
		size, slide, start, at int64
		want                   string
	}{
		{"a tumbling window", 10, 10, 0, 25, "20"},
		{"the first instant", 10, 10, 0, 20, "20"},
		{"the last instant", 10, 10, 0, 29, "20"},
		{"1970", 10, 10, 0, 0, "0"},
		{"the instant before 1970", 10, 10, 0, -1, "-10"},
		{"a start before 1970", 10, 10, 0, -10, "-10"},
		{"before a start before 1970", 10, 10, 0, -11, "-20"},
		{"of one microsecond", 1, 1, 0, -7, "-7"},
		{"starts are moved", 10, 10, 3, 12, "3"},
		{"onto a moved start", 10, 10, 3, 13, "13"},
		{"moved, before 1970", 10, 10, 3, -8, "-17"},
		{"moved back", 10, 10, -3, 6, "-3"},
		{"moved by more than a slide", 10, 10, 23, 12, "3"},
		{"a slide that divides the size", 10, 5, 0, 12, "10 5"},
		{"on the edge of two", 10, 5, 0, 10, "10 5"},
		{"sliding over 1970", 10, 5, 0, 3, "0 -5"},
		{"sliding before 1970", 10, 5, 0, -1, "-5 -10"},
		{"a slide that does not divide the size, in two", 10, 4, 0, 11, "8 4"},
		{"a slide that does not divide the size, in three", 10, 4, 0, 9, "8 4 0"},
		{"a slide that does not divide the size, at an end", 10, 4, 0, 10, "8 4"},
		{"a slide that does not divide the size, before 1970", 10, 4, 0, -11, "-12 -16 -20"},
		{"moved and sliding", 10, 4, 1, 10, "9 5 1"},
	} {
		starts := startsOf(t, c.size, c.slide, c.start, c.at)
		require.Equal(t, c.want, strings.Trim(fmt.Sprint(starts), "[]"), "%s: size %d slide %d start %d at %d", c.what, c.size, c.slide, c.start, c.at)
	}
}

// A time is in every window of the grid that holds it and in no other: size/slide of them, rounded up or down.
func TestWindowsHoldTheirTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		size := rapid.Int64Range(1, 1000).Draw(r, "size")
		slide := rapid.Int64Range(1, size).Draw(r, "slide")
		start := rapid.Int64Range(-2000, 2000).Draw(r, "start")
		at := rapid.Int64Range(-1<<53, 1<<53).Draw(r, "at")
		if rapid.Bool().Draw(r, "near 1970") {
			at %= 3000
		}
		starts := startsOf(r, size, slide, start, at)
		for _, s := range starts {
			require.Zero(r, (s-start)%slide, "a window begins at %d", s)
			require.True(r, s <= at && at < s+size, "a window begins at %d", s)
		}
		for i := 1; i < len(starts); i++ {
			require.Equal(r, starts[i-1]-slide, starts[i])
		}
		require.NotEmpty(r, starts)
		require.Greater(r, starts[0]+slide, at, "a later window holds the time")
		require.LessOrEqual(r, starts[len(starts)-1]-slide+size, at, "an earlier window holds the time")
		require.Contains(r, []int64{size / slide, (size + slide - 1) / slide}, int64(len(starts)))
	})
}

// Rows without a time, and those that an operator before has dropped, have no window; each row knows the raw row that it is of.
func TestWindowsOfRows(t *testing.T) {
	f := &flow{batch: timesBatch([]int64{1, 12, 13, 24, 25}, []bool{true, true, false, true, true}), sel: columnar.Selection{0, 1, 2, 4}, origin: []int32{10, 11, 12, 13, 14}}
	defer f.release()
	require.NoError(t, runSteps(compute.NewDefaultEvaluator(), []step{windowsOver(10, 5, 0)}, f))
	require.Equal(t, []int64{1, 1, 12, 12, 25, 25}, columnar.FixedValues[int64](f.batch.Column(0)))
	require.Equal(t, []int64{0, -5, 10, 5, 25, 20}, columnar.FixedValues[int64](f.batch.Column(1)))
	require.Equal(t, []int32{10, 10, 11, 11, 14, 14}, f.origin)
	require.True(t, f.many, "a raw row may make several rows")
}

// A row spans from its time to its time plus its gap. Without a time, a gap, or one above zero it is in no session.
func TestSpans(t *testing.T) {
	times, gaps := columnar.NewTimestampColumn([]int64{5, 6, 7, 8, 9, -20}, []bool{true, false, true, true, true, true}), columnar.NewInt64Column([]int64{3, 3, 3, 0, -1, 30}, []bool{true, true, false, true, true, true})
	fields := []columnar.Field{{Name: "ts", Type: columnar.Timestamp, Nullable: true}, {Name: "gap", Type: columnar.BigInt, Nullable: true}}
	f := &flow{batch: columnar.NewBatch(columnar.NewSchema(fields...), []columnar.Column{times, gaps}, 6)}
	defer f.release()
	fields = slices.Clone(fields)
	fields[1].Type = columnar.Timestamp
	require.NoError(t, (&spans{columnar.NewSchema(fields...)}).run(nil, f))
	require.Equal(t, []int64{5, -20}, columnar.FixedValues[int64](f.batch.Column(0)))
	require.Equal(t, []int64{8, 10}, columnar.FixedValues[int64](f.batch.Column(1)))
	require.Equal(t, []int32{0, 5}, f.origin)
}

// The watermark follows the latest time of rows that are left and did not fail later.
func TestObserve(t *testing.T) {
	for _, c := range []struct {
		what   string
		sel    columnar.Selection
		origin []int32
		failed map[int32]bool
		latest int64
		ok     bool
	}{
		{"all", nil, nil, nil, 40, true},
		{"the latest was dropped", columnar.Selection{0, 1, 2}, nil, nil, 30, true},
		{"the latest failed", nil, nil, map[int32]bool{3: true}, 30, true},
		{"its raw row failed", nil, []int32{7, 7, 8, 9}, map[int32]bool{9: true, 3: true}, 30, true},
		{"it has no time", columnar.Selection{1}, nil, nil, 0, false},
		{"no row is left", columnar.Selection{}, nil, nil, 0, false},
	} {
		f := &flow{batch: timesBatch([]int64{-5, 99, 30, 40}, []bool{true, false, true, true}), sel: c.sel, origin: c.origin}
		require.NoError(t, (&observe{}).run(nil, f), c.what)
		latest, ok := f.observed[0].latest(c.failed)
		require.Equal(t, c.ok, ok, c.what)
		require.Equal(t, c.latest, latest, c.what)
		f.release()
	}
}
