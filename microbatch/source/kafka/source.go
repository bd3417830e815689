package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Source reads topics of one cluster. See the package comment.
type Source struct {
	c        Config
	admin    *kgo.Client
	adm      *kadm.Client
	fetchers []*kgo.Client
	turn     atomic.Uint32
	meta     metadata
	budget   *source.Budget
	unpack   kgo.Decompressor
	sleep    func(context.Context, time.Duration) error
}

var (
	_ source.Source = (*Source)(nil)
	_ source.Acker  = (*Source)(nil)

	_ source.Starter   = (*Source)(nil)
	_ source.TimeIndex = (*Source)(nil)
)

// Open connects and checks that a broker answers, within Config.DialTimeout.
func Open(ctx context.Context, c Config, sleep func(context.Context, time.Duration) error) (*Source, error) {
	c = c.withDefaults()
	if _, err := compilePattern(c.Pattern); err != nil {
		return nil, fmt.Errorf("source %s: topic_pattern: %w", c.Name, err)
	}
	s := &Source{c: c, budget: c.Budget, unpack: kgo.DefaultDecompressor(), sleep: sleep}
	log := &lastProblem{}
	var err error
	if s.admin, err = newClient(c, log); err != nil {
		return nil, fmt.Errorf("source %s: %w", c.Name, err)
	}
	s.adm = kadm.NewClient(s.admin)
	if err := reach(ctx, s.admin, c, log); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	// A broker serves one request of a connection at a time, so parallel readers need connections of their own.
	for range c.Connections {
		cl, err := newClient(c, log)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.fetchers = append(s.fetchers, cl)
	}
	return s, nil
}

// Close closes all connections.
func (s *Source) Close() error {
	s.admin.Close()
	for _, cl := range s.fetchers {
		cl.Close()
	}
	return nil
}

// doubts is how often a bad answer is asked about before it is believed, with pauses of 250 ms to 1 s: metadata is empty
// and end offsets go backwards for a moment when brokers restart (SPARK-41375, SPARK-26267).
const doubts = 5

// Available checks the known positions against the brokers and returns what can be read.
func (s *Source) Available(ctx context.Context, known offsets.Progress) (source.Available, error) {
	if err := checkKnown(s.c, known); err != nil {
		return source.Available{}, err
	}
	for try := 0; ; try++ {
		a, losses, err := s.look(ctx, known)
		if err == nil && len(losses) == 0 {
			s.meta.agree(a.Progress.Identity)
			return a, nil
		}
		if ctx.Err() != nil {
			return a, context.Cause(ctx)
		}
		if err != nil && !errors.Is(err, errNoTopic) && !retriable(err) {
			return a, err
		}
		if try == doubts {
			return s.settle(a, losses, err)
		}
		if err := s.sleep(ctx, min(time.Second, 250*time.Millisecond<<try)); err != nil {
			return a, err
		}
	}
}

// settle ends the doubts: what is still wrong is believed.
func (s *Source) settle(a source.Available, losses []*Loss, err error) (source.Available, error) {
	if err != nil {
		return a, err
	}
	if !s.c.SkipLoss {
		return a, losses[0]
	}
	s.meta.agree(a.Progress.Identity)
	return a, nil
}

// look asks the brokers once.
func (s *Source) look(ctx context.Context, known offsets.Progress) (source.Available, []*Loss, error) {
	topics, err := s.meta.refresh(ctx, s.admin, s.c)
	if err != nil {
		return source.Available{}, nil, err
	}
	f := facts{topics: topics}
	if err := s.listOffsets(ctx, &f); err != nil {
		return source.Available{}, nil, err
	}
	if known.Kind == "" {
		byTime, err := s.offsetsAt(ctx, topics)
		if err != nil {
			return source.Available{}, nil, err
		}
		a, err := firstStart(s.c, f, byTime)
		return a, nil, err
	}
	if f.epochEnds, err = s.epochEnds(ctx, known, topics); err != nil {
		return source.Available{}, nil, err
	}
	a, losses := check(s.c, known, f)
	return a, losses, nil
}

func names(topics map[string]topic) []string {
	out := make([]string, 0, len(topics))
	for name := range topics {
		out = append(out, name)
	}
	return out
}

func (s *Source) listOffsets(ctx context.Context, f *facts) error {
	for _, q := range []struct {
		into *offsets.Positions
		list func(context.Context, ...string) (kadm.ListedOffsets, error)
	}{{&f.starts, s.adm.ListStartOffsets}, {&f.ends, s.adm.ListCommittedOffsets}, {&f.highs, s.adm.ListEndOffsets}} {
		if q.into == &f.ends && s.c.ReadUncommitted {
			continue // they are the high watermarks
		}
		listed, err := q.list(ctx, names(f.topics)...)
		if err == nil {
			*q.into, err = positions(listed)
		}
		if err != nil {
			return fmt.Errorf("source %s: list offsets: %w", s.c.Name, err)
		}
		if err := covers(s.c, *q.into, f.topics); err != nil {
			return err
		}
	}
	if s.c.ReadUncommitted {
		f.ends = f.highs
	}
	return nil
}

