package microbatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/offsets"
)

// tracker follows inputs a and b, in seconds: a with a delay of 10, b without.
func tracker(event EventPolicy, a, b Input) *watermarks {
	a.Name, b.Name = "a", "b"
	return newWatermarks(&Query{Event: event, Inputs: []Input{a, b},
		Program: &exec.Program{Watermarks: []exec.Watermark{{Name: "a", Source: "a", Delay: 10_000_000}, {Name: "b", Source: "b"}}}})
}

// ranBatch moves the tracker by a batch at a time that saw event times, all in seconds, and returns the watermarks around the next one.
func ranBatch(w *watermarks, now int64, seen map[string]float64) (ranWith, next int64) {
	w.settle(now * 1000)
	times := map[string]exec.EventTime{}
	for key, at := range seen {
		times[key] = exec.EventTime{Micros: int64(at * 1e6), Seen: true}
	}
	w.after(times, now*1000, false)
	return w.global.RanWith, w.global.Next
}

// The watermark of a batch is in force from the next one on. It is the least of those of the inputs, an input without rows counts as
// 1970, and it never goes back (Spark: WatermarkTracker).
func TestWatermark(t *testing.T) {
	for name, c := range map[string]struct {
		greatest bool
		batches  []map[string]float64
		want     []int64 // in force after each batch, milliseconds
	}{
		"the least":                    {false, []map[string]float64{{"a": 30, "b": 15}, {"b": 25}}, []int64{15_000, 20_000}},
		"the greatest":                 {true, []map[string]float64{{"a": 30, "b": 15}, {"b": 25}}, []int64{20_000, 25_000}},
		"an input without rows":        {false, []map[string]float64{{"a": 30}, {"a": 40}, {"b": 100}}, []int64{0, 0, 30_000}},
		"the same, greatest":           {true, []map[string]float64{{"a": 30}}, []int64{20_000}},
		"never back":                   {false, []map[string]float64{{"a": 50, "b": 40}, {"a": 20, "b": 10}}, []int64{40_000, 40_000}},
		"never before 1970":            {false, []map[string]float64{{"a": 5, "b": -3}}, []int64{0}},
		"floored to milliseconds":      {false, []map[string]float64{{"a": 100, "b": 1.999999}}, []int64{1999}},
		"before 1970 floored, not cut": {true, []map[string]float64{{"a": -5, "b": -0.0000005}}, []int64{0}},
		"no rows at all":               {false, []map[string]float64{{}, {}}, []int64{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			w, before := tracker(EventPolicy{Greatest: c.greatest}, Input{}, Input{}), int64(0)
			for i, seen := range c.batches {
				ranWith, next := ranBatch(w, int64(i), seen)
				require.Equal(t, before, ranWith, "the batch ran with what was in force before it")
				require.Equal(t, c.want[i], next)
				before = next
			}
		})
	}
}

// With its own watermarks an input goes on after a restart; without, as in Spark, only the global one is left and holds still.
func TestWatermarkAfterRestart(t *testing.T) {
	w := tracker(EventPolicy{}, Input{}, Input{})
	ranBatch(w, 0, map[string]float64{"a": 30, "b": 15})
	p := &Position{Watermarks: w.own, Watermark: w.global}
	for survive, want := range map[bool]int64{true: 20_000, false: 15_000} {
		again := tracker(EventPolicy{}, Input{}, Input{})
		again.restore(p, survive)
		_, next := ranBatch(again, 1, map[string]float64{"b": 25})
		require.Equal(t, want, next)
	}
}

var first, second = offsets.Partition{Topic: "t"}, offsets.Partition{Topic: "t", ID: 1}

// With per_partition the slowest partition holds the watermark of its input; one that appears later counts from then on.
func TestWatermarkPerPartition(t *testing.T) {
	w := tracker(EventPolicy{Greatest: true}, Input{}, Input{PerPartition: true})
	w.look("b", offsets.Positions{first: 0}, offsets.Positions{first: 9}, 0)
	_, next := ranBatch(w, 0, map[string]float64{"b/t-0": 30})
	require.EqualValues(t, 30_000, next)
	w.look("b", offsets.Positions{first: 5, second: 0}, offsets.Positions{first: 9, second: 9}, 1000)
	_, next = ranBatch(w, 1, map[string]float64{"b/t-0": 90, "b/t-1": 40})
	require.EqualValues(t, 40_000, next)
	require.Equal(t, "a", w.holder(1000))
}

// An input is idle only while nothing is left to read of it: a backlog is no idleness, however long it takes.
func TestIdle(t *testing.T) {
	for name, c := range map[string]struct {
		end  int64 // of b, which is read up to 5
		now  int64
		want int64
	}{
		"not yet":    {5, 59, 0},
		"idle":       {5, 60, 20_000},
		"a backlog":  {6, 600, 0},
		"much later": {5, 6000, 20_000},
	} {
		t.Run(name, func(t *testing.T) {
			w := tracker(EventPolicy{}, Input{}, Input{IdleTimeout: time.Minute})
			w.look("b", offsets.Positions{first: 5}, offsets.Positions{first: 5}, 0)
			w.look("b", offsets.Positions{first: 5}, offsets.Positions{first: c.end}, c.now*1000)
			_, next := ranBatch(w, c.now, map[string]float64{"a": 30})
			require.Equal(t, c.want, next)
		})
	}
}

// When every input is idle the watermark stays; a restart knows since when.
func TestAllIdle(t *testing.T) {
	idle := Input{IdleTimeout: time.Minute}
	w := tracker(EventPolicy{}, idle, idle)
	w.look("a", offsets.Positions{first: 5}, offsets.Positions{first: 5}, 0)
	w.look("b", offsets.Positions{first: 5}, offsets.Positions{first: 5}, 0)
	ranBatch(w, 1, map[string]float64{"a": 30, "b": 20})
	_, next := ranBatch(w, 600, nil)
	require.EqualValues(t, 20_000, next)
	again := tracker(EventPolicy{}, idle, idle)
	again.restore(&Position{Watermarks: w.own, Watermark: w.global, Active: w.activity()}, true)
	again.look("a", offsets.Positions{first: 5}, offsets.Positions{first: 6}, 601_000)
	_, next = ranBatch(again, 601, map[string]float64{"a": 50})
	require.EqualValues(t, 40_000, next, "b is idle since long before the restart")
}

// A watermark that is held rises once, when there is nothing more to read: to what it would have been, or to what it is held to.
func TestHeldWatermark(t *testing.T) {
	for to, want := range map[int64]int64{0: 20_000, 15_000: 15_000} {
		w := tracker(EventPolicy{Hold: true, HoldTo: to}, Input{}, Input{})
		for _, at := range []int64{40, 20} {
			w.after(map[string]exec.EventTime{"a": {Micros: at * 1e6, Seen: true}, "b": {Micros: 20e6, Seen: true}}, 0, true)
			require.Equal(t, committer.Watermark{}, w.global)
		}
		w.after(nil, 0, false)
		require.Equal(t, committer.Watermark{Next: want}, w.global)
	}
}
