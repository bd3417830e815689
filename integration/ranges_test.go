//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/kafka"
	"github.com/lakewheel/lakewheel/offsets"
)

// hasty shortens the pauses between questions: these tests know that a loss stays.
func hasty(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d / 10):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func openSource(t *testing.T, topic string, change ...func(*kafka.Config)) *kafka.Source {
	c := kafka.Config{Name: "in", Brokers: strings.Split(brokers, ","), Topics: []string{topic}}
	for _, f := range change {
		f(&c)
	}
	s, err := kafka.Open(t.Context(), c, hasty)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func firstLook(t *testing.T, s *kafka.Source) source.Available {
	a, err := s.Available(t.Context(), offsets.Progress{})
	require.NoError(t, err)
	return a
}

// readOffsets reads a range and returns the offsets of its rows.
func readOffsets(t *testing.T, s *kafka.Source, p offsets.Partition, from, until int64) ([]int64, error) {
	r, err := s.Read(t.Context(), offsets.Range{Source: "in", Partition: p, From: from, Until: until})
	require.NoError(t, err)
	defer r.Close()
	out := []int64{}
	for {
		b, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for i := range b.Rows() {
			out = append(out, columnar.Int64At(b.Column(source.OffsetAt), i))
		}
		b.Release()
	}
}

func requireOffsets(t *testing.T, s *kafka.Source, p offsets.Partition, from, until int64, want []int64) {
	t.Helper()
	got, err := readOffsets(t, s, p, from, until)
	require.NoError(t, err)
	require.Equal(t, want, got, "[%d,%d)", from, until)
}

// span are the offsets of [from,until).
func span(from, until int64) []int64 {
	out := []int64{}
	for at := from; at < until; at++ {
		out = append(out, at)
	}
	return out
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	return out
}

func deleteBefore(t *testing.T, p offsets.Partition, at int64) {
	var os kadm.Offsets
	os.AddOffset(p.Topic, p.ID, at, -1)
	deleted, err := admin(t).DeleteRecords(t.Context(), os)
	require.NoError(t, err)
	require.NoError(t, deleted.Error())
}

// recreate makes the topic anew. Deletion takes the broker a moment.
func recreate(t *testing.T, topic string, partitions int32) {
	_, err := admin(t).DeleteTopic(t.Context(), topic)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := admin(t).CreateTopic(t.Context(), partitions, 1, nil, topic)
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		return client(t).ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte("new")}).FirstErr() == nil
	}, 20*time.Second, 100*time.Millisecond)
}

func at(a source.Available, p offsets.Partition, next int64) offsets.Progress {
	known := a.Progress.Clone()
	known.Partitions[p] = offsets.Mark{Next: next, LeaderEpoch: 0}
	return known
}

func TestRangesOfEveryCodec(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()} {
		t.Run(name, func(t *testing.T) {
			topic := newTopic(t, 1, nil)
			p := offsets.Partition{Topic: topic}
			cl := client(t, kgo.ProducerBatchCompression(codec))
			for _, n := range []int{400, 300, 1, 299} {
				produce(t, cl, topic, 0, numbered(n)...)
			}
			s := openSource(t, topic, func(c *kafka.Config) { c.FetchBytes = 3000 })
			a := firstLook(t, s)
			require.Equal(t, offsets.Positions{p: 1000}, a.Ends)
			require.Len(t, a.Progress.Identity[topic], 32)
			requireOffsets(t, s, p, 350, 701, span(350, 701))
			requireOffsets(t, s, p, 5, 6, span(5, 6))
			var got []int64
			for _, r := range offsets.Split([]offsets.Range{{Partition: p, From: 0, Until: 1000}}, 7, 1) {
				part, err := readOffsets(t, s, p, r.From, r.Until)
				require.NoError(t, err)
				got = append(got, part...)
			}
			require.Equal(t, span(0, 1000), got)
		})
	}
}

func transact(t *testing.T, topic, id string, n int, end *kgo.TransactionEndTry) {
	cl := client(t, kgo.TransactionalID(topic+id))
	require.NoError(t, cl.BeginTransaction())
	produce(t, cl, topic, 0, numbered(n)...)
	if end != nil {
		require.NoError(t, cl.EndTransaction(t.Context(), *end))
	}
}

