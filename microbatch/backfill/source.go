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

// repeatable refuses a source whose past cannot be read again as the pipeline has read it: which files had which offsets is forgotten when they were
// read. An archive before a topic is such files, and its rows are in every range but one of records of the topic.
func repeatable(name string, s source.Source, read offsets.Progress, kind Kind) error {
	state, archived := read.Identity[offsets.ArchiveOf(name)]
	ofTopic := kind == KafkaTime || kind == Offsets
	switch {
	case archived && state != offsets.Finished:
		return fmt.Errorf("%w: source %s: the pipeline still reads its archive: wait until it reads the topic", ErrRange, name)
	case archived && !ofTopic:
		return fmt.Errorf("%w: source %s: the pipeline began with an archive, whose rows would be replaced and not brought back: give a range of offsets or of Kafka time, or give the pipeline another name and another table, and let it read all again", ErrRange, name)
	}
	_, keeper := s.(source.Keeper)
	if _, records := s.(source.TimeIndex); keeper && !records {
		return fmt.Errorf("%w: source %s: which files a range of its past had is not kept once they were read: give the pipeline another name and another table, and let it read them again", ErrRange, name)
	}
	return nil
}
