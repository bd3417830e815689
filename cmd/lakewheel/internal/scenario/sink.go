package scenario

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
)

func sortLines(lines []string) { slices.Sort(lines) }

// recordingSink shows the script what the sink receives. A batch has a range of lanes of its own, so that its rows
// can be told from those of the next batch of the same commit.
type recordingSink struct {
	microbatch.Sink
	e *Env
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

// Commit shows the rows batch by batch, within a batch sorted.
func (s *recordingSink) Commit(ctx context.Context, b committer.Batch, out microbatch.Output) (committer.Result, error) {
	o := out.(*recordingOutput)
	res, err := s.Sink.Commit(ctx, b, o.Output)
	if err == nil {
		s.e.delivered = append(s.e.delivered, o.lines()...)
	}
	return res, err
}

func (o *recordingOutput) lines() []string {
	byBatch := map[int64][]string{}
	for lane, lines := range o.lanes {
		batch := lane >> microbatch.LaneBits
		byBatch[batch] = append(byBatch[batch], lines...)
	}
	batches := make([]int64, 0, len(byBatch))
	for b := range byBatch {
		batches = append(batches, b)
	}
	slices.SortFunc(batches, cmp.Compare)
	var out []string
	for _, b := range batches {
		sortLines(byBatch[b])
		out = append(out, byBatch[b]...)
	}
	return out
}
