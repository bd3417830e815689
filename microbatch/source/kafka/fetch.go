package kafka

import (
	"context"
	"errors"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lakewheel/lakewheel/offsets"
)

// answer is one fetch response. Part is nil if the broker left the partition out.
type answer struct {
	part      *kmsg.FetchResponseTopicPartition
	throttled bool
	epoch     int32 // of the leader that was asked
	err       error
}

// maxWaitMillis is how long a broker may wait for data. A range lies below the end, so it hardly ever does.
const maxWaitMillis = 250

// fetch sends one sessionless request for one partition from an exact offset.
func fetch(ctx context.Context, cl *kgo.Client, p offsets.Partition, id [16]byte, l leader, at int64, size int32, readCommitted bool) answer {
	req := kmsg.NewPtrFetchRequest()
	req.ReplicaID, req.MinBytes, req.MaxWaitMillis, req.MaxBytes = -1, 1, maxWaitMillis, size
	req.SessionID, req.SessionEpoch = 0, -1
	if readCommitted {
		req.IsolationLevel = 1
	}
	part := kmsg.NewFetchRequestTopicPartition()
	part.Partition, part.FetchOffset, part.PartitionMaxBytes = p.ID, at, size
	part.CurrentLeaderEpoch, part.LastFetchedEpoch, part.LogStartOffset = l.epoch, -1, -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = p.Topic, id // newer versions send the id, older ones the name
	t.Partitions = append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
	// No retries here: the leader may be elsewhere by then.
	raw, err := cl.Broker(int(l.broker)).Request(ctx, req)
	if err != nil {
		return answer{err: err}
	}
	resp, ok := raw.(*kmsg.FetchResponse)
	if !ok {
		return answer{err: errCorrupt}
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return answer{err: err}
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return answer{throttled: true}
	}
	return answer{part: &resp.Topics[0].Partitions[0], throttled: resp.ThrottleMillis > 0, epoch: l.epoch}
}

// meaning is what an answer says about a range.
type meaning int

const (
	progressed meaning = iota // there are batches beyond the offset
	askAgain                  // not evidence of anything
	leaderMoved
	topicGone // unknown topic or id
	lostBelow // the log starts above the offset
	lostAbove // the offset is beyond the log
	endBelow  // no batch, and the log ends below the range: it may lag
	silentGap // no batch, though the log goes beyond the range
	failed    // an error of its own
)

// classify says what an answer means for reading [at, until). It does no I/O.
func classify(a answer, at, until int64, readCommitted bool) (meaning, error) {
	err := a.err
	switch {
	case err != nil: // no answer
	case a.part == nil:
		return askAgain, nil
	default:
		err = kerr.ErrorForCode(a.part.ErrorCode)
	}
	switch {
	case errors.Is(err, kerr.OffsetOutOfRange):
		return classifyOutOfRange(a, at), err
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.InconsistentTopicID), errors.Is(err, errNoTopic):
		return topicGone, err
	case retriable(err), unreachable(err):
		return leaderMoved, err
	case err != nil:
		return failed, err
	case a.part.LogStartOffset > at:
		return lostBelow, nil
	}
	return classifyBatches(a, at, until, readCommitted), nil
}

// outOfRange reports whether a broker refused the offset without saying where its log is.
func (a answer) outOfRange() bool {
	return a.part != nil && a.part.ErrorCode == kerr.OffsetOutOfRange.Code && a.part.LogStartOffset < 0
}

func classifyOutOfRange(a answer, at int64) meaning {
	switch {
	case a.part == nil, a.part.LogStartOffset <= at && at <= a.part.HighWatermark:
		return leaderMoved // the log holds the offset by now
	case a.part.LogStartOffset > at:
		return lostBelow
	}
	return lostAbove
}

func classifyBatches(a answer, at, until int64, readCommitted bool) meaning {
	if peekNext(a.part.RecordBatches, at) > at || len(a.part.RecordBatches) >= headerBytes && a.part.RecordBatches[16] != 2 {
		return progressed
	}
	end := a.part.HighWatermark
	if readCommitted {
		end = a.part.LastStableOffset
	}
	switch {
	case a.throttled:
		return askAgain
	case end < until:
		return endBelow
	}
	return silentGap
}

// retriable tells errors that pass by themselves: moved leaders and broken connections.
func retriable(err error) bool {
	var timeout net.Error
	return kerr.IsRetriable(err) || kgo.IsRetryableBrokerErr(err) || errors.As(err, &timeout) && timeout.Timeout()
}

// unreachable tells errors without an answer: the leader is down or no longer in the cluster, and another one may be up
// soon.
func unreachable(err error) bool {
	var answered *kerr.Error
	return err != nil && !errors.As(err, &answered) && !errors.Is(err, errCorrupt) && !errors.Is(err, context.Canceled) && !errors.Is(err, kgo.ErrClientClosed)
}
