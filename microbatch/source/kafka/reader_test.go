package kafka

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

func TestEveryRangeIsReadExactly(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 5, 1, 9)
	s := c.source()
	a := available(t, s)
	require.Equal(t, offsets.Positions{p0: 15}, a.Ends)
	for from := range int64(15) {
		for until := from; until <= 15; until++ {
			requireReads(t, s, from, until, upTo(from, until))
		}
	}
}

func TestSplitRangesAddUpToTheWhole(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 400, 300, 1, 299)
	s := c.source(func(c *Config) { c.FetchBytes = 2000 }) // many fetches a range, and fetches sent ahead
	available(t, s)
	whole := offsets.Range{Source: "in", Partition: p0, From: 0, Until: 1000}
	for _, parts := range []int{1, 3, 7} {
		var got []int64
		for _, r := range offsets.Split([]offsets.Range{whole}, parts, 1) {
			rows, err := readRange(s, 0, r.From, r.Until)
			require.NoError(t, err)
			got = append(got, rowOffsets(rows)...)
		}
		require.Equal(t, upTo(0, 1000), got)
	}
}

func TestRawBatchesAreBounded(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, rawRows, rawRows/2)
	s := c.source()
	available(t, s)
	r, err := s.Read(context.Background(), offsets.Range{Source: "in", Partition: p0, From: 0, Until: rawRows + rawRows/2})
	require.NoError(t, err)
	defer r.Close()
	for _, want := range []int{rawRows, rawRows / 2} {
		b, err := r.Next(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, b.Rows())
		require.Equal(t, source.RawSchema(false), b.Schema())
		b.Release()
	}
}

func TestRecordsKeepTheirFields(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	at := time.UnixMilli(1_700_000_000_123)
	cl := c.client()
	for i, r := range []kgo.Record{
		{Key: []byte("k"), Value: []byte("v"), Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("x")}, {Key: "h"}}},
		{Key: nil, Value: []byte{}},
		{Key: []byte{}, Value: nil},
	} {
		r.Topic, r.Timestamp = "t", at.Add(time.Duration(i)*time.Second)
		require.NoError(t, cl.ProduceSync(context.Background(), &r).FirstErr())
	}
	s := c.source(func(c *Config) { c.WithKey = true })
	available(t, s)
	got, err := readRange(s, 0, 0, 3)
	require.NoError(t, err)
	require.Equal(t, []row{
		{0, at.UnixMilli(), []byte("k"), []byte("v")},
		{1, at.UnixMilli() + 1000, nil, []byte{}},
		{2, at.UnixMilli() + 2000, []byte{}, nil},
	}, got)
}

func TestEveryCodec(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.topic(1)
			produce(t, c.client(kgo.ProducerBatchCompression(codec)), 0, rows(500)...)
			s := c.source()
			available(t, s)
			requireReads(t, s, 100, 450, upTo(100, 450))
		})
	}
}

// The log: 0-4 plain, 5-9 aborted, 10 its marker, 11-13 committed, 14 its marker, 15-17 aborted, 18 its marker,
// 19-20 in an open transaction.
func TestTransactions(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 5)
	c.transaction("a", 5, ended(kgo.TryAbort))
	c.transaction("b", 3, ended(kgo.TryCommit))
	c.transaction("a", 3, ended(kgo.TryAbort))
	c.transaction("c", 2, nil)

	committed := c.source()
	a := available(t, committed)
	require.Equal(t, offsets.Positions{p0: 19}, a.Ends, "the last stable offset")
	require.Equal(t, offsets.Positions{p0: 21}, a.Latest)
	requireReads(t, committed, 0, 19, slices.Concat(upTo(0, 5), upTo(11, 14)))
	requireReads(t, committed, 7, 19, upTo(11, 14))
	requireReads(t, committed, 14, 19, []int64{}) // nothing but markers and aborted rows

	all := c.source(func(c *Config) { c.ReadUncommitted = true })
	a = available(t, all)
	require.Equal(t, offsets.Positions{p0: 21}, a.Ends)
	requireReads(t, all, 0, 21, slices.Concat(upTo(0, 10), upTo(11, 14), upTo(15, 18), upTo(19, 21)))
}

