package kafka

import (
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// facts is what the brokers say of the source's topics at one moment.
type facts struct {
	topics map[string]topic
	starts offsets.Positions // log start
	ends   offsets.Positions // as far as can be read: LSO under read_committed
	highs  offsets.Positions // high watermark
	// epochEnds is where the log of the known leader epoch ends, for partitions whose leader changed since.
	epochEnds offsets.Positions
}

// check compares what the last commit knew with the facts. It returns where to go on, or the losses in partition order.
// It does no I/O.
func check(c Config, known offsets.Progress, f facts) (source.Available, []*Loss) {
	a := source.Available{Progress: known.Clone(), Ends: f.ends, Latest: f.highs}
	a.Progress.Kind = kind
	var losses []*Loss
	for _, p := range sortedMarks(known.Partitions) {
		if loss := checkPartition(c, p, known, f); loss != nil {
			losses = append(losses, loss)
			a.Holes = append(a.Holes, offsets.Range{Source: c.Name, Partition: p, From: loss.From, Until: loss.Until})
			resume(a.Progress.Partitions, loss, f)
		}
	}
	for name, t := range f.topics {
		if id := t.identity(); id != "" || a.Progress.Identity[name] == "" {
			a.Progress.Identity[name] = id
		}
		for id := range t.partitions {
			p := offsets.Partition{Topic: name, ID: id}
			if _, ok := a.Progress.Partitions[p]; !ok {
				at := f.starts[p]
				a.Progress.Partitions[p] = offsets.Mark{First: at, Next: at, LeaderEpoch: -1}
			}
		}
	}
	for name := range a.Progress.Identity {
		if _, ok := f.topics[name]; !ok && !offsets.Archived(name) {
			delete(a.Progress.Identity, name)
		}
	}
	return a, losses
}

// kind of a source, as progress has it.
const kind = "kafka"

// checkKnown refuses to go on with a source of another kind, and with one whose archive was taken out of the settings before it was read to its end.
func checkKnown(c Config, known offsets.Progress) error {
	if known.Kind != "" && known.Kind != kind {
		return fmt.Errorf("source %s was read from %s before, and is Kafka now: restore it, or give the source another name and the pipeline another table", c.Name, known.Kind)
	}
	for topic, state := range known.Identity {
		if offsets.Archived(topic) && state != offsets.Finished {
			return fmt.Errorf("source %s: its archive, %s, was not read to its end: put bootstrap back into the settings of the source", c.Name, state)
		}
	}
	return nil
}

func sortedMarks(m offsets.Marks) []offsets.Partition {
	at := make(offsets.Positions, len(m))
	for p := range m {
		at[p] = 0
	}
	return at.Sorted()
}

// setting is where the offsets come from.
func (s Start) setting() string {
	if s.Until {
		return "bootstrap.until.offsets"
	}
	return "start.offsets"
}

// ends explains the offsets that stand for an end.
func (s Start) ends() string {
	if s.Until {
		return " with the offset at which its archive ends"
	}
	return " (-1 latest, -2 earliest)"
}

// checkPartition finds what is wrong with one known partition, nil if nothing is.
func checkPartition(c Config, p offsets.Partition, known offsets.Progress, f facts) *Loss {
	next := known.Partitions[p].Next
	loss := func(kind lossKind, until int64) *Loss {
		start, high := int64(-1), int64(-1)
		if _, ok := f.starts[p]; ok {
			start, high = f.starts[p], f.highs[p]
		}
		return &Loss{Kind: kind, Source: c.Name, Partition: p, From: next, Until: until, LogStart: start, High: high}
	}
	t, ok := f.topics[p.Topic]
	if !ok {
		return loss(recreated, next)
	}
	if replaced(known.Identity[p.Topic], t.identity()) {
		return loss(recreated, next)
	}
	if _, ok := t.partitions[p.ID]; !ok {
		return loss(vanished, next)
	}
	if start := f.starts[p]; start > next {
		return loss(belowStart, start)
	}
	if end, ok := f.epochEnds[p]; ok && end < next {
		return loss(truncated, next)
	}
	if f.highs[p] < next {
		return loss(pastEnd, next)
	}
	return nil
}

// resume moves a partition to where it goes on after a hole (on_data_loss: skip).
func resume(marks offsets.Marks, l *Loss, f facts) {
	p := l.Partition
	was, start := marks[p], f.starts[p]
	switch _, there := f.topics[p.Topic].partitions[p.ID]; {
	case !there: // should it come back, it is a new partition
		delete(marks, p)
	case l.Kind == belowStart:
		was.Next = l.Until
		marks[p] = was
	case l.Kind == truncated: // what has been read is read; what has grown since is new
		marks[p] = offsets.Mark{First: was.First, Next: max(start, f.epochEnds[p]), LeaderEpoch: -1}
	case l.Kind == pastEnd:
		marks[p] = offsets.Mark{First: was.First, Next: max(start, f.highs[p]), LeaderEpoch: -1}
	default: // another log
		marks[p] = offsets.Mark{First: start, Next: start, LeaderEpoch: -1}
	}
}

// firstStart places every partition where the settings say.
func firstStart(c Config, f facts, byTime offsets.Positions) (source.Available, error) {
	a := source.Available{Progress: offsets.Progress{Kind: kind, Identity: map[string]string{}, Partitions: offsets.Marks{}}, Ends: f.ends, Latest: f.highs}
	for name, t := range f.topics {
		a.Progress.Identity[name] = t.identity()
	}
	if c.Start.Kind == AtOffsets {
		if err := checkNamed(c, f); err != nil {
			return a, err
		}
	}
	for p := range f.starts {
		at, err := startOf(c, p, f, byTime)
		if err != nil {
			return a, err
		}
		a.Progress.Partitions[p] = offsets.Mark{First: at, Next: at, LeaderEpoch: -1}
	}
	return a, nil
}

func startOf(c Config, p offsets.Partition, f facts, byTime offsets.Positions) (int64, error) {
	switch c.Start.Kind {
	case Latest:
		return f.ends[p], nil
	case AtTime:
		return max(f.starts[p], min(byTime[p], f.ends[p])), nil
	case AtOffsets:
		return explicit(c, p, f)
	default:
		return f.starts[p], nil
	}
}

// explicit is a named offset; -1 and -2 are latest and earliest, as in Spark's startingOffsets.
func explicit(c Config, p offsets.Partition, f facts) (int64, error) {
	at := c.Start.Offsets[p]
	switch {
	case at == -1:
		return f.ends[p], nil
	case at == -2:
		return f.starts[p], nil
	case at < f.starts[p] || at > f.highs[p]:
		return 0, fmt.Errorf("source %s: %s: offset %d of topic %s, partition %d is outside its log [%d,%d]", c.Name, c.Start.setting(), at, p.Topic, p.ID, f.starts[p], f.highs[p])
	}
	return at, nil
}

func checkNamed(c Config, f facts) error {
	var missing, unknown []string
	for _, p := range f.starts.Sorted() {
		if _, ok := c.Start.Offsets[p]; !ok {
			missing = append(missing, p.String())
		}
	}
	for _, p := range c.Start.Offsets.Sorted() {
		if _, ok := f.starts[p]; !ok {
			unknown = append(unknown, p.String())
		}
	}
	if len(missing)+len(unknown) > 0 {
		return fmt.Errorf("source %s: %s must name every partition%s: missing %v, not in the topic %v", c.Name, c.Start.setting(), c.Start.ends(), slices.Clip(missing), slices.Clip(unknown))
	}
	return nil
}
