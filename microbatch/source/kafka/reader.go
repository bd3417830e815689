package kafka

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// A raw batch ends at either bound: large enough for column loops, small enough for the cache and the budget.
const (
	rawRows  = 32 << 10
	rawBytes = 8 << 20
)

// reader reads one range. See the package comment for what answers mean.
type reader struct {
	s     *Source
	cl    *kgo.Client
	r     offsets.Range
	at    int64 // every offset below it is settled
	epoch int32
	stuck int   // answers without progress in a row
	size  int32 // bytes to ask for
	bytes int   // of values in the raw batch before
	held  int64 // of the budget, for the walker's buffer
	extra int64 // of that, for a record batch that unpacks to much
	wait  time.Duration

	w      *walker
	inside bool // the walker is inside a batch
	ahead  *prefetch
	closed bool
}

var (
	_ source.Reader      = (*reader)(nil)
	_ source.EpochReader = (*reader)(nil)
	_ source.Waiter      = (*reader)(nil)
)

// prefetch is a fetch that was sent before the one in front of it was used up.
type prefetch struct {
	at     int64
	answer chan answer
	cancel context.CancelFunc
	held   int64
}

// LeaderEpoch of the newest batch read.
func (r *reader) LeaderEpoch() int32 { return r.epoch }

// Waited is how long the reader had to wait for the budget.
func (r *reader) Waited() time.Duration { return r.wait }

// Close gives back the budget and ends a prefetch.
func (r *reader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.drop()
	r.dropAhead()
	return nil
}

// Next returns the next raw batch of the range.
func (r *reader) Next(ctx context.Context) (*columnar.Batch, error) {
	for {
		if r.w != nil {
			b, err := r.take()
			if b != nil || err != nil {
				return b, err
			}
			r.drop()
		}
		if r.at >= r.r.Until {
			return nil, io.EOF
		}
		if err := r.advance(ctx); err != nil {
			return nil, err
		}
	}
}

// drop ends the walker and gives its budget back.
func (r *reader) drop() {
	r.w = nil
	r.s.budget.Release(r.held)
	r.held, r.extra = 0, 0
}

// hold takes from the budget what a record batch unpacks to beyond the usual. Waiting for room is too late then; others wait instead.
func (r *reader) hold() {
	if extra := int64(len(r.w.records)) - rawBytes; extra > r.extra {
		r.s.budget.Force(extra - r.extra)
		r.held, r.extra = r.held+extra-r.extra, extra
	}
}

func (r *reader) dropAhead() {
	if r.ahead == nil {
		return
	}
	r.ahead.cancel()
	<-r.ahead.answer
	r.s.budget.Release(r.ahead.held)
	r.ahead = nil
}

// take makes a raw batch of what the walker still holds, nil if there is nothing more in the range.
func (r *reader) take() (*columnar.Batch, error) {
	b := r.builder()
	var rec record
	for !b.full() && r.at < r.r.Until {
		if !r.inside {
			more, err := r.w.nextBatch()
			if err != nil {
				return nil, r.errorf("%w", err)
			}
			r.at, r.epoch = r.w.next, max(r.epoch, r.w.epoch)
			if !more {
				break
			}
			r.inside = true
			r.hold()
		}
		more, err := r.w.read(&rec)
		if err != nil {
			return nil, r.errorf("%w", err)
		}
		r.at, r.inside = r.w.next, more
		if more && rec.offset < r.r.Until {
			b.add(&rec)
		}
	}
	r.bytes = max(r.bytes, b.values.Bytes())
	return b.finish(), nil
}

// builder has room for what the walker still holds of the range. Compressed, that says little of its size: then
// the batch before is the better guess.
func (r *reader) builder() *rawBuilder {
	pending := r.w.pending()
	rows := max(0, min(pending, r.r.Until-r.at)) // the log may go on beyond the range only
	size := int64(max(r.bytes, len(r.w.records)+len(r.w.rest)))
	return newRawBuilder(r.s.c.WithKey, rows, int(size*rows/max(1, pending)))
}

func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("source %s, topic %s, partition %d, offset %d: %w", r.s.c.Name, r.r.Partition.Topic, r.r.Partition.ID, r.at, fmt.Errorf(format, args...))
}

// advance gets the next answer and acts on what it means.
func (r *reader) advance(ctx context.Context) error {
	a, err := r.next(ctx)
	if err != nil {
		return err
	}
	if a.outOfRange() {
		a = r.locate(ctx, a)
	}
	readCommitted := !r.s.c.ReadUncommitted
	what, cause := classify(a, r.at, r.r.Until, readCommitted)
	if what == progressed {
		r.stuck, r.inside = 0, false
		r.w = newWalker(a.part, r.at, readCommitted, r.s.unpack)
		r.prefetch(ctx, peekNext(a.part.RecordBatches, r.at))
		return nil
	}
	r.drop()
	r.stuck++
	return r.react(ctx, what, cause, a)
}

// Patience, in answers without progress. With the pauses below: 2 s for a topic that is unknown, 10 s for a leader
// that moves or an end that lags, 3 answers for a gap.
const (
	patienceGone = 8
	patienceMove = 40
	patienceEnd  = 40
	patienceGap  = 3
)