func TestLeaderEpochOfWhatWasRead(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 3)
	s := c.source()
	available(t, s)
	r, err := s.Read(context.Background(), offsets.Range{Partition: p0, From: 0, Until: 3})
	require.NoError(t, err)
	defer r.Close()
	require.EqualValues(t, -1, r.(source.EpochReader).LeaderEpoch())
	_, err = drain(r)
	require.NoError(t, err)
	require.Equal(t, c.PartitionInfo("t", 0).Epoch, r.(source.EpochReader).LeaderEpoch())
}

func TestRecordsDeletedUnderAReader(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10, 10)
	s := c.source()
	available(t, s)
	require.NoError(t, c.DeleteRecords("t", 0, 6))
	_, err := readRange(s, 0, 2, 20)
	requireLoss(t, err, belowStart, 2, 6)
	require.ErrorContains(t, err, "data loss: source in, topic t, partition 0, offsets [2,6), log [6,20): the log starts above it")
	_, err = readRange(s, 0, 2, 4)
	requireLoss(t, err, belowStart, 2, 4)
	requireReads(t, s, 6, 20, upTo(6, 20))
}

// Brokers refuse an offset without saying where the log is, and the log is looked up.
func TestRefusedOffsets(t *testing.T) {
	for _, c := range []struct {
		name       string
		from, till int64
		kind       lossKind
		lost       int64
	}{
		{"below the log", 2, 9, belowStart, 6},
		{"beyond the log", 25, 30, pastEnd, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newCluster(t)
			k.topic(1)
			k.produce(0, 20)
			s := k.source()
			available(t, s)
			require.NoError(t, k.DeleteRecords("t", 0, 6))
			k.answerFetch(1, func(p *kmsg.FetchResponseTopicPartition) {
				p.ErrorCode, p.HighWatermark, p.LogStartOffset = kerr.OffsetOutOfRange.Code, -1, -1
			})
			_, err := readRange(s, 0, c.from, c.till)
			requireLoss(t, err, c.kind, c.from, c.lost)
			require.ErrorContains(t, err, "log [6,20)")
		})
	}
}

// The topic that took the name has as many rows, so its offsets look right.
func TestTopicRecreatedUnderAReader(t *testing.T) {
	for _, ids := range []string{"with ids in fetches", "after metadata was refreshed"} {
		t.Run(ids, func(t *testing.T) {
			c := newCluster(t)
			c.topic(1)
			c.produce(0, 10)
			s := c.source()
			available(t, s)
			require.NoError(t, c.DeleteTopic("t"))
			c.topic(1)
			c.produce(0, 20)
			if ids != "with ids in fetches" {
				_, err := s.meta.refresh(context.Background(), s.admin, s.c)
				require.NoError(t, err)
			}
			got, err := readRange(s, 0, 0, 10)
			require.Empty(t, got)
			requireLoss(t, err, recreated, 0, 10)
			require.ErrorContains(t, err, "the topic was deleted or recreated")
		})
	}
}

func TestTopicDeletedUnderAReader(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	available(t, s)
	require.NoError(t, c.DeleteTopic("t"))
	_, err := readRange(s, 0, 0, 10)
	requireLoss(t, err, recreated, 0, 10)
	require.Less(t, time.Duration(c.slept.Load()), 5*time.Second)
}

func TestLeaderMoves(t *testing.T) {
	for _, code := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.OffsetNotAvailable, kerr.UnknownTopicID} {
		t.Run(code.Message, func(t *testing.T) {
			c := newCluster(t)
			c.topic(1)
			c.produce(0, 10)
			s := c.source()
			available(t, s)
			h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: code, Count: 3})
			requireReads(t, s, 0, 10, upTo(0, 10))
			require.Equal(t, 3, h.Hits())
		})
	}
	t.Run("to another broker", func(t *testing.T) {
		c := newCluster(t, kfake.NumBrokers(3))
		c.topic(1)
		c.produce(0, 10)
		s := c.source()
		available(t, s)
		for node := range int32(3) {
			require.NoError(t, c.MoveTopicPartition("t", 0, node))
			requireReads(t, s, 0, 10, upTo(0, 10))
		}
	})
	t.Run("because its broker went away", func(t *testing.T) {
		c := newCluster(t, kfake.NumBrokers(3))
		c.topic(1)
		c.produce(0, 10)
		s := c.source()
		available(t, s)
		requireReads(t, s, 0, 10, upTo(0, 10))
		require.NoError(t, c.RemoveNode(c.LeaderFor("t", 0)))
		requireReads(t, s, 0, 10, upTo(0, 10))
	})
	t.Run("to a new broker", func(t *testing.T) {
		c := newCluster(t)
		c.topic(1)
		c.produce(0, 10)
		s := c.source()
		available(t, s)
		requireReads(t, s, 0, 10, upTo(0, 10))
		node, _, err := c.AddNode(-1, 0)
		require.NoError(t, err)
		require.NoError(t, c.MoveTopicPartition("t", 0, node))
		requireReads(t, s, 0, 10, upTo(0, 10))
	})
}