// The log: 0-4 plain, 5-9 aborted, 10 its marker, 11-13 committed, 14 its marker, 15-17 aborted, 18 its marker,
// 19-20 in an open transaction.
func TestRangesOfTransactions(t *testing.T) {
	topic := newTopic(t, 1, nil)
	p := offsets.Partition{Topic: topic}
	abort, commit := kgo.TryAbort, kgo.TryCommit
	produce(t, client(t), topic, 0, numbered(5)...)
	committed := openSource(t, topic)
	// A marker is written after the producer has heard that its transaction is over: the next one waits for it.
	ended := func(end int64) {
		require.Eventually(t, func() bool { return firstLook(t, committed).Ends[p] == end }, 10*time.Second, 20*time.Millisecond)
	}
	transact(t, topic, "a", 5, &abort)
	ended(11)
	transact(t, topic, "b", 3, &commit)
	ended(15)
	transact(t, topic, "a", 3, &abort)
	ended(19)
	transact(t, topic, "c", 2, nil)
	require.EqualValues(t, 21, firstLook(t, committed).Latest[p])
	requireOffsets(t, committed, p, 0, 19, slices.Concat(span(0, 5), span(11, 14)))
	requireOffsets(t, committed, p, 7, 19, span(11, 14))
	requireOffsets(t, committed, p, 14, 19, []int64{})

	all := openSource(t, topic, func(c *kafka.Config) { c.ReadUncommitted = true })
	require.EqualValues(t, 21, firstLook(t, all).Ends[p])
	requireOffsets(t, all, p, 0, 21, slices.Concat(span(0, 10), span(11, 14), span(15, 18), span(19, 21)))
}

// The newest rows of the topic are tombstones, which the cleaner removes: the range ends in offsets that are no more.
func TestRangesOfACompactedTopic(t *testing.T) {
	topic := newTopic(t, 1, map[string]string{
		"cleanup.policy": "compact", "delete.retention.ms": "0", "segment.ms": "500", "min.cleanable.dirty.ratio": "0.01", "min.compaction.lag.ms": "0",
	})
	p := offsets.Partition{Topic: topic}
	cl := client(t)
	put := func(key string, value []byte) {
		require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Key: []byte(key), Value: value}).FirstErr())
	}
	put("keep", []byte("v"))
	for range 5 {
		put("again", []byte("v"))
	}
	for i := range 10 {
		put(fmt.Sprint("gone", i), []byte("v"))
	}
	for i := range 10 {
		put(fmt.Sprint("gone", i), nil)
	}
	const tail = 26 // offsets 16 to 25 are the tombstones
	s := openSource(t, topic)
	require.Eventually(t, func() bool { // every record rolls a segment, and the cleaner takes all but the newest
		time.Sleep(600 * time.Millisecond)
		put("roll", []byte("v"))
		firstLook(t, s)
		got, err := readOffsets(t, s, p, 0, tail)
		require.NoError(t, err)
		return slices.Equal(got, []int64{0, 5})
	}, 60*time.Second, 10*time.Millisecond)
	a := firstLook(t, s)
	require.Zero(t, a.Progress.Partitions[p].Next, "compaction does not move the start of a log")
	requireOffsets(t, s, p, 16, tail, []int64{})
	requireOffsets(t, s, p, 10, 20, []int64{})
}

func TestRangesOfDeletedRecords(t *testing.T) {
	topic := newTopic(t, 1, nil)
	p := offsets.Partition{Topic: topic}
	produce(t, client(t), topic, 0, numbered(10)...)
	produce(t, client(t), topic, 0, numbered(10)...)
	s := openSource(t, topic)
	known := at(firstLook(t, s), p, 4)
	deleteBefore(t, p, 9)

	_, err := readOffsets(t, s, p, 4, 20)
	requireLoss(t, err, p, 4, 9, "log [9,20): the log starts above it")
	_, err = readOffsets(t, s, p, 25, 30)
	requireLoss(t, err, p, 25, 30, "log [9,20): the log ends below it")
	_, err = s.Available(t.Context(), known)
	requireLoss(t, err, p, 4, 9, "log [9,20): the log starts above it")

	skip := openSource(t, topic, func(c *kafka.Config) { c.SkipLoss = true })
	a, err := skip.Available(t.Context(), known)
	require.NoError(t, err)
	require.Equal(t, []offsets.Range{{Source: "in", Partition: p, From: 4, Until: 9}}, a.Holes)
	requireOffsets(t, skip, p, a.Progress.Partitions[p].Next, 20, span(9, 20))
}

func requireLoss(t *testing.T, err error, p offsets.Partition, from, until int64, says string) {
	t.Helper()
	require.ErrorIs(t, err, source.ErrDataLoss)
	var l *kafka.Loss
	require.ErrorAs(t, err, &l)
	require.Equal(t, offsets.Range{Partition: p, From: from, Until: until}, offsets.Range{Partition: l.Partition, From: l.From, Until: l.Until})
	require.ErrorContains(t, err, says)
}