// react waits and lets the caller ask again, or gives up for the reason that fits.
func (r *reader) react(ctx context.Context, what meaning, cause error, a answer) error {
	switch what {
	case askAgain:
		r.stuck--
		return r.s.sleep(ctx, 20*time.Millisecond)
	case leaderMoved:
		if r.stuck > patienceMove {
			return r.errorf("no leader answers, is its broker up? %w", cause)
		}
		return r.refresh(ctx)
	case topicGone:
		if r.stuck > patienceGone {
			return r.loss(recreated, r.r.Until, a)
		}
		return r.refresh(ctx)
	case lostBelow:
		return r.loss(belowStart, min(r.r.Until, a.part.LogStartOffset), a)
	case lostAbove:
		return r.loss(pastEnd, r.r.Until, a)
	case endBelow:
		if r.stuck > patienceEnd {
			return r.loss(pastEnd, r.r.Until, a)
		}
		return r.refresh(ctx)
	case silentGap:
		if r.stuck < patienceGap {
			return r.s.sleep(ctx, 50*time.Millisecond<<r.stuck)
		}
		return r.gap(ctx, a)
	default:
		return r.errorf("%w", cause)
	}
}

// refresh looks up the leader again after a pause. Failure is for the next try to find out.
func (r *reader) refresh(ctx context.Context) error {
	if err := r.s.sleep(ctx, 250*time.Millisecond); err != nil {
		return err
	}
	_, _ = r.s.meta.refresh(ctx, r.s.admin, r.s.c)
	return nil
}

// locate adds to a refused offset where the log is: brokers do not say so themselves.
func (r *reader) locate(ctx context.Context, a answer) answer {
	start, high, err := r.s.extent(ctx, r.r.Partition)
	if err != nil {
		return answer{err: err}
	}
	a.part.LogStartOffset, a.part.HighWatermark = start, high
	return a
}

func (r *reader) loss(kind lossKind, until int64, a answer) error {
	l := &Loss{Kind: kind, Source: r.s.c.Name, Partition: r.r.Partition, From: r.at, Until: until, LogStart: -1, High: -1}
	if a.part != nil {
		l.LogStart, l.High = a.part.LogStartOffset, a.part.HighWatermark
	}
	return l
}

// gap accepts that there is no batch in the rest of the range, if compaction can have removed it.
func (r *reader) gap(ctx context.Context, a answer) error {
	compacted, err := r.s.compacted(ctx, r.r.Partition.Topic)
	if err != nil {
		return r.errorf("the broker holds nothing up to %d, and whether the topic is compacted could not be found out: %w", r.r.Until, err)
	}
	if !compacted {
		return r.loss(gap, r.r.Until, a)
	}
	// Epochs before this one may end below the gap, so they say nothing of its end.
	r.at, r.epoch = r.r.Until, max(r.epoch, a.epoch)
	return nil
}

func (s *Source) compacted(ctx context.Context, topic string) (bool, error) {
	configs, err := s.adm.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return false, err
	}
	c, err := configs.On(topic, nil)
	if err != nil {
		return false, err
	}
	if c.Err != nil {
		return false, c.Err
	}
	policy, _ := lookup(c, "cleanup.policy")
	return strings.Contains(policy, "compact"), nil
}

func lookup(c kadm.ResourceConfig, key string) (string, bool) {
	for _, entry := range c.Configs {
		if entry.Key == key {
			return entry.MaybeValue(), true
		}
	}
	return "", false
}

// next is the answer for r.at: the one sent ahead if it fits, or a new one.
func (r *reader) next(ctx context.Context) (answer, error) {
	if p := r.ahead; p != nil && p.at == r.at {
		select {
		case a := <-p.answer:
			p.cancel()
			if a.err == nil {
				r.ahead, r.held = nil, p.held
				return a, nil
			}
			p.answer <- a // it was sent in a call that may be over: ask in this one
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		}
	}
	r.dropAhead()
	l, id, err := r.s.meta.leader(r.r.Partition)
	if err != nil {
		return answer{err: err}, nil
	}
	size := r.size
	if err := r.acquire(ctx, int64(size)); err != nil {
		return answer{}, err
	}
	a := fetch(ctx, r.cl, r.r.Partition, id, l, r.at, size, !r.s.c.ReadUncommitted)
	r.held = r.s.arrived(a, int64(size))
	return a, nil
}

// acquire waits for room in the budget.
func (r *reader) acquire(ctx context.Context, size int64) error {
	if r.s.budget.TryAcquire(size) {
		return nil
	}
	start := time.Now()
	defer func() { r.wait += time.Since(start) }()
	return r.s.budget.Acquire(ctx, size)
}

// prefetch sends the next fetch if the budget has room for it; it never waits for room, or two readers could
// wait for each other.
func (r *reader) prefetch(ctx context.Context, at int64) {
	l, id, err := r.s.meta.leader(r.r.Partition)
	if at >= r.r.Until || err != nil || !r.s.budget.TryAcquire(int64(r.size)) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &prefetch{at: at, answer: make(chan answer, 1), cancel: cancel, held: int64(r.size)}
	r.ahead = p
	go func() {
		a := fetch(ctx, r.cl, r.r.Partition, id, l, at, int32(p.held), !r.s.c.ReadUncommitted)
		p.held = r.s.arrived(a, p.held)
		p.answer <- a
	}()
}

// arrived takes from the budget what an answer is larger than the fetch was to be, and returns what is held for it then: a broker
// sends at least one whole batch, however small the fetch.
func (s *Source) arrived(a answer, held int64) int64 {
	if a.part == nil {
		return held
	}
	extra := max(0, int64(len(a.part.RecordBatches))-held)
	s.budget.Force(extra)
	return held + extra
}