func TestNoLeaderForLong(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	available(t, s)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: -1})
	_, err := readRange(s, 0, 0, 10)
	require.ErrorIs(t, err, kerr.NotLeaderForPartition)
	require.NotErrorIs(t, err, source.ErrDataLoss)
	require.ErrorContains(t, err, "source in, topic t, partition 0, offset 0: no leader answers")
	require.Equal(t, patienceMove*250*time.Millisecond, time.Duration(c.slept.Load()))
}

func TestThrottledAnswersAreNoEvidence(t *testing.T) {
	for name, answers := range map[string]func(*cluster){
		"without the partition": func(c *cluster) {
			c.answer(kmsg.Fetch, 50, func(req kmsg.Request) kmsg.Response { return req.ResponseKind() })
		},
		"empty": func(c *cluster) {
			c.answer(kmsg.Fetch, 5, func(kreq kmsg.Request) kmsg.Response {
				req := kreq.(*kmsg.FetchRequest)
				resp := req.ResponseKind().(*kmsg.FetchResponse)
				resp.ThrottleMillis = 1
				p := kmsg.NewFetchResponseTopicPartition()
				p.HighWatermark, p.LastStableOffset, p.LogStartOffset = 10, 10, 0
				topic := kmsg.NewFetchResponseTopic()
				topic.Topic, topic.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
				topic.Partitions = append(topic.Partitions, p)
				resp.Topics = append(resp.Topics, topic)
				return resp
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.topic(1)
			c.produce(0, 10)
			s := c.source()
			available(t, s)
			answers(c)
			requireReads(t, s, 0, 10, upTo(0, 10))
		})
	}
}

// silent answers without rows, from a log whose end is high.
func silent(high int64) func(*kmsg.FetchResponseTopicPartition) {
	return func(p *kmsg.FetchResponseTopicPartition) {
		p.HighWatermark, p.LastStableOffset, p.LogStartOffset = high, high, 0
	}
}

func TestEndsThatLagAreWaitedFor(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	available(t, s)
	c.answerFetch(patienceEnd, silent(5))
	requireReads(t, s, 0, 10, upTo(0, 10))
	c.answerFetch(-1, silent(5))
	_, err := readRange(s, 0, 3, 10)
	requireLoss(t, err, pastEnd, 3, 10)
}

func TestSilentGaps(t *testing.T) {
	for _, c := range []struct {
		policy string
		lost   bool
	}{{"compact", false}, {"compact,delete", false}, {"delete", true}} {
		t.Run(c.policy, func(t *testing.T) {
			k := newCluster(t)
			k.topic(1, "cleanup.policy", c.policy)
			cl := k.client()
			for i := range 10 {
				require.NoError(t, cl.ProduceSync(context.Background(), &kgo.Record{Topic: "t", Key: fmt.Append(nil, i), Value: []byte("v")}).FirstErr())
			}
			s := k.source()
			available(t, s)
			k.answerFetch(patienceGap-1, silent(20))
			requireReads(t, s, 0, 10, upTo(0, 10)) // not believed at once
			k.answerFetch(-1, silent(20))
			r, err := s.Read(context.Background(), offsets.Range{Source: "in", Partition: p0, From: 4, Until: 20})
			require.NoError(t, err)
			defer r.Close()
			got, err := drain(r)
			require.Empty(t, got)
			if c.lost {
				requireLoss(t, err, gap, 4, 20)
				return
			}
			require.NoError(t, err)
			require.Equal(t, k.PartitionInfo("t", 0).Epoch, r.(source.EpochReader).LeaderEpoch(), "older epochs may end below the gap")
		})
	}
}

// What is left of a compacted log may lie beyond the range, with more to come.
func TestRangesThatEndInAHole(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	available(t, s)
	left := join(testBatch{base: 3, values: rows(2)}, testBatch{base: 30, values: rows(5)}, testBatch{base: 40, values: rows(5)})
	for _, r := range []struct {
		from, until int64
		want        []int64
	}{{0, 20, []int64{3, 4}}, {5, 20, []int64{}}, {10, 32, []int64{30, 31}}, {36, 39, []int64{}}, {3, 4, []int64{3}}} {
		c.answerFetch(1, func(p *kmsg.FetchResponseTopicPartition) {
			silent(50)(p)
			p.RecordBatches = left
		})
		requireReads(t, s, r.from, r.until, r.want)
	}
}

func TestCompactedTopic(t *testing.T) {
	c := newCluster(t)
	c.topic(1, "cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0", "min.compaction.lag.ms", "0", "segment.ms", "1")
	cl := c.client()
	put := func(key string) {
		require.NoError(t, cl.ProduceSync(context.Background(), &kgo.Record{Topic: "t", Key: []byte(key), Value: []byte("v")}).FirstErr())
	}
	put("first")
	for range 5 {
		put("again")
	}
	put("last")
	c.Compact()
	s := c.source()
	a := available(t, s)
	got, err := readRange(s, 0, 0, a.Ends[p0])
	require.NoError(t, err)
	require.Equal(t, []int64{0, 5, 6}, rowOffsets(got))
}

func TestCorruptBatch(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	available(t, s)
	c.answerFetch(1, func(p *kmsg.FetchResponseTopicPartition) {
		silent(10)(p)
		p.RecordBatches = testBatch{values: rows(10)}.bytes()
		p.RecordBatches[80] ^= 1
	})
	_, err := readRange(s, 0, 0, 10)
	require.ErrorIs(t, err, errCorrupt)
	require.ErrorContains(t, err, "source in, topic t, partition 0, offset 0: corrupt record batch")
}

func TestCancelledReader(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	available(t, s)
	r, err := s.Read(context.Background(), offsets.Range{Partition: p0, From: 0, Until: 10})
	require.NoError(t, err)
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = r.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
	got, err := drain(r)
	require.NoError(t, err, "a call that was cancelled leaves the reader usable")
	require.Equal(t, upTo(0, 10), rowOffsets(got))
}

// A fetch sent ahead may outlive the call that sent it.
func TestFetchAheadOfACancelledCall(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 50, 50, 50)
	s := c.source(func(c *Config) { c.FetchBytes = 500 })
	available(t, s)
	r, err := s.Read(context.Background(), offsets.Range{Partition: p0, From: 0, Until: 150})
	require.NoError(t, err)
	defer r.Close()
	var got []int64
	for len(got) < 150 {
		ctx, cancel := context.WithCancel(context.Background())
		b, err := r.Next(ctx)
		cancel()
		require.NoError(t, err)
		got = append(got, rowOffsets(batchRows(b))...)
		b.Release()
	}
	require.Equal(t, upTo(0, 150), got)
}

