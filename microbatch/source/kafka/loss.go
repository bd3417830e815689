package kafka

import (
	"fmt"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// lossKind says how rows were lost.
type lossKind string

const (
	belowStart lossKind = "the log starts above it: the records were deleted or aged out"
	pastEnd    lossKind = "the log ends below it: it was truncated, or the topic was recreated"
	recreated  lossKind = "the topic was deleted or recreated"
	truncated  lossKind = "the log was truncated below it and has grown again (unclean leader election)"
	vanished   lossKind = "the partition is gone: the topic was recreated with fewer partitions"
	gap        lossKind = "the broker holds nothing there, and the topic is not compacted"
)

// Loss is rows that a range promised and the broker does not have. It is a source.ErrDataLoss.
type Loss struct {
	Kind           lossKind
	Source         string
	Partition      offsets.Partition
	From, Until    int64 // what is lost, as far as it is known
	LogStart, High int64 // of the log, -1 if not known
}

// Error says what is lost, where and what to do.
func (l *Loss) Error() string {
	return fmt.Sprintf("%s: source %s, topic %s, partition %d, offsets [%d,%d), log [%d,%d): %s; nothing was committed: restore the records, or go on without them with on_data_loss: skip",
		source.ErrDataLoss, l.Source, l.Partition.Topic, l.Partition.ID, l.From, l.Until, l.LogStart, l.High, l.Kind)
}

// Unwrap makes a Loss a source.ErrDataLoss.
func (l *Loss) Unwrap() error { return source.ErrDataLoss }