// covers checks that every partition of the topics has an offset. The client asks metadata again for what to list, so a
// hiccup there could leave partitions out.
func covers(c Config, listed offsets.Positions, topics map[string]topic) error {
	for name, t := range topics {
		for id := range t.partitions {
			if at, ok := listed[offsets.Partition{Topic: name, ID: id}]; !ok || at < 0 {
				return fmt.Errorf("source %s: topic %s, partition %d has no offsets: %w", c.Name, name, id, kerr.LeaderNotAvailable)
			}
		}
	}
	return nil
}

// extent is the log start and the high watermark of a partition.
func (s *Source) extent(ctx context.Context, p offsets.Partition) (start, high int64, err error) {
	for _, q := range []struct {
		into *int64
		list func(context.Context, ...string) (kadm.ListedOffsets, error)
	}{{&start, s.adm.ListStartOffsets}, {&high, s.adm.ListEndOffsets}} {
		listed, err := q.list(ctx, p.Topic)
		if err != nil {
			return -1, -1, err
		}
		o, ok := listed.Lookup(p.Topic, p.ID)
		if !ok {
			return -1, -1, kerr.LeaderNotAvailable
		}
		if *q.into = o.Offset; o.Err != nil {
			return -1, -1, o.Err
		}
	}
	return start, high, nil
}

func positions(listed kadm.ListedOffsets) (offsets.Positions, error) {
	out := offsets.Positions{}
	if err := listed.Error(); err != nil {
		return nil, err
	}
	listed.Each(func(o kadm.ListedOffset) { out[offsets.Partition{Topic: o.Topic, ID: o.Partition}] = o.Offset })
	return out, nil
}

// offsetsAt finds the first offsets at or after the start time; none where start is something else.
func (s *Source) offsetsAt(ctx context.Context, topics map[string]topic) (offsets.Positions, error) {
	if s.c.Start.Kind != AtTime {
		return nil, nil
	}
	return s.listAt(ctx, s.c.Start.Time, topics)
}

func (s *Source) listAt(ctx context.Context, t time.Time, topics map[string]topic) (offsets.Positions, error) {
	listed, err := s.adm.ListOffsetsAfterMilli(ctx, t.UnixMilli(), names(topics)...)
	if err != nil {
		return nil, fmt.Errorf("source %s: find offsets at %s: %w", s.c.Name, t.Format(time.RFC3339), err)
	}
	return positions(listed)
}

// OffsetsAt finds the first offsets at or after a time, to the millisecond.
func (s *Source) OffsetsAt(ctx context.Context, t time.Time) (offsets.Positions, error) {
	topics, err := s.meta.refresh(ctx, s.admin, s.c)
	if err != nil {
		return nil, err
	}
	return s.listAt(ctx, t, topics)
}

// Starts are the log start offsets.
func (s *Source) Starts(ctx context.Context) (offsets.Positions, error) {
	topics, err := s.meta.refresh(ctx, s.admin, s.c)
	if err != nil {
		return nil, err
	}
	listed, err := s.adm.ListStartOffsets(ctx, names(topics)...)
	if err != nil {
		return nil, fmt.Errorf("source %s: list offsets: %w", s.c.Name, err)
	}
	return positions(listed)
}

// epochEnds asks where the log of the known leader epoch ends, for partitions with another leader
// since (KIP-320): a log that was truncated and has grown again looks sound otherwise.
func (s *Source) epochEnds(ctx context.Context, known offsets.Progress, topics map[string]topic) (offsets.Positions, error) {
	var req kadm.OffsetForLeaderEpochRequest
	for p, m := range known.Partitions {
		if l, ok := topics[p.Topic].partitions[p.ID]; ok && m.LeaderEpoch >= 0 && l.epoch != m.LeaderEpoch {
			req.Add(p.Topic, p.ID, m.LeaderEpoch)
		}
	}
	ends := offsets.Positions{}
	if len(req) == 0 {
		return ends, nil
	}
	resp, err := s.adm.OffsetForLeaderEpoch(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("source %s: offsets for leader epochs: %w", s.c.Name, err)
	}
	for topic, partitions := range resp {
		for id, e := range partitions {
			if e.Err != nil && kerr.IsRetriable(e.Err) {
				return nil, fmt.Errorf("source %s: offsets for leader epochs: %w", s.c.Name, e.Err)
			}
			if e.Err == nil && e.EndOffset >= 0 {
				ends[offsets.Partition{Topic: topic, ID: id}] = e.EndOffset
			}
		}
	}
	return ends, nil
}

// Read opens a range.
func (s *Source) Read(_ context.Context, r offsets.Range) (source.Reader, error) {
	cl := s.fetchers[int(s.turn.Add(1))%len(s.fetchers)]
	return &reader{s: s, cl: cl, r: r, at: r.From, epoch: -1, size: s.c.FetchBytes}, nil
}

// Ack writes the positions as offsets of the configured group.
func (s *Source) Ack(ctx context.Context, committed offsets.Positions) error {
	if s.c.Group == "" {
		return nil
	}
	var os kadm.Offsets
	for p, at := range committed {
		os.AddOffset(p.Topic, p.ID, at, -1)
	}
	return s.adm.CommitAllOffsets(ctx, s.c.Group, os)
}
