package scenario

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/planner"
)

func sortLines(lines []string) { slices.Sort(lines) }

// recordingSink shows the script what the sink receives. A batch has a range of lanes of its own, so that its rows
// can be told from those of the next batch of the same commit.
type recordingSink struct {
	microbatch.Sink
	e       *Env
	ordered bool // the query gives the rows an order
}

type recordingOutput struct {
	microbatch.Output
	mu    sync.Mutex
	lanes map[int64][]string
}

func (s *recordingSink) NewOutput(ctx context.Context) (microbatch.Output, error) {
	out, err := s.Sink.NewOutput(ctx)
	return &recordingOutput{Output: out, lanes: map[int64][]string{}}, err
}

func (o *recordingOutput) Write(ctx context.Context, lane int64, b *columnar.Batch) error {
	o.mu.Lock()
	o.lanes[lane] = append(o.lanes[lane], rows(b)...)
	o.mu.Unlock()
	return o.Output.Write(ctx, lane, b)
}

// Commit shows the rows batch by batch, within a batch sorted unless the query has ordered them; in complete mode the newest result only.
func (s *recordingSink) Commit(ctx context.Context, b committer.Batch, out microbatch.Output) (committer.Result, error) {
	o := out.(*recordingOutput)
	res, err := s.Sink.Commit(ctx, b, o.Output)
	if err != nil {
		return res, err
	}
	batches := o.batches()
	if s.e.p.Mode == planner.Complete {
		s.e.delivered, batches = nil, batches[max(0, len(batches)-1):]
	}
	for _, lines := range batches {
		if !s.ordered {
			sortLines(lines)
		}
		s.e.delivered = append(s.e.delivered, lines...)
	}
	return res, err
}

// batches are the lines of each batch that has any, in the order of its lanes.
func (o *recordingOutput) batches() (out [][]string) {
	last := int64(-1)
	for _, lane := range slices.Sorted(maps.Keys(o.lanes)) {
		if batch := lane >> microbatch.LaneBits; batch != last {
			out, last = append(out, nil), batch
		}
		out[len(out)-1] = append(out[len(out)-1], o.lanes[lane]...)
	}
	return out
}
