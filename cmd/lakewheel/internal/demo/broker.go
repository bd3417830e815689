package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	topic      = "events"
	partitions = 4
)

// broker is a Kafka broker inside this process, on loopback, that keeps its topic in a folder. It serves the demo, nothing else.
type broker struct {
	cluster *kfake.Cluster
	addr    string
}

func startBroker(dir string) (*broker, error) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(dir))
	if err != nil {
		return nil, fmt.Errorf("start the embedded broker: %w", err)
	}
	b := &broker{cluster: cluster, addr: cluster.ListenAddrs()[0]}
	if cluster.TopicInfo(topic) == nil {
		if err := cluster.CreateTopic(topic, partitions, nil); err != nil {
			cluster.Close()
			return nil, fmt.Errorf("create topic %s: %w", topic, err)
		}
	}
	return b, nil
}

// counts are how many records each partition holds.
func (b *broker) counts(ctx context.Context) (out [partitions]int64, err error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.addr))
	if err != nil {
		return out, err
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	ends.Each(func(o kadm.ListedOffset) { out[o.Partition] = o.Offset })
	return out, err
}

// generate produces records at a rate until ctx ends, going on where each partition ends. Record k of partition p is event
// k*partitions+p; now is its time.
func (b *broker) generate(ctx context.Context, now func() time.Time, seed uint64, rate float64) error {
	next, err := b.counts(ctx)
	if err != nil {
		return err
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.addr), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(5*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	failed := make(chan error, 1)
	done := func(_ *kgo.Record, err error) {
		if err != nil {
			select {
			case failed <- err:
			default:
			}
		}
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	started, sent := time.Now(), int64(0)
	for {
		select {
		case <-ctx.Done(): // what was handed to the client is still produced: a record is counted by the broker alone
			flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			return cl.Flush(flush)
		case err := <-failed:
			return fmt.Errorf("produce: %w", err)
		case tick := <-ticker.C:
			at := now()
			for due := int64(tick.Sub(started).Seconds() * rate); sent < due; sent++ {
				p := sent % partitions
				e := eventOf(seed, next[p]*partitions+p)
				next[p]++
				cl.Produce(context.WithoutCancel(ctx), &kgo.Record{Partition: int32(p), Value: e.document(at), Timestamp: at}, done)
			}
		}
	}
}
