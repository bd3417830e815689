package kafka

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// partAnswer is an answer from a log [start,high) whose last stable offset is stable.
func partAnswer(err *kerr.Error, start, stable, high int64, batches []byte) answer {
	p := kmsg.NewFetchResponseTopicPartition()
	if err != nil {
		p.ErrorCode = err.Code
	}
	p.LogStartOffset, p.LastStableOffset, p.HighWatermark, p.RecordBatches = start, stable, high, batches
	return answer{part: &p}
}

func throttled(a answer) answer {
	a.throttled = true
	return a
}

// The range is [10,20) throughout.
func TestClassify(t *testing.T) {
	batch := testBatch{base: 5, values: rows(6)}.bytes() // 5..10
	before := testBatch{base: 5, values: rows(3)}.bytes()
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		name string
		a    answer
		want meaning
	}{
		{"left out", answer{throttled: true}, askAgain},
		{"throttled and empty", throttled(partAnswer(nil, 0, 30, 30, nil)), askAgain},
		{"throttled with rows", throttled(partAnswer(nil, 0, 30, 30, batch)), progressed},
		{"refused below the log", partAnswer(kerr.OffsetOutOfRange, 12, 30, 30, nil), lostBelow},
		{"log starts above", partAnswer(nil, 12, 30, 30, batch), lostBelow},
		{"refused beyond the log", partAnswer(kerr.OffsetOutOfRange, 0, 8, 8, nil), lostAbove},
		{"refused, but there by now", partAnswer(kerr.OffsetOutOfRange, 0, 30, 30, nil), leaderMoved},
		{"unknown id", partAnswer(kerr.UnknownTopicID, -1, -1, -1, nil), topicGone},
		{"inconsistent id", partAnswer(kerr.InconsistentTopicID, -1, -1, -1, nil), topicGone},
		{"unknown topic", partAnswer(kerr.UnknownTopicOrPartition, -1, -1, -1, nil), topicGone},
		{"not in metadata", answer{err: errNoTopic}, topicGone},
		{"another id in metadata", answer{err: kerr.UnknownTopicID}, topicGone},
		{"no leader in metadata", answer{err: kerr.LeaderNotAvailable}, leaderMoved},
		{"leader moved", partAnswer(kerr.NotLeaderForPartition, -1, -1, -1, nil), leaderMoved},
		{"fenced epoch", partAnswer(kerr.FencedLeaderEpoch, -1, -1, -1, nil), leaderMoved},
		{"unknown epoch", partAnswer(kerr.UnknownLeaderEpoch, -1, -1, -1, nil), leaderMoved},
		{"offset not available", partAnswer(kerr.OffsetNotAvailable, -1, -1, -1, nil), leaderMoved},
		{"leader down", answer{err: refused}, leaderMoved},
		{"leader no longer in the cluster", answer{err: errors.New("unknown broker")}, leaderMoved},
		{"connection closed", answer{err: net.ErrClosed}, leaderMoved},
		{"rows", partAnswer(nil, 0, 30, 30, batch), progressed},
		{"batch without rows", partAnswer(nil, 0, 30, 30, testBatch{base: 5, last: 19}.bytes()), progressed},
		{"old format", partAnswer(nil, 0, 30, 30, oldFormat()), progressed},
		{"only what is before", partAnswer(nil, 0, 30, 30, before), silentGap},
		{"cut batch", partAnswer(nil, 0, 30, 30, batch[:70]), silentGap},
		{"open transaction", partAnswer(nil, 0, 15, 30, nil), endBelow},
		{"end lags", partAnswer(nil, 0, 15, 15, nil), endBelow},
		{"nothing, and the log goes on", partAnswer(nil, 0, 20, 20, nil), silentGap},
		{"not allowed", partAnswer(kerr.TopicAuthorizationFailed, -1, -1, -1, nil), failed},
		{"corrupt on disk", partAnswer(kerr.KafkaStorageError, -1, -1, -1, nil), leaderMoved},
		{"cancelled", answer{err: context.Canceled}, failed},
		{"closed", answer{err: kgo.ErrClientClosed}, failed},
		{"not protocol", answer{err: errCorrupt}, failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := classify(c.a, 10, 20, true)
			require.Equal(t, c.want, got)
		})
	}
	got, _ := classify(partAnswer(nil, 0, 15, 30, nil), 10, 20, false)
	require.Equal(t, silentGap, got, "read_uncommitted is not held up by an open transaction")
}

func TestClassifyKeepsTheCause(t *testing.T) {
	what, err := classify(partAnswer(kerr.TopicAuthorizationFailed, -1, -1, -1, nil), 0, 1, true)
	require.Equal(t, failed, what)
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)
}

func oldFormat() []byte {
	b := make([]byte, 80)
	b[16] = 1
	return b
}
