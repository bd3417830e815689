package kafka

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// cluster is a broker in the process, a producer to it, and a clock that does not wait.
type cluster struct {
	*kfake.Cluster
	t     *testing.T
	slept atomic.Int64 // what Source would have slept, in nanoseconds
}

func newCluster(t *testing.T, opts ...kfake.Opt) *cluster {
	opts = append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)
	c, err := kfake.NewCluster(opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &cluster{Cluster: c, t: t}
}

func (c *cluster) topic(partitions int32, configs ...string) {
	m := map[string]string{}
	for i := 0; i < len(configs); i += 2 {
		m[configs[i]] = configs[i+1]
	}
	require.NoError(c.t, c.CreateTopic("t", partitions, m))
}

func (c *cluster) sleep(ctx context.Context, d time.Duration) error {
	c.slept.Add(int64(d))
	return ctx.Err()
}

func (c *cluster) source(change ...func(*Config)) *Source {
	cfg := Config{Name: "in", Brokers: c.ListenAddrs(), Topics: []string{"t"}}
	for _, f := range change {
		f(&cfg)
	}
	s, err := Open(context.Background(), cfg, c.sleep)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { require.NoError(c.t, s.Close()) })
	return s
}

func (c *cluster) client(opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	require.NoError(c.t, err)
	c.t.Cleanup(cl.Close)
	return cl
}

// produce writes batches of so many rows each to a partition of t.
func (c *cluster) produce(partition int32, batches ...int) {
	cl := c.client()
	defer cl.Close()
	for _, n := range batches {
		produce(c.t, cl, partition, rows(n)...)
	}
}

func produce(t *testing.T, cl *kgo.Client, partition int32, values ...[]byte) {
	var records []*kgo.Record
	for _, v := range values {
		records = append(records, &kgo.Record{Topic: "t", Partition: partition, Value: v})
	}
	require.NoError(t, cl.ProduceSync(context.Background(), records...).FirstErr())
}

// transaction leaves rows in partition 0 of t, and ends the transaction as commit says; nil leaves it open.
func (c *cluster) transaction(id string, n int, commit *kgo.TransactionEndTry) {
	cl := c.client(kgo.TransactionalID(id))
	require.NoError(c.t, cl.BeginTransaction())
	produce(c.t, cl, 0, rows(n)...)
	if commit != nil {
		require.NoError(c.t, cl.EndTransaction(context.Background(), *commit))
	}
}

func ended(by kgo.TransactionEndTry) *kgo.TransactionEndTry { return &by }

func (c *cluster) admin() *kadm.Client { return kadm.NewClient(c.client()) }

// answer answers so many requests of a kind in the place of the broker, -1 for all.
func (c *cluster) answer(key kmsg.Key, times int, fn func(kmsg.Request) kmsg.Response) {
	left := times
	c.ControlKey(int16(key), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if left == 0 {
			return nil, nil, false
		}
		left--
		if left != 0 {
			c.KeepControl()
		}
		return fn(req), nil, true
	})
}

// answerFetch answers fetches with a partition that fill completes.
func (c *cluster) answerFetch(times int, fill func(*kmsg.FetchResponseTopicPartition)) {
	c.answer(kmsg.Fetch, times, func(kreq kmsg.Request) kmsg.Response {
		req := kreq.(*kmsg.FetchRequest)
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic, topic.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
		p := kmsg.NewFetchResponseTopicPartition()
		p.Partition = req.Topics[0].Partitions[0].Partition
		fill(&p)
		topic.Partitions = append(topic.Partitions, p)
		resp.Topics = append(resp.Topics, topic)
		return resp
	})
}

func available(t *testing.T, s *Source) source.Available {
	a, err := s.Available(context.Background(), offsets.Progress{})
	require.NoError(t, err)
	return a
}

// readRange reads [from,until) of a partition of t to its end.
func readRange(s *Source, partition int32, from, until int64) ([]row, error) {
	r, err := s.Read(context.Background(), offsets.Range{Source: "in", Partition: offsets.Partition{Topic: "t", ID: partition}, From: from, Until: until})
	if err != nil {
		return nil, err
	}
	out, err := drain(r)
	return out, errors.Join(err, r.Close(), r.Close())
}

func drain(r source.Reader) ([]row, error) {
	var out []row
	for {
		b, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, batchRows(b)...)
		b.Release()
	}
}

func batchRows(b *columnar.Batch) []row {
	out := make([]row, b.Rows())
	for i := range out {
		out[i] = row{
			Offset: columnar.Int64At(b.Column(source.OffsetAt), i), Millis: columnar.Int64At(b.Column(source.TimestampAt), i) / 1000,
			Value: valueAt(b.Column(source.ValueAt), i),
		}
		if b.Schema().Len() > source.KeyAt {
			out[i].Key = valueAt(b.Column(source.KeyAt), i)
		}
	}
	return out
}

func valueAt(c columnar.Column, i int) []byte {
	if c.IsNull(i) {
		return nil
	}
	return append([]byte{}, columnar.BinaryAt(c, i)...)
}

func rowOffsets(rows []row) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.Offset
	}
	return out
}

// upTo are the offsets of [from,until).
func upTo(from, until int64) []int64 {
	out := []int64{}
	for at := from; at < until; at++ {
		out = append(out, at)
	}
	return out
}

// requireReads checks which offsets a range gives.
func requireReads(t *testing.T, s *Source, from, until int64, want []int64) {
	t.Helper()
	got, err := readRange(s, 0, from, until)
	require.NoError(t, err)
	require.Equal(t, want, rowOffsets(got), "[%d,%d)", from, until)
}

func requireLoss(t *testing.T, err error, kind lossKind, from, until int64) {
	t.Helper()
	require.ErrorIs(t, err, source.ErrDataLoss)
	var l *Loss
	require.ErrorAs(t, err, &l)
	require.Equal(t, kind, l.Kind)
	require.Equal(t, [2]int64{from, until}, [2]int64{l.From, l.Until})
}
