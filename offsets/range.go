package offsets

import "fmt"

// Partition names one partition of a source.
type Partition struct {
	Topic string
	ID    int32
}

// String prints the partition as Kafka tools do: "events-3".
func (p Partition) String() string { return fmt.Sprintf("%s-%d", p.Topic, p.ID) }

// Range is the half-open span [From, Until) of one partition of one source.
type Range struct {
	Source      string
	Partition   Partition
	From, Until int64
}

// Len is the number of offsets in the range. It counts offsets, not rows: markers
// and gaps of compacted topics count as well.
func (r Range) Len() int64 { return r.Until - r.From }

// String prints the range for messages: "events-3 [10,25)".
func (r Range) String() string { return fmt.Sprintf("%s [%d,%d)", r.Partition, r.From, r.Until) }
