package microbatch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	arrow "github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// stateful are pipelines that keep state. Their rows do not depend on how the input is cut into batches.
var stateful = []struct {
	name, query string
	dedup       *planner.DedupRule
	mode        planner.OutputMode
}{
	{"windows", "SELECT window.start AS w, k, count(*) AS n, sort_array(collect_list(v)) AS l FROM events GROUP BY window(ts, '10 seconds', '4 seconds'), k", nil, planner.Append},
	{"windows over windows", "SELECT window.start AS w, sum(n) AS n FROM (SELECT window AS w, k, count(*) AS n FROM events GROUP BY window(ts, '5 seconds'), k) GROUP BY window(w, '20 seconds')", nil, planner.Append},
	{"sessions", "SELECT session_window.start AS a, session_window.end AS z, k, count(*) AS n FROM events GROUP BY session_window(ts, '2 seconds'), k", nil, planner.Append},
	{"duplicates", "SELECT ts, k, id FROM events", &planner.DedupRule{Keys: []string{"ts", "id"}}, planner.Append},
	{"duplicates within the watermark", "SELECT ts, k, id FROM events", &planner.DedupRule{Keys: []string{"id"}, Within: true}, planner.Append},
	{"all keys", "SELECT k, count(*) AS n, sum(v) AS s FROM events GROUP BY k", nil, planner.Complete},
}

// newStatefulRig runs a pipeline over the clicks in batches of about 6 rows, several of which make a commit.
func newStatefulRig(t *testing.T, objects *store.Mem, pipeline int) *rig {
	schema, err := planner.ParseSchema("ts TIMESTAMP, k STRING, v BIGINT, id BIGINT")
	require.NoError(t, err)
	p := stateful[pipeline]
	events := planner.Table{Schema: schema, EventTime: &planner.EventTime{Column: "ts", Delay: 8_000_000}, Dedup: p.dedup}
	r := newRigOf(t, objects, p.query, events, p.mode)
	r.clicks()
	r.clock.step = 10 * time.Millisecond
	r.q.Trigger, r.q.Limits.RowsPerBatch, r.q.Commit.Interval = microbatch.Trigger{AvailableNow: true}, 6, 100*time.Millisecond
	return r
}

// clicks adds 47 documents of 40 seconds to two partitions. No time is more than 5 seconds behind an earlier one; every sixth document comes twice.
func (r *rig) clicks() {
	random := rand.New(rand.NewPCG(5, 5))
	for i := range 40 {
		at := time.Unix(int64(i)-random.Int64N(5), 0).UTC().Format(time.RFC3339)
		doc := fmt.Appendf(nil, `{"ts":%q,"k":"%c","v":%d,"id":%d}`, at, 'a'+rune(random.IntN(3)), i, i)
		r.src.Append(int32(i%2), doc, 0)
		if i%6 == 0 {
			r.src.Append(int32(i%2), doc, 0)
		}
	}
}

// leakless runs f and checks that it gives back all columns that it makes.
func leakless(t *testing.T, f func()) {
	usual := columnar.Heap
	checked := arrow.NewCheckedAllocator(usual)
	columnar.Heap = checked
	defer func() { columnar.Heap = usual }()
	f()
	checked.AssertSize(t, 0)
}

// table returns its rows, sorted.
func (r *rig) table() (out []string) {
	table := delta.Open(store.Sub(r.objects, "t"), nil)
	snap, err := table.Snapshot(context.Background())
	require.NoError(r.t, err)
	require.NoError(r.t, table.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

// The i-th operation of the store fails, or the i-th write is applied and its answer lost, for each i: the run ends with that error or goes on, and the next run of
// the same query in the same process leaves the table of an undisturbed one. No count doubles.
func TestEveryOperationFails(t *testing.T) {
	broken := errors.New("the disk is broken")
	for k, p := range stateful {
		want := undisturbed(t, k)
		for name, fault := range map[string]store.Fault{"fails": {Outcome: store.Fail, Err: broken}, "loses its answer": {Outcome: store.LoseReply, Writes: true, Err: broken}} {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				failed := 0
				for i, fired := 0, true; fired; i++ {
					objects := store.NewMem()
					fault.Nth = i
					meet := store.Meet(fault)
					fired = false
					objects.Inject(func(n int, op store.Op, name string) (store.Outcome, error) {
						outcome, err := meet(n, op, name)
						fired = fired || outcome != store.Normal
						return outcome, err
					})
					r := newStatefulRig(t, objects, k)
					leakless(t, func() {
						if err := microbatch.Run(t.Context(), r.q); err != nil {
							require.ErrorIs(t, err, broken, "operation %d", i)
							require.NoError(t, microbatch.Run(t.Context(), r.q), "after operation %d", i)
							failed++
						}
					})
					objects.Inject(nil)
					require.Equal(t, want, r.table(), "operation %d", i)
				}
				require.Positive(t, failed)
			})
		}
	}
}

// undisturbed is the table of a pipeline that nothing happens to.
func undisturbed(t *testing.T, pipeline int) []string {
	r := newStatefulRig(t, store.NewMem(), pipeline)
	require.NoError(t, microbatch.Run(t.Context(), r.q))
	commits := map[int64]int{}
	for _, p := range r.lines {
		commits[p.Sink.Version]++
	}
	require.Greater(t, len(r.lines), len(commits), "some commits hold several batches")
	require.GreaterOrEqual(t, len(commits), 3)
	return r.table()
}

// leaky is a source whose n-th read finds its rows gone, though they come back.
type leaky struct {
	*memory.Source
	reads, n int
}

func (s *leaky) Read(ctx context.Context, r offsets.Range) (source.Reader, error) {
	if s.reads++; s.reads == s.n {
		return nil, source.ErrDataLoss
	}
	return s.Source.Read(ctx, r)
}

// A run that begins anew by itself, since rows were gone for a moment, begins with the state of the newest commit.
func TestEveryReadFails(t *testing.T) {
	for k, p := range stateful {
		t.Run(p.name, func(t *testing.T) {
			want := undisturbed(t, k)
			for n := 1; ; n++ {
				r := newStatefulRig(t, store.NewMem(), k)
				src := &leaky{Source: r.src, n: n}
				r.q.Inputs[0].Source, r.q.Inputs[0].SkipLoss, r.q.Limits.Workers = src, true, 1
				leakless(t, func() { require.NoError(t, microbatch.Run(t.Context(), r.q), "read %d", n) })
				require.Equal(t, want, r.table(), "read %d", n)
				if src.reads < n {
					break
				}
			}
		})
	}
}
