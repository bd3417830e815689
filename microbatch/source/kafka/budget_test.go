package kafka

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// What comes larger than a fetch asked for, or unpacks to much, counts as what it is: others wait until it is worked off.
func TestWhatIsLargerIsCounted(t *testing.T) {
	for _, c := range []struct {
		name  string
		value []byte
		held  int64 // at least
		codec kgo.CompressionCodec
	}{
		{"a record larger than a fetch", bytes.Repeat([]byte("x"), 500_000), 500_000, kgo.NoCompression()},
		{"a batch that unpacks to much", make([]byte, 30<<20), 30<<20 - rawBytes, kgo.ZstdCompression()},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := newCluster(t)
			cluster.topic(2, "max.message.bytes", "100000000")
			cl := cluster.client(kgo.ProducerBatchCompression(c.codec), kgo.ProducerBatchMaxBytes(100_000_000), kgo.BrokerMaxWriteBytes(200_000_000))
			defer cl.Close()
			produce(t, cl, 0, c.value)
			cluster.produce(1, 10)
			budget := source.NewBudget(100_000, nil)
			s := cluster.source(func(c *Config) { c.FetchBytes, c.Budget = 10_000, budget })
			available(t, s)
			large, err := s.Read(t.Context(), offsets.Range{Partition: p0, From: 0, Until: 1})
			require.NoError(t, err)
			b, err := large.Next(t.Context())
			require.NoError(t, err)
			b.Release()
			require.GreaterOrEqual(t, budget.Used(), c.held)

			small, err := s.Read(t.Context(), offsets.Range{Partition: p1, From: 0, Until: 10})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			_, err = small.Next(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.GreaterOrEqual(t, small.(source.Waiter).Waited(), 25*time.Millisecond)
			require.NoError(t, large.Close())
			got, err := drain(small)
			require.NoError(t, err)
			require.Len(t, got, 10)
			require.NoError(t, small.Close())
			require.Zero(t, budget.Used(), "all of it is given back")
		})
	}
}