// The topic that takes the name has rows at the same offsets.
func TestRangesOfARecreatedTopic(t *testing.T) {
	topic := newTopic(t, 1, nil)
	p := offsets.Partition{Topic: topic}
	produce(t, client(t), topic, 0, numbered(10)...)
	s := openSource(t, topic)
	known := at(firstLook(t, s), p, 5)
	recreate(t, topic, 1)
	produce(t, client(t), topic, 0, numbered(20)...)

	got, err := readOffsets(t, s, p, 5, 10)
	require.Empty(t, got)
	requireLoss(t, err, p, 5, 10, "the topic was deleted or recreated")
	_, err = s.Available(t.Context(), known)
	requireLoss(t, err, p, 5, 5, "the topic was deleted or recreated")

	skip := openSource(t, topic, func(c *kafka.Config) { c.SkipLoss = true })
	a, err := skip.Available(t.Context(), known)
	require.NoError(t, err)
	require.Equal(t, offsets.Mark{LeaderEpoch: -1}, a.Progress.Partitions[p])
	requireOffsets(t, skip, p, 0, 21, span(0, 21))
}

func TestRangesOfAddedPartitions(t *testing.T) {
	topic := newTopic(t, 1, nil)
	first, second := offsets.Partition{Topic: topic}, offsets.Partition{Topic: topic, ID: 1}
	produce(t, client(t), topic, 0, numbered(10)...)
	s := openSource(t, topic, func(c *kafka.Config) { c.Start.Kind = kafka.Latest })
	known := firstLook(t, s).Progress
	require.Equal(t, offsets.Positions{first: 10}, known.Positions())
	_, err := admin(t).CreatePartitions(t.Context(), 1, topic)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return client(t).ProduceSync(t.Context(), &kgo.Record{Topic: topic, Partition: 1}).FirstErr() == nil
	}, 20*time.Second, 100*time.Millisecond)
	a, err := s.Available(t.Context(), known)
	require.NoError(t, err)
	require.Equal(t, offsets.Positions{first: 10, second: 0}, a.Progress.Positions())
	requireOffsets(t, s, second, 0, 1, span(0, 1))
}

func TestStartByTime(t *testing.T) {
	topic := newTopic(t, 1, nil)
	begin := time.UnixMilli(1_700_000_000_000)
	for i := range 10 {
		r := &kgo.Record{Topic: topic, Value: []byte("v"), Timestamp: begin.Add(time.Duration(i) * time.Second)}
		require.NoError(t, client(t).ProduceSync(t.Context(), r).FirstErr())
	}
	for after, want := range map[time.Duration]int64{-time.Hour: 0, 4500 * time.Millisecond: 5, time.Hour: 10} {
		s := openSource(t, topic, func(c *kafka.Config) { c.Start = kafka.Start{Kind: kafka.AtTime, Time: begin.Add(after)} })
		require.Equal(t, want, firstLook(t, s).Progress.Partitions[offsets.Partition{Topic: topic}].Next)
	}
}

func TestUnknownTopicIsNamed(t *testing.T) {
	s := openSource(t, "no-such-topic")
	_, err := s.Available(t.Context(), offsets.Progress{})
	require.ErrorContains(t, err, "topic does not exist: no-such-topic on these brokers")
}

func TestAuthentication(t *testing.T) {
	if saslBrokers == "" {
		t.Skip("KAFKA_SASL_BROKERS is not set")
	}
	topic := newTopic(t, 1, nil)
	produce(t, client(t), topic, 0, numbered(3)...)
	for _, c := range []struct{ mechanism, user, password, err string }{
		{"PLAIN", "alice", "alice-secret", ""},
		{"SCRAM-SHA-512", "bob", "bob-secret", ""},
		{"PLAIN", "alice", "wrong", "check sasl.user, sasl.password and sasl.mechanism"},
		{"SCRAM-SHA-512", "bob", "wrong", "check sasl.user, sasl.password and sasl.mechanism"},
		{"SCRAM-SHA-256", "bob", "bob-secret", "check sasl.user, sasl.password and sasl.mechanism"},
		{"", "", "", "does not answer"},
	} {
		t.Run(c.mechanism+" "+c.user+" "+c.password, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			s, err := kafka.Open(t.Context(), kafka.Config{
				Name: "in", Brokers: strings.Split(saslBrokers, ","), Topics: []string{topic}, SASL: kafka.SASL{Mechanism: c.mechanism, User: c.user, Password: c.password},
			}, hasty)
			require.Less(t, time.Since(start), 6*time.Second)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			defer s.Close()
			firstLook(t, s)
			requireOffsets(t, s, offsets.Partition{Topic: topic}, 0, 3, span(0, 3))
		})
	}
}
