package kafka

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/offsets"
)

// The broker runs in the same process, so its work counts too.
func BenchmarkReader(b *testing.B) {
	const n = 200_000
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	require.NoError(b, err)
	defer c.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	require.NoError(b, err)
	defer cl.Close()
	value := make([]byte, 200)
	for range n {
		cl.Produce(context.Background(), &kgo.Record{Topic: "t", Value: value}, nil)
	}
	require.NoError(b, cl.Flush(context.Background()))
	s, err := Open(context.Background(), Config{Brokers: c.ListenAddrs(), Topics: []string{"t"}}, nil)
	require.NoError(b, err)
	defer s.Close()
	_, err = s.Available(context.Background(), offsets.Progress{})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		r, err := s.Read(context.Background(), offsets.Range{Partition: p0, From: 0, Until: n})
		require.NoError(b, err)
		for err == nil {
			batch, e := r.Next(context.Background())
			if err = e; err == nil {
				batch.Release()
			}
		}
		require.True(b, errors.Is(err, io.EOF), err)
		require.NoError(b, r.Close())
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
