package kafka

import (
	"context"
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

// at is progress of a topic t that has been read up to next in partition 0.
func (c *cluster) at(s *Source, next int64) offsets.Progress {
	p := available(c.t, s).Progress
	p.Partitions[p0] = offsets.Mark{Next: next, LeaderEpoch: c.PartitionInfo("t", 0).Epoch}
	return p
}

func skipLoss(c *Config) { c.SkipLoss = true }

func TestDeletedRecords(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 20)
	s := c.source()
	known := c.at(s, 4)
	require.NoError(t, c.DeleteRecords("t", 0, 9))

	_, err := s.Available(context.Background(), known)
	requireLoss(t, err, belowStart, 4, 9)
	require.ErrorContains(t, err, "on_data_loss: skip")

	skip := c.source(skipLoss)
	a, err := skip.Available(context.Background(), known)
	require.NoError(t, err)
	require.Equal(t, []offsets.Range{{Source: "in", Partition: p0, From: 4, Until: 9}}, a.Holes)
	require.EqualValues(t, 9, a.Progress.Partitions[p0].Next)
	requireReads(t, skip, 9, 20, upTo(9, 20))

	a, err = skip.Available(context.Background(), a.Progress)
	require.NoError(t, err)
	require.Empty(t, a.Holes, "a hole is reported once")
}

func TestRecreatedTopic(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	known := c.at(s, 5)
	require.NoError(t, c.DeleteTopic("t"))
	c.topic(1)
	c.produce(0, 20)

	_, err := s.Available(context.Background(), known)
	requireLoss(t, err, recreated, 5, 5)
	require.ErrorContains(t, err, "source in, topic t, partition 0")
	require.ErrorContains(t, err, "the topic was deleted or recreated")

	skip := c.source(skipLoss)
	a, err := skip.Available(context.Background(), known)
	require.NoError(t, err)
	require.Equal(t, offsets.Mark{LeaderEpoch: -1}, a.Progress.Partitions[p0])
	requireReads(t, skip, 0, 20, upTo(0, 20))
	a, err = skip.Available(context.Background(), a.Progress)
	require.NoError(t, err)
	require.Empty(t, a.Holes)
}

// A topic of a pattern that is deleted is reported once, and is new when it comes back.
func TestDeletedTopicOfAPattern(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	require.NoError(t, c.CreateTopic("other", 1, nil))
	require.NoError(t, c.CreateTopic("t.excluded", 1, nil))
	c.produce(0, 10)
	s := c.source(skipLoss, func(c *Config) { c.Topics, c.Pattern = nil, "t|oth.*" })
	known := c.at(s, 5)
	require.Len(t, known.Partitions, 2, "the pattern matches whole names")

	require.NoError(t, c.DeleteTopic("t"))
	a, err := s.Available(context.Background(), known)
	require.NoError(t, err)
	require.Len(t, a.Holes, 1)
	require.NotContains(t, a.Progress.Partitions, p0)
	require.NotContains(t, a.Progress.Identity, "t")

	a, err = s.Available(context.Background(), a.Progress)
	require.NoError(t, err)
	require.Empty(t, a.Holes)

	c.topic(1)
	a, err = s.Available(context.Background(), a.Progress)
	require.NoError(t, err)
	require.Equal(t, offsets.Mark{LeaderEpoch: -1}, a.Progress.Partitions[p0])
}

func TestAddedPartitionsStartAtTheEarliest(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	s := c.source(func(c *Config) { c.Start.Kind = Latest })
	known := available(t, s).Progress
	require.EqualValues(t, 10, known.Partitions[p0].Next)
	_, err := c.admin().CreatePartitions(context.Background(), 1, "t")
	require.NoError(t, err)
	c.produce(1, 7)
	a, err := s.Available(context.Background(), known)
	require.NoError(t, err)
	require.Equal(t, offsets.Positions{p0: 10, p1: 0}, a.Progress.Positions())
	require.Equal(t, offsets.Positions{p0: 10, p1: 7}, a.Ends)
	got, err := readRange(s, 1, 0, 7)
	require.NoError(t, err)
	require.Equal(t, upTo(0, 7), rowOffsets(got))
}

