package backfill

import (
	"context"
	"maps"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// bounded is a source that begins and ends where a range does.
type bounded struct {
	source.Source
	progress    offsets.Progress // of the pipeline: what the topics are
	from, until offsets.Positions
}

// Available gives the range, whatever has come since.
func (b *bounded) Available(_ context.Context, known offsets.Progress) (source.Available, error) {
	if known.Kind == "" {
		known = offsets.Progress{Kind: b.progress.Kind, Identity: maps.Clone(b.progress.Identity), Partitions: offsets.Marks{}}
		for p, at := range b.from {
			known.Partitions[p] = offsets.Mark{First: at, Next: at, LeaderEpoch: -1}
		}
	}
	return source.Available{Progress: known, Ends: b.until, Latest: b.until}, nil
}

// Close leaves the source to whoever opened it.
func (*bounded) Close() error { return nil }