func TestReadersShareTheBudget(t *testing.T) {
	c := newCluster(t)
	c.topic(2)
	c.produce(0, 50, 50, 50)
	c.produce(1, 50, 50, 50)
	s := c.source(func(c *Config) { c.FetchBytes, c.Budget = 500, source.NewBudget(500, nil) }) // one fetch at a time
	available(t, s)
	open := func(p offsets.Partition) source.Reader {
		r, err := s.Read(context.Background(), offsets.Range{Partition: p, From: 0, Until: 150})
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		return r
	}
	first, second := open(p0), open(p1)
	b, err := first.Next(context.Background())
	require.NoError(t, err)
	b.Release()
	require.False(t, s.budget.TryAcquire(1), "the first reader holds a buffer")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = second.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the second waits for room")
	require.NoError(t, first.Close())
	got, err := drain(second)
	require.NoError(t, err)
	require.Equal(t, upTo(0, 150), rowOffsets(got))
	require.NoError(t, second.Close())
	require.True(t, s.budget.TryAcquire(500), "all of it is given back")
}

func TestParallelReadersOfASmallBudget(t *testing.T) {
	c := newCluster(t)
	c.topic(4)
	s := c.source(func(c *Config) { c.FetchBytes, c.Budget = 500, source.NewBudget(1200, nil) })
	for p := range int32(4) {
		c.produce(p, 50, 50, 50, 50)
	}
	available(t, s)
	done := make(chan error, 4)
	for p := range int32(4) {
		go func() {
			got, err := readRange(s, p, 0, 200)
			if err == nil && len(got) != 200 {
				err = fmt.Errorf("partition %d: %d rows", p, len(got))
			}
			done <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
	require.True(t, s.budget.TryAcquire(1200))
}