func TestStarts(t *testing.T) {
	c := newCluster(t)
	c.topic(2)
	cl := c.client()
	at := time.UnixMilli(1_700_000_000_000)
	for i := range 10 {
		r := &kgo.Record{Topic: "t", Value: []byte("v"), Timestamp: at.Add(time.Duration(i) * time.Second)}
		require.NoError(t, cl.ProduceSync(context.Background(), r).FirstErr())
	}
	require.NoError(t, c.DeleteRecords("t", 0, 2))
	for _, k := range []struct {
		name   string
		start  Start
		p0, p1 int64
	}{
		{"earliest", Start{}, 2, 0},
		{"latest", Start{Kind: Latest}, 10, 0},
		{"time", Start{Kind: AtTime, Time: at.Add(4500 * time.Millisecond)}, 5, 0},
		{"time before the log", Start{Kind: AtTime, Time: at.Add(-time.Hour)}, 2, 0},
		{"time after the log", Start{Kind: AtTime, Time: at.Add(time.Hour)}, 10, 0},
		{"offsets", Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 7, p1: -2}}, 7, 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			a := available(t, c.source(func(c *Config) { c.Start = k.start }))
			require.Equal(t, offsets.Positions{p0: k.p0, p1: k.p1}, a.Progress.Positions())
			require.Equal(t, "kafka", a.Progress.Kind)
			require.NotEmpty(t, a.Progress.Identity["t"])
		})
	}
	s := c.source(func(c *Config) { c.Start = Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 7}} })
	_, err := s.Available(context.Background(), offsets.Progress{})
	require.ErrorContains(t, err, "source in: start.offsets must name every partition (-1 latest, -2 earliest): missing [t-1]")
	require.Zero(t, c.slept.Load(), "settings do not get better by asking again")
}

func TestUnknownTopic(t *testing.T) {
	c := newCluster(t)
	s := c.source()
	_, err := s.Available(context.Background(), offsets.Progress{})
	require.ErrorContains(t, err, "source in: topic does not exist: t on these brokers; create it, or check the name")
	require.Less(t, time.Duration(c.slept.Load()), 6*time.Second)

	s = c.source(func(c *Config) { c.Topics, c.Pattern = nil, "x.*" })
	_, err = s.Available(context.Background(), offsets.Progress{})
	require.ErrorContains(t, err, `source in: topic does not exist: none matches "x.*"`)
}

func TestTopicThatAppearsInAMoment(t *testing.T) {
	c := newCluster(t)
	s, err := Open(context.Background(), Config{Name: "in", Brokers: c.ListenAddrs(), Topics: []string{"t"}}, func(ctx context.Context, _ time.Duration) error {
		if c.TopicInfo("t") == nil {
			c.topic(1)
		}
		return ctx.Err()
	})
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, offsets.Positions{p0: 0}, available(t, s).Progress.Positions())
}

// hiccup lets a topic go through fn in the next metadata answers.
func (c *cluster) hiccup(times int, fn func(*kmsg.MetadataResponse)) {
	cl := c.client()
	require.NoError(c.t, cl.Ping(context.Background()))
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = nil
	good, err := req.RequestWith(context.Background(), cl)
	require.NoError(c.t, err)
	c.answer(kmsg.Metadata, times, func(req kmsg.Request) kmsg.Response {
		resp := *good
		resp.Version = req.GetVersion()
		resp.Topics = append([]kmsg.MetadataResponseTopic(nil), good.Topics...)
		fn(&resp)
		return &resp
	})
}

func TestMetadataHiccupsAreNotBelieved(t *testing.T) {
	for name, fn := range map[string]func(*kmsg.MetadataResponse){
		"no topics":     func(r *kmsg.MetadataResponse) { r.Topics = nil },
		"no partitions": func(r *kmsg.MetadataResponse) { r.Topics[0].Partitions = nil },
		"one partition": func(r *kmsg.MetadataResponse) { r.Topics[0].Partitions = r.Topics[0].Partitions[:1] },
		"unknown topic": func(r *kmsg.MetadataResponse) { r.Topics[0].ErrorCode = kerr.UnknownTopicOrPartition.Code },
		"no leader":     func(r *kmsg.MetadataResponse) { r.Topics[0].ErrorCode = kerr.LeaderNotAvailable.Code },
		"another topic": func(r *kmsg.MetadataResponse) { r.Topics[0].TopicID = [16]byte{9} },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.topic(2)
			c.produce(0, 10)
			c.produce(1, 10)
			s := c.source()
			known := available(t, s).Progress
			for p := range known.Partitions {
				known.Partitions[p] = offsets.Mark{Next: 5, LeaderEpoch: -1}
			}
			for _, times := range []int{1, 2, 3} {
				c.hiccup(times, fn)
				a, err := s.Available(context.Background(), known)
				require.NoError(t, err)
				require.Equal(t, known, a.Progress)
				require.Equal(t, offsets.Positions{p0: 10, p1: 10}, a.Ends)
			}
			require.NotZero(t, c.slept.Load())
		})
	}
}

