package backfill

import (
	"context"
	"fmt"
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

// Plan is that of the source, if it cuts batches itself.
func (b *bounded) Plan(from, ends offsets.Positions, size source.Size) (offsets.Positions, bool) {
	if own, ok := b.Source.(source.Planner); ok {
		return own.Plan(from, ends, size)
	}
	return nil, false
}

// SmallestTask is that of the source.
func (b *bounded) SmallestTask(p offsets.Partition) int64 { return source.SmallestTaskOf(b.Source, p) }

// Close leaves the source to whoever opened it.
func (*bounded) Close() error { return nil }

// repeatable refuses a source whose past cannot be read again as the pipeline has read it: what files had which offsets is forgotten when they were
// read, and an archive before a topic has no offsets of the topic.
func repeatable(name string, s source.Source, read offsets.Progress) error {
	for topic := range read.Identity {
		if offsets.Archived(topic) {
			return fmt.Errorf("%w: source %s: the pipeline began with an archive, whose rows a range of the topic would replace and not bring back: fill another table from the archive instead", ErrRange, name)
		}
	}
	if _, ok := s.(source.Keeper); ok {
		return fmt.Errorf("%w: source %s: which files a range of its past had is not kept once they were read: give the pipeline another name and another table, and let it read them again", ErrRange, name)
	}
	return nil
}
