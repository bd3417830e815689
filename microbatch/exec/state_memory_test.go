package exec

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// ending is a query whose state ends with the watermark.
type ending struct {
	name, text string
	dedup      *planner.DedupRule
}

var endings = []ending{
	{"windows", "SELECT window.start, k, count(*), sum(v), min(k) FROM events GROUP BY window(ts, '10 seconds'), k", nil},
	{"sessions", "SELECT session_window.start, k, count(*), sum(v) FROM events GROUP BY session_window(ts, '5 seconds'), k", nil},
	{"dedup", "SELECT id FROM events", &planner.DedupRule{Keys: []string{"k", "ts"}}},
	{"dedup within", "SELECT id FROM events", &planner.DedupRule{Keys: []string{"k"}, Within: true}},
}

// feed runs a batch of one event for each key, at a time, with a watermark, all in milliseconds.
func feed(t *testing.T, p *Program, s State, keys []string, at, late, evict int64) {
	rows := make([]event, len(keys))
	for i, k := range keys {
		rows[i] = event{id: int64(i), ts: at * 1000, k: k, v: int64(i)}
	}
	b := p.Pipelines[0].branches[0]
	f := &flow{batch: eventBatch(b.scan, rows)}
	defer f.release()
	require.NoError(t, runSteps(compute.NewDefaultEvaluator(), b.steps, f))
	portion := p.Operators[0].newPortion("events", offsets.Partition{}, late*1000)
	defer Release(portion)
	if len(keys) > 0 {
		require.NoError(t, portion.add(f, &lateRows{}))
	}
	outs, _, err := s.Run([]Portion{portion}, Moment{Late: late, Evict: evict})
	require.NoError(t, err)
	for _, out := range outs {
		out.Release()
	}
}

func keyNames(n int, generation int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "key " + strconv.Itoa(i) + " of " + strconv.Itoa(generation)
	}
	return out
}

// liveHeap is what the heap holds after a collection.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // what a finalizer of the first one let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A thousand windows of a thousand keys open and close, the keys old and new in turns: what is kept does not grow, and after the last one nothing is left.
func TestStateIsFlat(t *testing.T) {
	var generations [10][]string
	for g := range generations {
		generations[g] = keyNames(1000, g)
	}
	for _, q := range endings {
		t.Run(q.name, func(t *testing.T) {
			p := query(t, planner.Append, Settings{}, q.dedup, 0, q.text)
			base := liveHeap()
			s := p.Operators[0].Begin(2)
			const windows, warm = 1000, 50
			var bytes, heap int64
			for w := range windows {
				at := int64(w) * 10_000
				feed(t, p, s, generations[w/2%len(generations)], at, max(0, at-20_000), max(0, at-10_000))
				require.LessOrEqual(t, s.Rows(), int64(3000), "window %d", w)
				if w == warm {
					bytes, heap = s.Bytes(), liveHeap()-base
				}
				if w > warm && w%100 == 0 {
					require.LessOrEqual(t, s.Bytes(), bytes*3/2, "window %d: state", w)
					require.LessOrEqual(t, liveHeap()-base, heap*3/2+1<<20, "window %d: live heap", w)
				}
			}
			feed(t, p, s, nil, 0, windows*10_000, math.MaxInt64/1000)
			require.Zero(t, s.Rows())
			runtime.KeepAlive(s)
		})
	}
}

// Many groups that end together give their memory back at once.
func TestClosedWindowsLeaveMemory(t *testing.T) {
	lists := ending{name: "lists and sketches", text: "SELECT window.start, k, approx_percentile(v, 0.5), collect_list(k) FROM events GROUP BY window(ts, '10 seconds'), k"}
	for _, q := range append(slices.Clone(endings), lists) {
		t.Run(q.name, func(t *testing.T) {
			p := query(t, planner.Append, Settings{}, q.dedup, 0, q.text)
			base := liveHeap()
			s := p.Operators[0].Begin(2)
			for g := range 10 {
				feed(t, p, s, keyNames(20_000, g), 5000+int64(g), 0, 0)
			}
			feed(t, p, s, keyNames(10, 99), 60_000, 0, 0)
			require.EqualValues(t, 200_010, s.Rows())
			bytes, heap := s.Bytes(), liveHeap()-base
			feed(t, p, s, nil, 0, 0, 30_000)
			require.EqualValues(t, 10, s.Rows())
			require.Less(t, s.Bytes(), bytes/20)
			require.Less(t, liveHeap()-base, heap/10)
			runtime.KeepAlive(s)
		})
	}
}