func TestOffsetsThatGoBackAreNotBelieved(t *testing.T) {
	for name, fill := range map[string]func(*kmsg.ListOffsetsResponseTopicPartition){
		"end at zero":    func(p *kmsg.ListOffsetsResponseTopicPartition) { p.Offset = 0 },
		"no such leader": func(p *kmsg.ListOffsetsResponseTopicPartition) { p.ErrorCode = kerr.NotLeaderForPartition.Code },
		"no offset":      func(p *kmsg.ListOffsetsResponseTopicPartition) { p.Offset = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.topic(1)
			c.produce(0, 10)
			s := c.source()
			known := c.at(s, 8)
			c.answer(kmsg.ListOffsets, 3, func(kreq kmsg.Request) kmsg.Response {
				req := kreq.(*kmsg.ListOffsetsRequest)
				resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
				topic := kmsg.NewListOffsetsResponseTopic()
				topic.Topic = "t"
				p := kmsg.NewListOffsetsResponseTopicPartition()
				fill(&p)
				topic.Partitions = append(topic.Partitions, p)
				resp.Topics = append(resp.Topics, topic)
				return resp
			})
			a, err := s.Available(context.Background(), known)
			require.NoError(t, err)
			require.Equal(t, offsets.Positions{p0: 10}, a.Ends)
		})
	}
}

func TestListedOffsetsCoverEveryPartition(t *testing.T) {
	topics := oneTopic(1, 2, 0, 5, 5).topics
	require.NoError(t, covers(Config{}, offsets.Positions{p0: 0, p1: 5}, topics))
	for name, listed := range map[string]offsets.Positions{"left out": {p0: 4}, "without offset": {p0: 4, p1: -1}} {
		err := covers(Config{Name: "in"}, listed, topics)
		require.ErrorContains(t, err, "source in: topic t, partition 1 has no offsets", name)
		require.True(t, retriable(err), name)
	}
}

// The leader epoch that was read last ends at 4 in a log that has grown beyond what was read.
func TestTruncatedLogs(t *testing.T) {
	truncate := func(c *cluster, times int) {
		c.answer(kmsg.OffsetForLeaderEpoch, times, func(kreq kmsg.Request) kmsg.Response {
			resp := kreq.(*kmsg.OffsetForLeaderEpochRequest).ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
			topic := kmsg.NewOffsetForLeaderEpochResponseTopic()
			topic.Topic = "t"
			p := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			p.LeaderEpoch, p.EndOffset = 0, 4
			topic.Partitions = append(topic.Partitions, p)
			resp.Topics = append(resp.Topics, topic)
			return resp
		})
	}
	c := newCluster(t, kfake.NumBrokers(2))
	c.topic(1)
	c.produce(0, 10)
	s := c.source()
	known := c.at(s, 8)
	require.NoError(t, c.MoveTopicPartition("t", 0, (c.LeaderFor("t", 0)+1)%2))
	_, err := s.Available(context.Background(), known)
	require.NoError(t, err, "another leader alone is no loss")

	truncate(c, 2)
	_, err = s.Available(context.Background(), known)
	require.NoError(t, err, "asked again")

	truncate(c, -1)
	_, err = s.Available(context.Background(), known)
	requireLoss(t, err, truncated, 8, 8)
	a, err := c.source(skipLoss).Available(context.Background(), known)
	require.NoError(t, err)
	require.EqualValues(t, 4, a.Progress.Partitions[p0].Next)
}

func TestAckIsForLagTools(t *testing.T) {
	c := newCluster(t)
	c.topic(1)
	c.produce(0, 10)
	require.NoError(t, c.source().Ack(context.Background(), offsets.Positions{p0: 3}), "without a group there is nothing to do")
	s := c.source(func(c *Config) { c.Group = "lag" })
	var acker source.Acker = s
	require.NoError(t, acker.Ack(context.Background(), offsets.Positions{p0: 7}))
	got, err := c.admin().FetchOffsets(context.Background(), "lag")
	require.NoError(t, err)
	o, ok := got.Lookup("t", 0)
	require.True(t, ok)
	require.EqualValues(t, 7, o.At)
}

func TestAvailableCanBeCancelled(t *testing.T) {
	c := newCluster(t)
	s := c.source()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Available(ctx, offsets.Progress{})
	require.ErrorIs(t, err, context.Canceled)
}
