package main

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// produce writes the events to the topic, unless it holds exactly so many already.
func produce(ctx context.Context, o options) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(o.brokers), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(o.topic),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytes(900_000), kgo.ProducerLinger(linger(o.rate)),
		kgo.MaxBufferedRecords(200_000))
	if err != nil {
		return err
	}
	defer client.Close()
	switch held, err := ensureTopic(ctx, kadm.NewClient(client), o); {
	case err != nil:
		return err
	case held == o.n:
		fmt.Printf("topic %s holds %d events already\n", o.topic, held)
		return nil
	case held > 0:
		return fmt.Errorf("topic %s holds %d events, not %d: delete it or name another one", o.topic, held, o.n)
	}
	start := time.Now()
	if err := send(ctx, client, o, start); err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	fmt.Printf("topic %s: %d events in %.1f s, %.0f a second\n", o.topic, o.n, took, float64(o.n)/took)
	return nil
}

func linger(rate float64) time.Duration {
	if rate > 0 {
		return 5 * time.Millisecond
	}
	return 20 * time.Millisecond
}

// ensureTopic creates the topic if it is not there and returns the records it holds.
func ensureTopic(ctx context.Context, admin *kadm.Client, o options) (uint64, error) {
	ends, err := admin.ListEndOffsets(ctx, o.topic)
	if err == nil && ends.Error() == nil {
		held := uint64(0)
		ends.Each(func(end kadm.ListedOffset) { held += uint64(end.Offset) })
		return held, nil
	}
	_, err = admin.CreateTopic(ctx, int32(o.partitions), 1, nil, o.topic)
	return 0, err
}

func send(ctx context.Context, client *kgo.Client, o options, start time.Time) error {
	var failure atomic.Pointer[error]
	done := func(_ *kgo.Record, err error) {
		if err != nil {
			failure.CompareAndSwap(nil, &err)
		}
	}
	for i := range o.n {
		pace(start, i, o.rate)
		e := newEvent(o.seed, i)
		ms := o.millis(i, e)
		client.Produce(ctx, &kgo.Record{
			Partition: int32(i % o.partitions), Timestamp: time.UnixMilli(ms),
			Key: strconv.AppendUint(nil, uint64(e.user), 10), Value: e.appendJSON(make([]byte, 0, 192), ms),
		}, done)
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// pace waits until event i is due.
func pace(start time.Time, i uint64, rate float64) {
	if rate <= 0 {
		return
	}
	if wait := time.Until(start.Add(time.Duration(float64(i) / rate * float64(time.Second)))); wait > time.Millisecond {
		time.Sleep(wait)
	}
}
